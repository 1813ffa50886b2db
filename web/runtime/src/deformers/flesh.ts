// SPDX-License-Identifier: Apache-2.0
// Flesh: src/deform/flesh_table.cpp and flesh_kernel.cpp. shaders/flesh.glsl says what rows and palette hold.
import { identity, invert, minus, multiply, norm, type Vec } from '../math.js';
import { SinewError, type Flesh, type FleshField, type Rig } from '../rig.js';
import { jointMoves } from '../skeleton.js';
import { fleshTilts, type Tilt } from '../tilts.js';
import { clampTurn, HARMONIC_OF, HARMONICS, harmonics, pairFactors, swingDirection, TURN_FUNCTIONS, turnFactors } from '../turn.js';
import { floatOf, moveBy, moveNormal, putRows, RowWriter, type Deformer, type Pose, type Six } from './deformer.js';

const MOST_PARTS = 24;
const MOST_KEPT = 3;
const MOST_TERMS = 6;
const SMALL = 5e-7;
const RUN = 1 << 20, BRANCH = 1 << 21, MEET = 1 << 22;

interface Step {
  joint: number;
  above: number;
  run: boolean;
  swing: number;
  twist: number;
}

/** The way of a vertex through its joints: those that carry it in part, and runs of those that carry it whole. */
function stepsOf(flesh: Flesh, parents: number[], i: number): Step[] {
  const onPath = new Set<number>(), split = new Set<number>(), steps: Step[] = [];
  for (let a = flesh.base[i]; a >= 0; a = parents[a]) onPath.add(a);
  let row: Step[] = [];
  for (let e = flesh.offsets[i]; e < flesh.offsets[i + 1]; ++e) row.push({ joint: flesh.joints[e], above: -1, run: false, swing: flesh.swing[e], twist: flesh.twist[e] });
  if (row.length > MOST_PARTS) {
    const matters = (w: Step): number => Math.min(Math.max(w.swing, w.twist), 65535 - Math.min(w.swing, w.twist));
    row = row.sort((a, b) => matters(b) - matters(a)).slice(0, MOST_PARTS);
  }
  const partial = new Set(row.map((step) => step.joint));
  for (const step of row) {
    steps.push(step);
    let a = parents[step.joint];
    while (a >= 0 && !onPath.has(a) && !partial.has(a)) a = parents[a];
    if (a >= 0) split.add(a);
  }
  for (let bottom = flesh.base[i]; bottom >= 0; ) {
    if (partial.has(bottom)) {
      bottom = parents[bottom];
      continue;
    }
    let end = parents[bottom];
    while (end >= 0 && !partial.has(end) && !split.has(end)) end = parents[end];
    steps.push({ joint: bottom, above: end, run: true, swing: 0, twist: 0 });
    bottom = end;
  }
  return steps;
}

/** Children first, with marks where branches begin and meet; throws where more wait for each other than the shader keeps. */
function orderSteps(steps: Step[], parents: number[]): { order: { step: Step; marks: number }[]; kept: number } {
  const of = new Map(steps.map((step, k) => [step.joint, k]));
  const children: number[][] = Array.from({ length: steps.length + 1 }, () => []);
  steps.forEach((step, k) => {
    let a = step.run ? step.above : parents[step.joint];
    while (a >= 0 && !of.has(a)) a = parents[a];
    children[a < 0 ? steps.length : of.get(a)!].push(k);
  });
  const out: { step: Step; marks: number }[] = [];
  const need = (k: number): number => {
    const needs = children[k].map(need).sort((a, b) => b - a);
    return needs.reduce((most, n, at) => Math.max(most, n + (at > 0 ? 1 : 0)), 0);
  };
  const emit = (k: number): void => {
    [...children[k]].sort((a, b) => need(b) - need(a)).forEach((child, at) => {
      const begin = out.length;
      emit(child);
      if (at === 0) return;
      out[begin].marks |= BRANCH;
      out[out.length - 1].marks |= MEET;
    });
    if (k < steps.length) out.push({ step: steps[k], marks: 0 });
  };
  const kept = need(steps.length);
  if (kept > MOST_KEPT) throw new SinewError('a vertex is carried by more branches of joints at once than the shader keeps');
  emit(steps.length);
  return { order: out, kept };
}

