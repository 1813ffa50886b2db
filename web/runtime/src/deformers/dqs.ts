// SPDX-License-Identifier: Apache-2.0
import { about, minus, transform } from '../math.js';
import type { Rig } from '../rig.js';
import { splitLinear } from '../skeleton.js';
import { floatOf, moveBy, putRows, type Deformer, type Pose, type Six } from './deformer.js';
import { packSkin } from './lbs.js';

/** A point and a normal through a dual quaternion of any length. */
export function moveByDual(real: ArrayLike<number>, dual: ArrayLike<number>, vertex: Six): void {
  const [a, b, c, w] = [real[0], real[1], real[2], real[3]], scale = 2 / (a * a + b * b + c * c + w * w);
  const turn = (x: number, y: number, z: number): [number, number, number] => {
    const [u, v, t] = [b * z - c * y + w * x, c * x - a * z + w * y, a * y - b * x + w * z];
    return [x + scale * (b * t - c * v), y + scale * (c * u - a * t), z + scale * (a * v - b * u)];
  };
  const p = turn(vertex[0], vertex[1], vertex[2]), n = turn(vertex[3], vertex[4], vertex[5]), [d, e, f, g] = [dual[0], dual[1], dual[2], dual[3]];
  vertex[0] = p[0] + scale * (w * d - g * a + b * f - c * e);
  vertex[1] = p[1] + scale * (w * e - g * b + c * d - a * f);
  vertex[2] = p[2] + scale * (w * f - g * c + a * e - b * d);
  for (let k = 0; k < 3; ++k) vertex[3 + k] = n[k];
}

/** Half of translation times rotation. */
export function dualPart(t: ArrayLike<number>, q: ArrayLike<number>): number[] {
  const [x, y, z] = [t[0] / 2, t[1] / 2, t[2] / 2];
  return [x * q[3] + y * q[2] - z * q[1], y * q[3] + z * q[0] - x * q[2], z * q[3] + x * q[1] - y * q[0], -(x * q[0] + y * q[1] + z * q[2])];
}

/** The scale about a point, as rows. */
export function scaleAbout(stretch: Float64Array, centre: ArrayLike<number>): Float64Array {
  const out = Float64Array.from(stretch), moved = transform(out, centre as number[], 0);
  for (let r = 0; r < 3; ++r) out[4 * r + 3] = centre[r] - moved[r];
  return out;
}

export function makeDqs(rig: Rig): Deformer {
  const { rows, vertexRows } = packSkin(rig), joints = rig.skeleton.nodes.length;
  const heads = rig.skeleton.bind.map((m) => [m[3], m[7], m[11]]);
  const real = new Float64Array(4), dual = new Float64Array(4), scale = new Float64Array(12);
  return {
    name: 'dqs',
    shaders: ['dqs'],
    call: 'sinew_dqs(FIRST, int(COUNTS), rest)',
    paletteTexels: 1 + 5 * joints,
    rows,
    vertexRows,
    fill(pose: Pose, palette: Float32Array, first: number) {
      let scaledJoint = 0;
      for (let j = 0; j < joints; ++j) {
        const at = first + 1 + 5 * j, split = splitLinear(pose.matrices[j]);
        if (split.scaled) scaledJoint = 1;
        const shift = minus(transform(pose.matrices[j], heads[j]), transform(about(split.rotation), heads[j]));
        palette.set(split.rotation, 4 * at);
        palette.set(dualPart(shift, split.rotation), 4 * at + 4);
        putRows(palette, at + 2, scaleAbout(split.stretch, heads[j]));
      }
      palette[4 * first] = scaledJoint;
    },
    move(palette: Float32Array, first: number, i: number, vertex: Six) {
      const at = vertexRows[2 * i], count = vertexRows[2 * i + 1];
      if (count === 0) return;
      real.fill(0);
      dual.fill(0);
      scale.fill(0);
      const pivot = 4 * (first + 1 + 5 * rows[4 * at]);
      for (let k = at; k < at + count; ++k) {
        const from = 4 * (first + 1 + 5 * rows[4 * k]), w = floatOf(rows[4 * k + 1]);
        let agree = 0;
        for (let c = 0; c < 4; ++c) agree += palette[pivot + c] * palette[from + c];
        const signed = agree < 0 ? -w : w;
        for (let c = 0; c < 4; ++c) {
          real[c] += signed * palette[from + c];
          dual[c] += signed * palette[from + 4 + c];
        }
        for (let c = 0; c < 12; ++c) scale[c] += w * palette[from + 8 + c];
      }
      if (palette[4 * first] > 0.5) moveBy(scale, vertex);
      moveByDual(real, dual, vertex);
    },
  };
}
