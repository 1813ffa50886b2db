// SPDX-License-Identifier: Apache-2.0
// Joint-based deformers: src/deform/joint_table.cpp and joint_palette.cpp.
import { about, conjugate, identity, invert, multiply, norm, polarRotation, product, rotation, scaled, shortestArc, swingTwist } from '../math.js';
import { SinewError, type JointBlend, type Rig } from '../rig.js';
import { axisOf } from '../skeleton.js';
import { floatOf, moveNormal, putRows, RowWriter, type Deformer, type Pose, type Six } from './deformer.js';

type Kind = 'swing-twist' | 'linear' | 'spherical' | 'plain';
interface Entry {
  joint: number;
  kind: Kind;
  /** How much of the joint's share it has. */
  part: 'all' | 'mix' | 'angle';
}

export interface JointOptions {
  /** Of all joints, instead of what the rig says. */
  blend?: JointBlend;
  mix?: number;
  fastTwist?: boolean;
}

/** Cosine and sine of the share t of a turn, as sinew_turn. */
export function turnOf(p: Float32Array, at: number, t: number): [number, number] {
  if (p[at] < 0.5) return [1, 0];
  let cosine = Math.cos(t * p[at + 1]), sine = Math.sin(t * p[at + 1]);
  if (p[at] > 1.5) {
    const h = t - 0.5, u = t + t * h * (t - 1) * (p[at + 4] + p[at + 5] * h * h), c = 1 + u * p[at + 2], s = u * p[at + 3], length = Math.hypot(c, s);
    cosine = c / length;
    sine = s / length;
  }
  return [1 - 2 * sine * sine, 2 * sine * cosine];
}

/** Adds w (out turned_z(into x) + more) and its linear part. Rows at texels `into` and `out` of the palette. */
export function addTurned(p: Float32Array, into: number, out: (k: number) => number, turn: [number, number], vertex: Six, sum: Float64Array): void {
  const [c, s] = turn;
  for (let column = 0; column < 4; ++column) {
    const v: number[] = [];
    for (let r = 0; r < 3; ++r) {
      const row = into + 4 * r;
      v.push(column === 0 ? p[row] * vertex[0] + p[row + 1] * vertex[1] + p[row + 2] * vertex[2] + p[row + 3] : p[row + column - 1]);
    }
    const x = c * v[0] - s * v[1], y = s * v[0] + c * v[1], z = v[2];
    for (let r = 0; r < 3; ++r) {
      const value = out(4 * r) * x + out(4 * r + 1) * y + out(4 * r + 2) * z;
      if (column === 0) sum[r] += value + out(4 * r + 3);
      else sum[3 + 3 * r + column - 1] += value;
    }
  }
}

/** `sum`: position, then nine numbers of the linear part by rows. */
export function takeSum(sum: Float64Array, vertex: Six): void {
  for (let k = 0; k < 3; ++k) vertex[k] = sum[k];
  moveNormal(sum.subarray(3), vertex);
}