const HALF = new Float32Array(1), HALF_BITS = new Uint32Array(HALF.buffer);
function toHalf(value: number): number {
  HALF[0] = Math.min(Math.max(value, -65504), 65504);
  const bits = HALF_BITS[0], sign = (bits >>> 16) & 0x8000, exponent = ((bits >>> 23) & 255) - 112, mantissa = bits & 0x7fffff;
  if (exponent <= 0) return exponent < -10 ? sign : sign | ((mantissa | 0x800000) >> (14 - exponent));
  return sign | Math.min(((exponent << 10) | (mantissa >> 13)) + ((mantissa >> 12) & 1), 0x7bff);
}
function fromHalf(bits: number): number {
  const exponent = (bits >> 10) & 31, mantissa = bits & 1023, sign = bits & 0x8000 ? -1 : 1;
  return sign * (exponent === 0 ? mantissa * 2 ** -24 : (1 + mantissa / 1024) * 2 ** (exponent - 15));
}

/** Per number of terms: where the harmonics are taken, and what makes powers of the share less 1/2 of them. */
const POWERS = Array.from({ length: MOST_TERMS + 1 }, (_, terms) => {
  const places = Array.from({ length: terms }, (__, k) => 0.5 * Math.cos(((2 * k + 1) * Math.PI) / (2 * terms)));
  const rows = places.map((t, k) => [...places.map((__, p) => t ** p), ...places.map((__, c) => (c === k ? 1 : 0))]);
  for (let k = 0; k < terms; ++k) {
    let pivot = k;
    for (let r = k; r < terms; ++r) if (Math.abs(rows[r][k]) > Math.abs(rows[pivot][k])) pivot = r;
    [rows[k], rows[pivot]] = [rows[pivot], rows[k]];
    const lead = rows[k][k];
    rows[k] = rows[k].map((v) => v / lead);
    for (let r = 0; r < terms; ++r) if (r !== k) {
      const factor = rows[r][k];
      rows[r] = rows[r].map((v, c) => v - factor * rows[k][c]);
    }
  }
  return { places, inverse: rows.map((row) => row.slice(terms)) };
});

/** How far off powers are that stand for the n-th harmonic while the share of a twist by c goes from 0 to 1. */
function powerError(c: number, n: number, terms: number): number {
  let bound = 2;
  for (let k = 1; k <= terms; ++k) bound *= (n * Math.abs(c)) / (4 * k);
  return bound;
}

/** Steps, fields and holds of every vertex. */
class FleshRows {
  readonly rows = new RowWriter();
  readonly vertexRows: Uint32Array;
  readonly runs: [number, number][] = [];
  private readonly runOf = new Map<string, number>();
  private readonly orders = new Map<string, { at: number; marks: number; place: number }[]>();
  private readonly fieldsOf: [number, number][][];
  readonly runFirst: number;
  holdsFirst = 0;
  drivesFirst = 0;
  readonly order: Uint32Array;
  /** Branches that wait for others, at most. */
  kept = 1;

  constructor(private readonly rig: Rig, private readonly flesh: Flesh, tilts: Tilt[]) {
    this.vertexRows = new Uint32Array(2 * rig.vertices);
    this.runFirst = 1 + 5 * rig.skeleton.bones;
    this.fieldsOf = Array.from({ length: rig.vertices }, () => []);
    flesh.fields.forEach((field, f) => field.vertices.forEach((vertex, v) => this.fieldsOf[vertex].push([f, v])));
    const ways = Array.from({ length: rig.vertices }, (_, i) => this.way(i));
    const holds = Array.from({ length: rig.vertices }, (_, i) => this.holds(i));
    this.drivesFirst = this.runFirst + 3 * this.runs.length;
    this.holdsFirst = this.drivesFirst + flesh.fields.length;
    const waiting: [number, number, number][] = [];
    const alike = ways.map((way, i) => `${this.fieldsOf[i].map(([f]) => f).join()} ${way.steps.map(([word]) => word).join()}`);
    this.order = Uint32Array.from(alike.keys()).sort((a, b) => (alike[a] < alike[b] ? -1 : alike[a] > alike[b] ? 1 : a - b));
    for (let i = 0; i < rig.vertices; ++i) {
      const first = this.rows.texels, way = ways[i];
      this.vertexRows[2 * i] = first;
      if (way.plain) {
        for (const [place, weight] of way.plain) this.rows.entry(this.runFirst + 3 * place, weight);
        this.vertexRows[2 * i + 1] = (0x80000000 | way.plain.length) >>> 0;
        continue;
      }
      const fields = this.fieldsOf[i];
      if (way.steps.length > 255 || fields.length > 255) throw new SinewError(`vertex ${i} has more than 255 steps or fields`);
      for (let k = 0; k < way.steps.length; k += 2) this.rows.words4(...way.steps[k], ...(way.steps[k + 1] ?? [0, 0]));
      for (const [f, v] of fields) {
        waiting.push([this.rows.texels, f, v]);
        this.rows.entry(this.drivesFirst + f, 0, 0, flesh.fields[f].shares[v]);
      }
      for (const [bone, amount, along] of holds[i]) this.rows.entry(this.holdsFirst + 3 * bone, amount, along);
      this.vertexRows[2 * i + 1] = way.steps.length + 256 * fields.length + 65536 * holds[i].length;
    }
    for (const [texel, f, v] of waiting) {
      this.rows.set(texel, 1, this.rows.texels);
      this.modes(flesh.fields[f], tilts[f], v);
    }
  }

