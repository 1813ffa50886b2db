// SPDX-License-Identifier: Apache-2.0
// Bones at rest and joints as they move, as include/sinew/skeleton/bone_tree.h and rig/composed_joints.h define them.
import { about, conjugate, cross, dot, identity, invert, minus, multiply, norm, polarRotation, rotation, scaled, shortestArc, swingTwist, transform, type Numbers, type Vec } from './math.js';

/** How a bone is stretched and twisted along itself: length over rest length, radians. */
export interface BoneShape {
  stretch: number;
  twistHead: number;
  twistTail: number;
}

/** Where a joint's deformation is described: z along its bone. Columns x, y, z as an affine map. */
export type Frame = Float64Array;

export interface Skeleton {
  /** Joints that carry vertices: bones first, then helpers. Their nodes in the file. */
  nodes: number[];
  names: string[];
  bones: number;
  inverseBind: Float64Array[];
  bind: Float64Array[];
  /** Per bone: the bone above, or -1. */
  parents: number[];
  /** Per bone: the ends of its segment. */
  heads: Vec[];
  tails: Vec[];
  /** Per bone: the joints whose heads' mean is its tail. */
  ends: number[][];
  frames: Frame[];
  /** Parents before children. */
  order: number[];
}

const NO_DIRECTION = 0.1;
const IN_LINE = 0.05;

function bonesOf(skeleton: Skeleton, tails: (Vec | null)[]): void {
  const { bones, parents, bind, order } = skeleton;
  const heads = (skeleton.heads = bind.slice(0, bones).map((m) => [m[3], m[7], m[11]] as Vec));
  const size: number[] = new Array(bones).fill(1);
  for (const j of [...order].reverse()) if (parents[j] >= 0) size[parents[j]] += size[j];
  const children: number[][] = Array.from({ length: bones }, () => []);
  for (let j = 0; j < bones; ++j) if (parents[j] >= 0) children[parents[j]].push(j);
  skeleton.tails = new Array(bones);
  for (const j of order) {
    const above = parents[j];
    if (children[j].length === 0) {
      const tail = tails[j];
      if (tail) skeleton.tails[j] = transform(bind[j], tail);
      else if (above < 0) skeleton.tails[j] = [...heads[j]];
      else {
        // Where the parent's tail is one of several heads, the way from the parent to here says more.
        const led = children[above].length > 1 && children[above].some((k) => same(heads[k], skeleton.tails[above]));
        const along = minus(led ? heads[j] : skeleton.tails[above], heads[above]);
        skeleton.tails[j] = [heads[j][0] + along[0], heads[j][1] + along[1], heads[j][2] + along[2]];
      }
      continue;
    }
    const mean: Vec = [0, 0, 0];
    let length = 0;
    for (const k of children[j]) {
      for (let c = 0; c < 3; ++c) mean[c] += heads[k][c] / children[j].length;
      length += norm(minus(heads[k], heads[j])) / children[j].length;
    }
    if (norm(minus(mean, heads[j])) >= NO_DIRECTION * length) {
      skeleton.tails[j] = children[j].length === 1 ? [...heads[children[j][0]]] : mean;
      continue;
    }
    // The mean tells no direction: the child in line with the bone above, or the one that carries most.
    let best = children[j][0];
    const worth = (k: number): number => {
      if (above < 0) return size[k];
      const way = minus(heads[k], heads[j]), far = norm(way);
      return far > 0 ? dot(minus(skeleton.tails[above], heads[above]), way) / far : 0;
    };
    for (const k of children[j]) if (worth(k) > worth(best)) best = k;
    skeleton.tails[j] = [...heads[best]];
  }
  skeleton.ends = children.map((list, j) => {
    const leading = list.find((k) => same(heads[k], skeleton.tails[j]));
    return leading === undefined ? list : [leading];
  });
}

const same = (a: Vec, b: Vec): boolean => a[0] === b[0] && a[1] === b[1] && a[2] === b[2];

function direction(skeleton: Skeleton, j: number): Vec {
  const along = minus(skeleton.tails[j], skeleton.heads[j]), length = norm(along);
  return length > 0 && Number.isFinite(length) ? scaled(along, 1 / length) : [0, 0, 0];
}

