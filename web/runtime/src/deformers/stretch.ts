// SPDX-License-Identifier: Apache-2.0
// Bones that stretch and twist: src/deform/stretch.cpp.
import { identity, invert, multiply, product, transform } from '../math.js';
import { SinewError, type Rig } from '../rig.js';
import { axisOf, posedBone, splitLinear, type BoneShape } from '../skeleton.js';
import { floatOf, moveBy, putRows, type Deformer, type Pose, type Six } from './deformer.js';
import { moveByDual, scaleAbout } from './dqs.js';
import { addTurned, takeSum } from './joint.js';
import { packSkin } from './lbs.js';

export function makeStretch(rig: Rig, dual: boolean): Deformer {
  const { skeleton, endpoint } = rig;
  if (!endpoint) throw new SinewError('the file has no endpoint weights: `sinew rig` makes them');
  const { rows, vertexRows } = packSkin(rig, (e) => [endpoint.stretch[e], endpoint.twist[e]]);
  const joints = skeleton.nodes.length, stride = dual ? 10 : 8;
  const frames = skeleton.bind.map((_, j) => skeleton.frames[j] ?? identity());
  const inverses = frames.map((frame) => {
    const out = identity();
    invert(out, frame);
    return out;
  });
  const out = identity(), sum = new Float64Array(12), real = new Float64Array(4), along = new Float64Array(4), scale = new Float64Array(12);

  function fillLinear(bone: ReturnType<typeof posedBone>, j: number, palette: Float32Array, at: number): void {
    putRows(palette, at, inverses[j]);
    putRows(palette, at + 3, multiply(out, bone.rigid, frames[j]));
    palette.set([...bone.stretch, 0, bone.twistHead / 2, (bone.twistTail - bone.twistHead) / 2, 0, 0], 4 * at + 24);
  }

  function fillDual(bone: ReturnType<typeof posedBone>, j: number, palette: Float32Array, at: number): boolean {
    const split = splitLinear(bone.rigid), q = split.rotation, head = axisOf(frames[j], 3), turned = product(q, [...axisOf(frames[j]), 0]);
    const to = [...transform(bone.rigid, head), 0], from = [...head, 0], more = [...bone.stretch, 0];
    const half = (a: number[], b: number[]): number[] => a.map((v, k) => (v - b[k]) / 2);
    const none = [0, 0, 0, 0];
    palette.set(
      [...q, ...turned, ...half(product(to, q), product(q, from)), ...half(product(to, turned), product(turned, from)), ...half(product(more, q), none), ...half(product(more, turned), none),
        bone.twistHead / 2, (bone.twistTail - bone.twistHead) / 2, 0, 0],
      4 * at,
    );
    putRows(palette, at + 7, scaleAbout(split.stretch, head));
    return split.scaled;
  }

  return {
    name: dual ? 'stretch-dqs' : 'stretch-lbs',
    shaders: ['dqs', 'joint', 'stretch'],
    call: `sinew_stretch_${dual ? 'dqs' : 'lbs'}(FIRST, int(COUNTS), rest)`,
    paletteTexels: 1 + stride * joints,
    rows,
    vertexRows,
    fill(pose: Pose, palette: Float32Array, first: number) {
      let scaledJoint = 0;
      for (let j = 0; j < joints; ++j) {
        const bone = posedBone(skeleton, j, pose.matrices, pose.shapes?.[j] as BoneShape | undefined), at = first + 1 + stride * j;
        if (!dual) fillLinear(bone, j, palette, at);
        else if (fillDual(bone, j, palette, at)) scaledJoint = 1;
      }
      palette[4 * first] = scaledJoint;
    },
    move(palette: Float32Array, first: number, i: number, vertex: Six) {
      const at = vertexRows[2 * i], count = vertexRows[2 * i + 1];
      if (count === 0) return;
      for (const list of [sum, real, along, scale]) list.fill(0);
      const pivot: number[] = [];
      for (let k = at; k < at + count; ++k) {
        const from = 4 * (first + 1 + stride * rows[4 * k]), w = floatOf(rows[4 * k + 1]), e = floatOf(rows[4 * k + 2]), t = floatOf(rows[4 * k + 3]);
        if (!dual) {
          const angle = 2 * (palette[from + 28] + t * palette[from + 29]);
          addTurned(palette, from, (c) => w * (palette[from + 12 + c] + (c % 4 === 3 ? e * palette[from + 24 + (c >> 2)] : 0)), [Math.cos(angle), Math.sin(angle)], vertex, sum);
          continue;
        }
        const angle = palette[from + 24] + t * palette[from + 25], c = Math.cos(angle), s = Math.sin(angle);
        const q = [0, 1, 2, 3].map((n) => c * palette[from + n] + s * palette[from + 4 + n]);
        if (k === at) pivot.push(...q);
        const signed = pivot[0] * q[0] + pivot[1] * q[1] + pivot[2] * q[2] + pivot[3] * q[3] < 0 ? -w : w;
        for (let n = 0; n < 4; ++n) {
          real[n] += signed * q[n];
          along[n] += signed * (c * (palette[from + 8 + n] + e * palette[from + 16 + n]) + s * (palette[from + 12 + n] + e * palette[from + 20 + n]));
        }
        for (let n = 0; n < 12; ++n) scale[n] += w * palette[from + 28 + n];
      }
      if (!dual) return takeSum(sum, vertex);
      if (palette[4 * first] > 0.5) moveBy(scale, vertex);
      return moveByDual(real, along, vertex);
    },
  };
}