  private run(joint: number, above: number): number {
    const key = `${joint} ${above}`;
    let at = this.runOf.get(key);
    if (at === undefined) {
      this.runOf.set(key, (at = this.runs.length));
      this.runs.push([joint, above]);
    }
    return at;
  }

  private way(i: number): { steps: [number, number][]; plain?: [number, number][] } {
    const { flesh, rig } = this, { skin } = rig;
    if (flesh.base[i] < 0 && flesh.offsets[i] === flesh.offsets[i + 1] && skin.offsets[i] < skin.offsets[i + 1]) {
      const plain: [number, number][] = [];
      for (let e = skin.offsets[i]; e < skin.offsets[i + 1]; ++e) plain.push([this.run(skin.joints[e], -1), skin.weights[e]]);
      return { steps: [], plain };
    }
    const steps = stepsOf(flesh, rig.skeleton.parents, i), key = steps.map((s) => `${s.joint} ${s.above} ${s.run}`).join();
    let order = this.orders.get(key);
    if (!order) {
      const ordered = orderSteps(steps, rig.skeleton.parents);
      this.kept = Math.max(this.kept, ordered.kept);
      order = ordered.order.map(({ step, marks }) => ({
        at: steps.indexOf(step),
        marks: marks + (step.run ? RUN : 0),
        place: step.run ? this.runFirst + 3 * this.run(step.joint, step.above) : 1 + 5 * step.joint,
      }));
      this.orders.set(key, order);
    }
    return { steps: order.map(({ at, marks, place }) => [place + marks, steps[at].swing + 65536 * steps[at].twist]) };
  }

  /** How far each bone carries the vertex that no bone below it does, and where the vertex lies along it. */
  private holds(i: number): [number, number, number][] {
    const { flesh, rig } = this, { skeleton, skin, endpoint } = rig, { parents } = skeleton;
    const amount = new Map<number, number>();
    for (let a = flesh.base[i]; a >= 0; a = parents[a]) amount.set(a, 1);
    for (let e = flesh.offsets[i]; e < flesh.offsets[i + 1]; ++e) amount.set(flesh.joints[e], flesh.swing[e] / 65535);
    const own = new Map(amount);
    for (const [j, value] of amount) if (parents[j] >= 0) own.set(parents[j], (own.get(parents[j]) ?? 0) - value);
    const along = (j: number): number => {
      if (endpoint) for (let e = skin.offsets[i]; e < skin.offsets[i + 1]; ++e) if (skin.joints[e] === j) return endpoint.stretch[e];
      const span = minus(skeleton.tails[j], skeleton.heads[j]), squared = span[0] ** 2 + span[1] ** 2 + span[2] ** 2;
      if (!(squared > 0)) return 0;
      const place = minus(rig.positions.subarray(3 * i, 3 * i + 3), skeleton.heads[j]);
      return Math.min(Math.max((place[0] * span[0] + place[1] * span[1] + place[2] * span[2]) / squared, 0), 1);
    };
    return [...own].filter(([, value]) => value > 1e-4).sort((a, b) => a[0] - b[0]).map(([j, value]) => [j, value, along(j)]);
  }

  private modes(field: FleshField, tilt: Tilt, v: number): void {
    for (let m = 0; m < field.modes; m += 4) {
      const words = [0, 0, 0, 0, 0, 0], halves = [0, 0, 0, 0];
      for (let k = 0; k < 4; ++k) {
        const inside = m + k < field.modes, at = 3 * (v * field.modes + m + k);
        for (let c = 0; c < 3; ++c) {
          words[c] |= (inside ? field.values[at + c] + 128 : 128) << (8 * k);
          words[3 + c] |= (inside ? tilt.values[at + c] + 128 : 128) << (8 * k);
        }
        if (inside && field.steps[m + k] > 0) halves[k] = toHalf((this.rig.size * tilt.steps[m + k]) / field.steps[m + k]);
      }
      this.rows.words4(words[0], words[1], words[2], halves[0] | (halves[1] << 16));
      this.rows.words4(words[3], words[4], words[5], halves[2] | (halves[3] << 16));
    }
  }
}