function frameOf(skeleton: Skeleton, j: number): Frame {
  const above: Vec = skeleton.parents[j] < 0 ? [0, 0, 0] : direction(skeleton, skeleton.parents[j]);
  let z = direction(skeleton, j);
  if (norm(z) === 0) z = norm(above) === 0 ? [0, 0, 1] : above;
  let x = cross(above, z);
  if (norm(x) < IN_LINE) {
    const world: Vec = Math.abs(z[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0];
    x = minus(world, scaled(z, dot(world, z)));
  }
  x = scaled(x, 1 / norm(x));
  const y = cross(z, x), o = skeleton.heads[j];
  return Float64Array.of(x[0], y[0], z[0], o[0], x[1], y[1], z[1], o[1], x[2], y[2], z[2], o[2]);
}

/** tails: of nodes that say where their bone ends, in their own space. */
export function makeSkeleton(nodes: number[], names: string[], bones: number, inverseBind: Float64Array[], parents: number[], tails: (Vec | null)[]): Skeleton {
  const bind = inverseBind.map((m) => {
    const out = identity();
    invert(out, m);
    return out;
  });
  const order: number[] = [];
  const placed = new Set<number>();
  const place = (j: number): void => {
    if (placed.has(j)) return;
    placed.add(j);
    if (parents[j] >= 0) place(parents[j]);
    order.push(j);
  };
  for (let j = 0; j < bones; ++j) place(j);
  const skeleton: Skeleton = { nodes, names, bones, inverseBind, bind, parents, heads: [], tails: [], ends: [], frames: [], order };
  bonesOf(skeleton, tails);
  skeleton.frames = Array.from({ length: bones }, (_, j) => frameOf(skeleton, j));
  return skeleton;
}

/** What one joint of a pose adds to the joint above it, in bind space: c + u + S T (x - c). */
export interface JointMove {
  still: boolean;
  shift: Vec;
  /** S less the identity, by rows. */
  swing: number[];
  axis: Vec;
  angle: number;
  /** Swing about x and y of the joint's frame, and twist, radians. */
  turn: Vec;
}

const STILL = 1e-6;

export const axisOf = (frame: Frame, k = 2): Vec => [frame[k], frame[4 + k], frame[8 + k]];

export function jointMoves(skeleton: Skeleton, matrices: Float64Array[], size: number): JointMove[] {
  const moves: JointMove[] = [];
  const back = identity(), whole = identity();
  for (let j = 0; j < skeleton.bones; ++j) {
    const frame = skeleton.frames[j], axis = axisOf(frame);
    const move: JointMove = { still: true, shift: [0, 0, 0], swing: [0, 0, 0, 0, 0, 0, 0, 0, 0], axis, angle: 0, turn: [0, 0, 0] };
    moves.push(move);
    if (skeleton.parents[j] < 0) whole.set(matrices[j]);
    else if (invert(back, matrices[skeleton.parents[j]])) multiply(whole, back, matrices[j]);
    else continue;
    const head = skeleton.heads[j], moved = transform(whole, head);
    move.shift = minus(moved, head);
    let far = norm(move.shift) / size;
    for (let k = 0; k < 12; ++k) if (k % 4 < 3) far = Math.max(far, Math.abs(whole[k] - (k % 5 === 0 ? 1 : 0)));
    if (!(far > STILL)) continue;
    move.still = false;
    const split = swingTwist(polarRotation(whole), axis);
    const sine = norm(split.swing), angle = 2 * Math.atan2(sine, split.swing[3]), scale = sine > 0 ? angle / sine : 2;
    move.angle = split.angle;
    move.turn = [scale * dot(split.swing, axisOf(frame, 0)), scale * dot(split.swing, axisOf(frame, 1)), split.angle];
    const untwisted = multiply(identity(), whole, rotation(axis, -split.angle));
    move.swing = [untwisted[0] - 1, untwisted[1], untwisted[2], untwisted[4], untwisted[5] - 1, untwisted[6], untwisted[8], untwisted[9], untwisted[10] - 1];
  }
  return moves;
}

/** A bone of a frame: a point of bind space goes to rigid p + e stretch, before any twist. */
export interface PosedBone {
  rigid: Float64Array;
  stretch: Vec;
  twistHead: number;
  twistTail: number;
}

export function posedBone(skeleton: Skeleton, j: number, matrices: Float64Array[], shape: BoneShape | undefined): PosedBone {
  const m = matrices[j], posed: PosedBone = { rigid: m, stretch: [0, 0, 0], twistHead: 0, twistTail: 0 };
  if (j >= skeleton.bones) return posed;
  posed.twistHead = shape?.twistHead ?? 0;
  posed.twistTail = shape?.twistTail ?? 0;
  const rest = minus(skeleton.tails[j], skeleton.heads[j]), head = transform(m, skeleton.heads[j]), along = transform(m, rest, 0);
  let tail: Vec = [0, 1, 2].map((c) => head[c] + (shape?.stretch ?? 1) * along[c]) as Vec;
  const ends = skeleton.ends[j];
  if (ends.length > 0) {
    tail = [0, 0, 0];
    for (const end of ends) {
      const at = transform(matrices[end], skeleton.heads[end]);
      for (let c = 0; c < 3; ++c) tail[c] += at[c] / ends.length;
    }
  }
  const span = minus(tail, head), length = norm(along), posedLength = norm(span);
  if (!(length > 0) || !(posedLength > 1e-9 * length) || !Number.isFinite(posedLength)) return posed;
  const ratio = posedLength / length;
  const linear = multiply(identity(), about(shortestArc(along, span)), Float64Array.from(m, (v, k) => (k % 4 === 3 ? 0 : v)));
  const moved = transform(linear, skeleton.heads[j]);
  for (let c = 0; c < 3; ++c) linear[4 * c + 3] = head[c] - moved[c];
  posed.rigid = linear as Float64Array;
  posed.stretch = scaled(transform(linear, rest, 0), ratio - 1);
  return posed;
}

/** Rotation and stretch of a map: R S, S symmetric; `scaled` false where S is the identity to rounding. */
export function splitLinear(m: Numbers): { rotation: number[]; stretch: Float64Array; scaled: boolean } {
  const q = polarRotation(m), back = about(conjugate(q)), s = multiply(identity(), back, Float64Array.from(m as number[], (v, k) => (k % 4 === 3 ? 0 : v))) as Float64Array;
  let far = 0;
  for (let r = 0; r < 3; ++r)
    for (let c = 0; c < 3; ++c) {
      const mean = (s[4 * r + c] + s[4 * c + r]) / 2;
      if (c >= r) s[4 * r + c] = s[4 * c + r] = mean;
      far = Math.max(far, Math.abs(s[4 * r + c] - (r === c ? 1 : 0)));
    }
  return far < 2e-6 ? { rotation: q, stretch: identity(), scaled: false } : { rotation: q, stretch: s, scaled: true };
}