export function makeJoint(rig: Rig, options: JointOptions = {}): Deformer {
  const given = rig.jointRows;
  if (!given) throw new SinewError('the file has no joint weights: `sinew rig --joint-weights elastic` makes them');
  const { skeleton, skin } = rig, mix = options.mix ?? 0.5;
  const entries: Entry[] = [], known = new Map<string, number>();
  const entry = (joint: number, kind: Kind, part: Entry['part']): number => {
    const key = `${joint} ${kind} ${part}`;
    let at = known.get(key);
    if (at === undefined) {
      known.set(key, (at = entries.length));
      entries.push({ joint, kind, part });
    }
    return at;
  };
  const rows = new RowWriter(), vertexRows = new Uint32Array(2 * rig.vertices);
  // Whether the joint weights tell of the bones that the skin weights name.
  const fits = (i: number): boolean => {
    if (skin.offsets[i] === skin.offsets[i + 1]) return true;
    const holds = (joint: number): boolean => {
      for (let e = skin.offsets[i]; e < skin.offsets[i + 1]; ++e) if (skin.joints[e] === joint && skin.weights[e] > 0) return true;
      return false;
    };
    for (let e = given.offsets[i]; e < given.offsets[i + 1]; ++e)
      if (given.share[e] > 0 && (holds(given.joints[e]) || holds(skeleton.parents[given.joints[e]]))) return true;
    return false;
  };
  for (let i = 0; i < rig.vertices; ++i) {
    vertexRows[2 * i] = rows.texels;
    if (fits(i))
      for (let e = given.offsets[i]; e < given.offsets[i + 1]; ++e) {
        const [j, d, s, t] = [given.joints[e], given.share[e], given.swing[e], given.twist[e]];
        if (!(d > 0)) continue;
        const blend = options.blend ?? given.blends.get(j) ?? 'swing-twist';
        if (blend === 'swing-twist') rows.entry(entry(j, 'swing-twist', 'all'), d, s, t);
        else if (blend === 'linear') rows.entry(entry(j, 'linear', 'all'), d, s, 0);
        else if (blend === 'dqs') rows.entry(entry(j, 'spherical', 'all'), d, s, s);
        else {
          rows.entry(entry(j, 'linear', blend), d, s, 0);
          rows.entry(entry(j, 'spherical', blend), d, s, s);
        }
      }
    if (rows.texels === vertexRows[2 * i])
      for (let e = skin.offsets[i]; e < skin.offsets[i + 1]; ++e) rows.entry(entry(skin.joints[e], 'plain', 'all'), skin.weights[e]);
    vertexRows[2 * i + 1] = rows.texels - vertexRows[2 * i];
  }
  const words = rows.done();
  const inverse = identity(), local = identity(), place = identity(), made = identity();
  const sum = new Float64Array(12);

  function fillEntry({ joint, kind, part }: Entry, pose: Pose, palette: Float32Array, at: number): void {
    const own = pose.matrices[joint], bone = joint < skeleton.bones;
    if (kind === 'plain') {
      putRows(palette, at, identity());
      putRows(palette, at + 3, own);
      palette.fill(0, 4 * at + 24, 4 * at + 44);
      return;
    }
    const parent = bone ? skeleton.parents[joint] : -1, above = parent < 0 ? own : pose.matrices[parent];
    const turn = product(conjugate(polarRotation(above)), polarRotation(own));
    const whole = 2 * Math.atan2(norm(turn), Math.abs(turn[3]));
    const head = skeleton.heads[joint];
    place.set(skeleton.frames[joint]);
    let angle = 0;
    if (kind === 'swing-twist') angle = swingTwist(turn, axisOf(skeleton.frames[joint])).angle;
    else if (kind === 'spherical') {
      const axis = turn[3] < 0 ? scaled(turn, -1) : scaled(turn, 1);
      if (norm(axis) > 1e-12) {
        angle = whole;
        place.set(about(shortestArc([0, 0, 1], axis)));
        for (let r = 0; r < 3; ++r) place[4 * r + 3] = head[r];
      }
    }
    const half = Math.sin(whole / 2), spherical = part === 'mix' ? mix : half * half;
    const factor = part === 'all' ? 1 : kind === 'spherical' ? spherical : 1 - spherical;
    const below = multiply(identity(), own, rotation(axisOf(place), -angle, head));
    invert(inverse, place);
    putRows(palette, at, inverse);
    multiply(made, above, place);
    putRows(palette, at + 3, made, factor);
    multiply(local, below, place);
    for (let k = 0; k < 12; ++k) palette[4 * at + 24 + k] = factor * (local[k] - made[k]);
    const chord = kind === 'spherical' || options.fastTwist === true, cosine = Math.cos(angle / 2), corrected = kind === 'swing-twist';
    palette.set(
      [angle === 0 ? 0 : chord ? 2 : 1, angle / 2, cosine - 1, Math.sin(angle / 2),
        corrected ? 0.8503 + cosine * (-1.09424 + cosine * 0.25989) : 0, corrected ? 1.03854 + cosine * (-2.53102 + cosine * 1.56698) : 0, 0, 0],
      4 * at + 36,
    );
  }

  return {
    name: options.blend === 'dqs' ? 'joint-dqs' : 'swing-twist',
    shaders: ['joint'],
    call: 'sinew_joint(FIRST, int(COUNTS), rest)',
    paletteTexels: 1 + 11 * entries.length,
    rows: words,
    vertexRows,
    fill(pose: Pose, palette: Float32Array, first: number) {
      entries.forEach((one, e) => fillEntry(one, pose, palette, first + 1 + 11 * e));
    },
    move(palette: Float32Array, first: number, i: number, vertex: Six) {
      const at = vertexRows[2 * i], count = vertexRows[2 * i + 1];
      if (count === 0) return;
      sum.fill(0);
      for (let k = at; k < at + count; ++k) {
        const from = 4 * (first + 1 + 11 * words[4 * k]), d = floatOf(words[4 * k + 1]), s = floatOf(words[4 * k + 2]);
        addTurned(palette, from, (c) => d * (palette[from + 12 + c] + s * palette[from + 24 + c]), turnOf(palette, from + 36, floatOf(words[4 * k + 3])), vertex, sum);
      }
      takeSum(sum, vertex);
    },
  };
}