/** Numbers of one field in a pose: how its modes are driven. Modes and powers that move nothing by `small` are left out. */
function fillDrive(field: FleshField, turn: Vec, partner: Vec, small: number, palette: Float32Array, drive: number, first: number, at: number): void {
  const clamped = clampTurn(turn, field.swing, field.twist), other = field.partner && clampTurn(partner, field.partner.swing, field.partner.twist);
  const factors = other ? pairFactors(clamped, other) : turnFactors(clamped), b = swingDirection(clamped), c = clamped[2];
  const sums = new Float64Array(HARMONICS * field.modes), largest = [0, 0, 0, 0];
  let modes = 0, left = 0;
  for (let m = field.modes - 1; m >= 0; --m) {
    const mix = m * TURN_FUNCTIONS, to = m * HARMONICS;
    for (let q = 0; q < TURN_FUNCTIONS; ++q) sums[to + HARMONIC_OF[q]] += field.steps[m] * field.mixes[mix + q] * factors[q];
    let all = 0;
    for (let h = 0; h < HARMONICS; ++h) {
      const most = 127 * Math.abs(sums[to + h]);
      all += most;
      largest[(h + 1) >> 1] += most;
    }
    left += all;
    if (modes === 0 && left > small) modes = m + 1;
  }
  const quads = Math.ceil(modes / 4);
  let terms = 1;
  while (terms < HARMONICS && largest.reduce((sum, most, n) => sum + most * (n === 0 ? 0 : powerError(c, n, terms)), 0) > small) ++terms;
  palette.set([quads === 0 ? 0 : terms + 8 * quads, at - first, b, c], 4 * drive);
  const basis: number[][] = [];
  if (terms < HARMONICS) {
    const { places, inverse } = POWERS[terms], values = places.map((t) => harmonics(b - (t + 0.5) * c));
    for (let k = 0; k < terms; ++k) basis.push(Array.from({ length: HARMONICS }, (_, h) => values.reduce((sum, value, p) => sum + inverse[k][p] * value[h], 0)));
  }
  for (let m = 0; m < 4 * quads; ++m) {
    const to = 4 * (at + terms * (m >> 2)) + (m & 3), from = m * HARMONICS;
    for (let k = 0; k < terms; ++k) {
      let value = 0;
      if (m < field.modes)
        if (terms === HARMONICS) value = sums[from + k];
        else for (let h = 0; h < HARMONICS; ++h) value += basis[k][h] * sums[from + h];
      palette[to + 4 * k] = value;
    }
  }
}

/** The field with the modes that move most first. */
function sorted(field: FleshField): FleshField {
  const weight = (m: number): number => field.steps[m] * Math.hypot(...field.mixes.subarray(m * TURN_FUNCTIONS, (m + 1) * TURN_FUNCTIONS));
  const order = Array.from({ length: field.modes }, (_, m) => m).sort((a, b) => weight(b) - weight(a));
  const mixes = new Float32Array(field.mixes.length), values = new Int8Array(field.values.length);
  order.forEach((from, m) => {
    mixes.set(field.mixes.subarray(from * TURN_FUNCTIONS, (from + 1) * TURN_FUNCTIONS), m * TURN_FUNCTIONS);
    for (let v = 0; v < field.vertices.length; ++v) for (let c = 0; c < 3; ++c) values[3 * (v * field.modes + m) + c] = field.values[3 * (v * field.modes + from) + c];
  });
  return { ...field, mixes, values, steps: Float32Array.from(order, (m) => field.steps[m]) };
}

export function makeFlesh(rig: Rig): Deformer {
  const { skeleton } = rig;
  if (!rig.flesh) throw new SinewError('the file has no flesh: `sinew rig` makes it');
  const flesh: Flesh = { ...rig.flesh, fields: rig.flesh.fields.map(sorted) };
  const packed = new FleshRows(rig, flesh, fleshTilts(rig, flesh.fields));
  const rows = packed.rows.done(), { vertexRows, runs, runFirst, drivesFirst, holdsFirst } = packed;
  const amountsFirst = holdsFirst + 3 * skeleton.bones;
  let texels = amountsFirst;
  const amounts = flesh.fields.map((field) => {
    const at = texels;
    texels += HARMONICS * Math.ceil(field.modes / 4);
    return at;
  });
  const back = identity(), run = identity();

  return {
    name: 'flesh',
    shaders: ['flesh'],
    constants: { SINEW_KEPT: packed.kept },
    order: packed.order,
    call: 'sinew_flesh(FIRST, COUNTS, rest)',
    paletteTexels: texels,
    rows,
    vertexRows,
    fill(pose: Pose, palette: Float32Array, first: number) {
      const moves = jointMoves(skeleton, pose.matrices, rig.size);
      const shaped = pose.shapes?.some((shape) => shape && (shape.stretch !== 1 || shape.twistHead !== 0 || shape.twistTail !== 0)) ?? false;
      palette.set([0, 1 / rig.size, shaped ? 1 : 0, 0], 4 * first);
      moves.forEach((move, j) => {
        const s = move.swing, u = move.shift;
        palette.set([...skeleton.heads[j], move.angle, ...move.axis, move.still ? 0 : 1, s[0], s[1], s[2], u[0], s[3], s[4], s[5], u[1], s[6], s[7], s[8], u[2]], 4 * (first + 1 + 5 * j));
      });
      runs.forEach(([joint, above], r) => {
        run.set(pose.matrices[joint]);
        if (above >= 0 && invert(back, pose.matrices[above])) multiply(run, back, run);
        putRows(palette, first + runFirst + 3 * r, run);
      });
      flesh.fields.forEach((field, f) => {
        const move = moves[field.joint], partner = moves[field.partner?.joint ?? field.joint];
        if (move.still || partner.still) palette[4 * (first + drivesFirst + f)] = 0;
        else fillDrive(field, move.turn, partner.turn, SMALL * rig.size, palette, first + drivesFirst + f, first, first + amounts[f]);
      });
      if (!shaped) return;
      for (let j = 0; j < skeleton.bones; ++j) {
        const span = minus(skeleton.tails[j], skeleton.heads[j]), length = norm(span), shape = pose.shapes?.[j], scale = length > 0 ? 1 / length : 0;
        palette.set([...skeleton.heads[j], (shape?.stretch ?? 1) - 1, scale * span[0], scale * span[1], length > 0 ? scale * span[2] : 1, length, shape?.twistHead ?? 0, shape?.twistTail ?? 0, 0, 0], 4 * (first + holdsFirst + 3 * j));
      }
    },
    move: (palette, first, i, vertex) => moveFlesh(rows, vertexRows, palette, first, i, vertex),
  };
}

// --- the shader's formulas ---

const BASIS = new Float64Array(HARMONICS);

function addFields(rows: Uint32Array, palette: Float32Array, first: number, at: number, count: number, v: Six): void {
  const tiltScale = palette[4 * first + 1];
  for (let f = at; f < at + count; ++f) {
    const drive = 4 * (first + rows[4 * f]), terms = palette[drive] & 7, quads = palette[drive] >> 3, t = floatOf(rows[4 * f + 3]);
    if (quads === 0) continue;
    if (terms === HARMONICS) BASIS.set(harmonics(palette[drive + 2] - t * palette[drive + 3]));
    else for (let k = 0, power = 1; k < terms; ++k, power *= t - 0.5) BASIS[k] = power;
    let from = 4 * (first + palette[drive + 1]);
    for (let quad = 0, place = 4 * rows[4 * f + 1]; quad < quads; ++quad, place += 8, from += 4 * terms)
      for (let k = 0; k < 4; ++k) {
        let amount = 0;
        for (let b = 0; b < terms; ++b) amount += BASIS[b] * palette[from + 4 * b + k];
        if (amount === 0) continue;
        const shift = 8 * k, tilt = tiltScale * amount * fromHalf((rows[place + (k < 2 ? 3 : 7)] >>> (16 * (k & 1))) & 0xffff);
        v[0] += amount * (((rows[place] >>> shift) & 255) - 128);
        v[1] += amount * (((rows[place + 1] >>> shift) & 255) - 128);
        v[2] += amount * (((rows[place + 2] >>> shift) & 255) - 128);
        v[3] += tilt * (((rows[place + 4] >>> shift) & 255) - 128);
        v[4] += tilt * (((rows[place + 5] >>> shift) & 255) - 128);
        v[5] += tilt * (((rows[place + 6] >>> shift) & 255) - 128);
      }
  }
}

/** By the angle about an axis of unit length, in place. */
function turn(v: number[] | Float64Array, at: number, axis: ArrayLike<number>, c: number, s: number): void {
  const [x, y, z] = [v[at], v[at + 1], v[at + 2]], [a, b, d] = [axis[0], axis[1], axis[2]], along = (1 - c) * (a * x + b * y + d * z);
  v[at] = c * x + s * (b * z - d * y) + along * a;
  v[at + 1] = c * y + s * (d * x - a * z) + along * b;
  v[at + 2] = c * z + s * (a * y - b * x) + along * d;
}

function addHolds(rows: Uint32Array, palette: Float32Array, first: number, at: number, count: number, v: Six): void {
  const rest = v.slice(0, 3);
  for (let k = at + count - 1; k >= at; --k) {
    const bone = 4 * (first + rows[4 * k]), amount = floatOf(rows[4 * k + 1]), e = floatOf(rows[4 * k + 2]);
    const angle = amount * ((1 - e) * palette[bone + 8] + e * palette[bone + 9]), c = Math.cos(angle), s = Math.sin(angle), axis = palette.subarray(bone + 4, bone + 7);
    const from = [0, 1, 2].map((n) => rest[n] - palette[bone + n]), turned = [...from];
    turn(turned, 0, axis, c, s);
    for (let n = 0; n < 3; ++n) v[n] += turned[n] - from[n] + amount * e * palette[bone + 3] * palette[bone + 7] * axis[n];
    turn(v, 3, axis, c, s);
  }
}

/** A point and three columns through the part of a joint, or a run. */
function apply(palette: Float32Array, at: number, run: boolean, s: number, t: number, map: Float64Array): void {
  if (!run && palette[at + 7] < 0.5) return;
  const rowsAt = run ? at : at + 8, angle = t * palette[at + 3], c = Math.cos(angle), sine = Math.sin(angle), axis = palette.subarray(at + 4, at + 7);
  for (let column = 0; column < 12; column += 3) {
    const w = column === 0 ? 1 : 0;
    if (!run) {
      for (let n = 0; n < 3; ++n) map[column + n] -= w * palette[at + n];
      turn(map, column, axis, c, sine);
    }
    const [x, y, z] = [map[column], map[column + 1], map[column + 2]];
    for (let n = 0; n < 3; ++n) {
      const r = rowsAt + 4 * n, value = palette[r] * x + palette[r + 1] * y + palette[r + 2] * z + w * palette[r + 3];
      map[column + n] = run ? value : w * palette[at + n] + map[column + n] + s * value;
    }
  }
}

function moveFlesh(rows: Uint32Array, vertexRows: Uint32Array, palette: Float32Array, first: number, i: number, v: Six): void {
  const at = vertexRows[2 * i], counts = vertexRows[2 * i + 1], steps = counts & 255, fields = (counts >>> 8) & 255, holds = (counts >>> 16) & 32767;
  if (counts >= 0x80000000) {
    const sum = new Float64Array(12);
    for (let k = at; k < at + steps; ++k) for (let c = 0; c < 12; ++c) sum[c] += floatOf(rows[4 * k + 1]) * palette[4 * (first + rows[4 * k]) + c];
    return moveBy(sum, v);
  }
  const fieldsAt = at + ((steps + 1) >> 1);
  if (holds > 0 && palette[4 * first + 2] > 0.5) addHolds(rows, palette, first, fieldsAt + fields, holds, v);
  addFields(rows, palette, first, fieldsAt, fields, v);
  const start = Float64Array.of(v[0], v[1], v[2], 1, 0, 0, 0, 1, 0, 0, 0, 1), kept: Float64Array[] = [];
  let map = start.slice();
  for (let k = 0; k < steps; ++k) {
    const word = rows[4 * at + 2 * k], shares = rows[4 * at + 2 * k + 1];
    if (word & BRANCH) {
      kept.push(map);
      map = start.slice();
    }
    apply(palette, 4 * (first + (word & 0xfffff)), (word & RUN) !== 0, (shares & 0xffff) / 65535, (shares >>> 16) / 65535, map);
    if (word & MEET) {
      const other = kept.pop()!;
      for (let n = 0; n < 12; ++n) map[n] += other[n] - start[n];
    }
  }
  for (let n = 0; n < 3; ++n) v[n] = map[n];
  moveNormal([map[3], map[6], map[9], map[4], map[7], map[10], map[5], map[8], map[11]], v);
}
