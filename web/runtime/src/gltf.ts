// SPDX-License-Identifier: Apache-2.0
// A rig from a glTF document with the extension SINEW_rig, as docs/rig_file.md says. Data that contradicts itself is an error.
import { decodeFields } from './fleshCode.js';
import { identity, invert, multiply, transform, type Vec } from './math.js';
import { SinewError, type Driver, type Drivers, type EndpointWeights, type Flesh, type JointBlend, type JointRows, type Part, type Rig, type SkinRows, type StackStep } from './rig.js';
import { makeSkeleton, type BoneShape, type Skeleton } from './skeleton.js';

export interface Accessor {
  /** Numbers of all elements; integers that are normalised as fractions. */
  numbers: ArrayLike<number>;
  width: number;
  count: number;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Json = any;

export interface Document {
  json: Json;
  accessor(index: number): Promise<Accessor>;
  /** The bytes of a bufferView. */
  view(index: number): Promise<Uint8Array>;
}

const BLENDS = ['swing-twist', 'linear', 'dqs', 'mix', 'angle'];
const whole = (value: unknown, below: number): value is number => Number.isInteger(value) && (value as number) >= 0 && (value as number) < below;
const own = (object: Json): Json => object?.extensions?.SINEW_rig;

/** The extension of a document, or undefined. */
export const extensionOf = (json: Json): Json => own(json);

/** The stored stack, or the default one. */
export function stackOf(json: Json): StackStep[] {
  const ours = own(json);
  if (Array.isArray(ours?.stack) && ours.stack.length > 0) return ours.stack.filter((entry: Json) => typeof entry?.step === 'string');
  const stack: StackStep[] = [{ step: 'keys' }, { step: 'skeleton', deformer: ours?.flesh ? 'flesh' : 'lbs' }];
  if (ours?.cages?.length) stack.splice(1, 0, { step: 'cage' });
  return stack;
}

/** Shapes of bones in the file's own pose, per joint of the skeleton. */
export function storedShapes(json: Json, skeleton: Skeleton): (BoneShape | undefined)[] {
  return skeleton.nodes.map((node) => {
    const ours = own(json.nodes[node]);
    if (!ours?.twist && !ours?.stretch) return undefined;
    return { stretch: ours.stretch > 0 ? ours.stretch : 1, twistHead: ours.twist?.[0] ?? 0, twistTail: ours.twist?.[1] ?? 0 };
  });
}

interface BoundSkin {
  joints: number[];
  toBind: Float64Array;
}

function same(a: Float64Array, b: Float64Array): boolean {
  let most = 1e-30, far = 0;
  for (let k = 0; k < 12; ++k) {
    most = Math.max(most, Math.abs(b[k]));
    far = Math.max(far, Math.abs(a[k] - b[k]));
  }
  return far <= 1e-5 * most;
}

/** The map A with bound B' = B A for all joints that two skins share; null where there is none. */
function difference(joints: number[], matrices: Float64Array[], bound: (Float64Array | undefined)[]): Float64Array | null {
  let map: Float64Array | null = null, unchanged = true;
  for (let k = 0; k < joints.length; ++k) {
    const known = bound[joints[k]];
    if (!known) continue;
    unchanged = unchanged && same(known, matrices[k]);
    const back = identity();
    if (!map && invert(back, known)) map = multiply(identity(), back, matrices[k]) as Float64Array;
  }
  if (unchanged || !map) return identity();
  for (let k = 0; k < joints.length; ++k) {
    const known = bound[joints[k]];
    if (known && !same(multiply(identity(), known, map) as Float64Array, matrices[k])) return null;
  }
  return map;
}

async function readSkeleton(document: Document): Promise<{ skeleton: Skeleton; skins: BoundSkin[] }> {
  const { json } = document, nodes: Json[] = json.nodes ?? [], skins: Json[] = json.skins ?? [];
  const parentOf = new Array<number>(nodes.length).fill(-1);
  nodes.forEach((node, n) => (node.children ?? []).forEach((child: number) => { if (whole(child, nodes.length)) parentOf[child] = n; }));
  const bones: number[] = [], helpers: number[] = [];
  for (const [s, skin] of skins.entries())
    for (const node of skin.joints ?? []) {
      if (!whole(node, nodes.length)) throw new SinewError(`skins[${s}].joints names node ${node}, which does not exist`);
      const list = own(nodes[node])?.helper === true ? helpers : bones;
      if (!list.includes(node)) list.push(node);
    }
  const joints = [...bones, ...helpers], jointOf = new Map(joints.map((node, j) => [node, j]));
  const bound: (Float64Array | undefined)[] = new Array(joints.length);
  const made: BoundSkin[] = [];
  for (const [s, skin] of skins.entries()) {
    const list: number[] = skin.joints.map((node: number) => jointOf.get(node));
    const matrices = list.map(identity);
    if (skin.inverseBindMatrices !== undefined) {
      const { numbers, width, count } = await document.accessor(skin.inverseBindMatrices);
      if (width !== 16 || count < list.length) throw new SinewError(`skins[${s}].inverseBindMatrices does not hold a matrix for each joint`);
      list.forEach((_, k) => { for (let r = 0; r < 3; ++r) for (let c = 0; c < 4; ++c) matrices[k][4 * r + c] = numbers[16 * k + 4 * c + r]; });
    }
    if (matrices.some((m) => m.some((v) => !Number.isFinite(v)))) throw new SinewError(`skins[${s}].inverseBindMatrices has numbers that are not finite: bind the mesh again`);
    const toBind = difference(list, matrices, bound), back = identity();
    if (!toBind || !invert(back, toBind)) throw new SinewError(`skins[${s}] binds joints of another skin in another way`);
    list.forEach((j, k) => (bound[j] ??= multiply(identity(), matrices[k], back) as Float64Array));
    made.push({ joints: list, toBind });
  }
  const isBone = new Set(bones);
  const parents = bones.map((node) => {
    let above = parentOf[node];
    for (let steps = 0; above >= 0 && !isBone.has(above) && steps <= nodes.length; ++steps) above = parentOf[above];
    return above < 0 ? -1 : (jointOf.get(above) ?? -1);
  });
  const tails = bones.map((node) => {
    const tail = own(nodes[node])?.tail;
    return Array.isArray(tail) && tail.length === 3 && tail.every(Number.isFinite) ? (tail as Vec) : null;
  });
  const names = joints.map((node, j) => nodes[node].name || `joint${j}`);
  return { skeleton: makeSkeleton(joints, names, bones.length, bound as Float64Array[], parents, tails), skins: made };
}

/** Reads the attributes of one skinned primitive after the other. */
class RowReader {
  readonly skin = { offsets: [0], joints: [] as number[], weights: [] as number[] };
  readonly ends = { stretch: [] as number[], twist: [] as number[], any: false };
  readonly joint = { offsets: [0], joints: [] as number[], share: [] as number[], swing: [] as number[], twist: [] as number[], any: false };

  /** Vertices whose weights are no numbers, all of them. */
  private readonly lost: number[] = [];

  constructor(private readonly document: Document, private readonly bones: number) {}

  /** Those take the weights of the nearest vertex of their part, from `first` on, that has any. */
  borrow(positions: number[], first: number): void {
    const { offsets, joints, weights } = this.skin, { stretch, twist } = this.ends, count = offsets.length - 1, from = new Map<number, number>();
    const lost = this.lost.splice(0);
    if (lost.length === 0) return;
    for (const i of lost) {
      let best = -1, least = Infinity;
      for (let k = first; k < count; ++k) {
        const far = offsets[k] < offsets[k + 1] ? (positions[3 * k] - positions[3 * i]) ** 2 + (positions[3 * k + 1] - positions[3 * i + 1]) ** 2 + (positions[3 * k + 2] - positions[3 * i + 2]) ** 2 : Infinity;
        if (far < least) [best, least] = [k, far];
      }
      if (best >= 0) from.set(i, best);
    }
    const lists = [joints, weights, stretch, twist], old = lists.map((list) => list.splice(0)), ends = offsets.splice(1);
    for (let i = 0; i < count; ++i) {
      const row = from.get(i) ?? i;
      for (let e = row === 0 ? 0 : ends[row - 1]; e < ends[row]; ++e) lists.forEach((list, k) => list.push(old[k][e]));
      offsets.push(joints.length);
    }
  }

  private async four(attributes: Json, name: string, count: number, where: string): Promise<ArrayLike<number> | null> {
    if (attributes[name] === undefined) return null;
    const accessor = await this.document.accessor(attributes[name]);
    if (accessor.width !== 4 || accessor.count !== count) throw new SinewError(`${where}.${name} does not hold four numbers for each of ${count} vertices`);
    return accessor.numbers;
  }

  empty(count: number): void {
    for (let i = 0; i < count; ++i) {
      this.skin.offsets.push(this.skin.joints.length);
      this.joint.offsets.push(this.joint.joints.length);
    }
  }

  async part(attributes: Json, count: number, skin: BoundSkin, where: string): Promise<void> {
    const sets: Record<string, ArrayLike<number> | null>[] = [];
    for (let n = 0; attributes[`JOINTS_${n}`] !== undefined; ++n) {
      const set: Record<string, ArrayLike<number> | null> = {};
      for (const name of ['JOINTS', 'WEIGHTS', '_SINEW_ENDPOINT', '_SINEW_ENDPOINT_TWIST']) set[name] = await this.four(attributes, `${name}_${n}`, count, where);
      if (!set.WEIGHTS) throw new SinewError(`${where} has JOINTS_${n} without WEIGHTS_${n}`);
      sets.push(set);
    }
    const own: Record<string, ArrayLike<number>>[] = [];
    for (let n = 0; attributes[`_SINEW_JOINTS_${n}`] !== undefined; ++n) {
      const set: Record<string, ArrayLike<number>> = {};
      for (const name of ['JOINTS', 'SHARE', 'SWING', 'TWIST']) {
        const numbers = await this.four(attributes, `_SINEW_${name}_${n}`, count, where);
        if (!numbers) throw new SinewError(`${where} has _SINEW_JOINTS_${n} without _SINEW_${name}_${n}`);
        set[name] = numbers;
      }
      own.push(set);
    }
    this.ends.any ||= sets.some((set) => set._SINEW_ENDPOINT);
    this.joint.any ||= own.length > 0;
    for (let i = 0; i < count; ++i) {
      this.skinRow(sets, i, skin, where);
      this.jointRow(own, i, skin, where);
    }
  }

  private jointAt(skin: BoundSkin, index: number, i: number, where: string): number {
    if (!whole(index, skin.joints.length)) throw new SinewError(`${where} gives vertex ${i} to joint ${index}, but its skin has ${skin.joints.length} joints: bind the mesh again`);
    return skin.joints[index];
  }

  /** Merged by joint, largest first, sum 1. */
  private skinRow(sets: Record<string, ArrayLike<number> | null>[], i: number, skin: BoundSkin, where: string): void {
    const row: { joint: number; weight: number; e: number; t: number }[] = [];
    let sum = 0, odd = false;
    for (const set of sets)
      for (let c = 4 * i; c < 4 * i + 4; ++c) {
        const weight = set.WEIGHTS![c];
        odd ||= Number.isNaN(weight);
        if (!(weight > 0) || !Number.isFinite(weight)) continue;
        const joint = this.jointAt(skin, set.JOINTS![c], i, where), e = unit(set._SINEW_ENDPOINT?.[c] ?? 0);
        const t = set._SINEW_ENDPOINT && set._SINEW_ENDPOINT_TWIST ? unit(set._SINEW_ENDPOINT_TWIST[c]) : e;
        const found = row.find((one) => one.joint === joint);
        if (found) Object.assign(found, { weight: found.weight + weight, e, t });
        else row.push({ joint, weight, e, t });
        sum += weight;
      }
    if (odd && row.length === 0) this.lost.push(this.skin.offsets.length - 1);
    row.sort((a, b) => b.weight - a.weight || a.joint - b.joint);
    for (const one of row) {
      this.skin.joints.push(one.joint);
      this.skin.weights.push(one.weight / sum);
      this.ends.stretch.push(one.e);
      this.ends.twist.push(one.t);
    }
    this.skin.offsets.push(this.skin.joints.length);
  }

  private jointRow(sets: Record<string, ArrayLike<number>>[], i: number, skin: BoundSkin, where: string): void {
    const row: { joint: number; d: number; s: number; t: number }[] = [];
    let plain = false;
    for (const set of sets)
      for (let c = 4 * i; c < 4 * i + 4; ++c) {
        const d = unit(set.SHARE[c]);
        if (d === 0) continue;
        const joint = this.jointAt(skin, set.JOINTS[c], i, where);
        plain ||= joint >= this.bones;
        row.push({ joint, d, s: unit(set.SWING[c]), t: unit(set.TWIST[c]) });
      }
    row.sort((a, b) => b.d - a.d || a.joint - b.joint);
    const once = plain ? [] : row.filter((one, k) => row.findIndex((other) => other.joint === one.joint) === k);
    const sum = once.reduce((total, one) => total + one.d, 0);
    for (const one of once) {
      this.joint.joints.push(one.joint);
      this.joint.share.push(one.d / sum);
      this.joint.swing.push(one.s);
      this.joint.twist.push(one.t);
    }
    this.joint.offsets.push(this.joint.joints.length);
  }
}

const unit = (value: number): number => (value > 0 ? Math.min(value, 1) : 0);

async function readFlesh(document: Document, json: Json, vertices: number, skeleton: Skeleton): Promise<Flesh | null> {
  if (![2, 3, 4].includes(json.version)) return null;
  const coded = json.version === 4;
  const place = 'extensions.SINEW_rig.flesh';
  const list = async (owner: Json, name: string, where: string): Promise<ArrayLike<number>> => {
    const index = owner.accessors?.[name];
    if (!whole(index, document.json.accessors?.length ?? 0)) throw new SinewError(`${where} has no accessor .${name}`);
    const accessor = await document.accessor(index);
    if (accessor.width !== 1) throw new SinewError(`${where}.${name} holds elements of another width`);
    return accessor.numbers;
  };
  const jointOf = new Map(skeleton.nodes.slice(0, skeleton.bones).map((node, j) => [node, j]));
  const joint = (node: number): number => {
    const found = jointOf.get(node);
    if (found === undefined) throw new SinewError(`${place} names node ${node}, which carries no vertices`);
    return found;
  };
  const [counts, base, nodes, swing, twist] = await Promise.all(['counts', 'base', 'nodes', 'swing', 'twist'].map((name) => list(json, name, place)));
  if (counts.length !== vertices || base.length !== vertices) return null; // of another mesh
  if (swing.length !== nodes.length || twist.length !== nodes.length) throw new SinewError(`${place}.swing, .twist and .nodes differ in length`);
  const offsets = new Uint32Array(vertices + 1);
  for (let i = 0; i < vertices; ++i) offsets[i + 1] = Math.min(offsets[i] + counts[i], nodes.length + 1);
  if (offsets[vertices] !== nodes.length) throw new SinewError(`${place}.counts does not cover its list`);
  const flesh: Flesh = {
    base: Int32Array.from(base as number[], (node) => (node === 0 ? -1 : joint(node - 1))),
    offsets,
    joints: Uint32Array.from(nodes as number[], joint),
    swing: Uint16Array.from(swing as number[], (v) => Math.min(v, 65535)),
    twist: Uint16Array.from(twist as number[], (v) => Math.min(v, 65535)),
    fields: [],
  };
  const angle = (owner: Json, key: string, fallback: number): number => (Number.isFinite(owner[key]) ? Math.min(Math.max(owner[key], 0), 3.2) : fallback);
  for (const [f, field] of (json.fields ?? []).entries()) {
    const where = `${place}.fields[${f}]`;
    const [drive, of, shares, values] = await Promise.all(['drive', ...(coded ? [] : ['vertices', 'twist', 'values'])].map((name) => list(field, name, where)));
    const modes = drive.length / 31;
    if (!(modes >= 1) || modes !== field.modes) throw new SinewError(`${where}.drive must hold 31 numbers a mode`);
    if (!coded && (shares.length !== of.length || values.length !== 3 * modes * of.length)) throw new SinewError(`${where}.values does not fit its vertices and modes`);
    const all = Float32Array.from(drive as number[]);
    for (const v of all) if (!Number.isFinite(v)) throw new SinewError(`${where}.drive has numbers that are not finite`);
    const list32 = Uint32Array.from((of ?? []) as number[]);
    for (const v of list32) if (v >= vertices) throw new SinewError(`${where}.vertices names vertex ${v}, which does not exist`);
    const own = joint(field.node), other = field.partner === undefined ? -1 : joint(field.partner?.node);
    if (own === other) throw new SinewError(`${where}.partner is the joint of the field itself`);
    flesh.fields.push({
      joint: own,
      swing: angle(field, 'swing', angle(json, 'swing', Math.PI / 2)),
      twist: angle(field, 'twist', angle(json, 'twist', Math.PI / 2)),
      partner: other < 0 ? null : {
        joint: other,
        swing: angle(field.partner, 'swing', angle(json, 'swing', Math.PI / 2)),
        twist: angle(field.partner, 'twist', angle(json, 'twist', Math.PI / 2)),
      },
      modes,
      steps: all.slice(0, modes),
      mixes: all.slice(modes),
      vertices: list32,
      shares: Float32Array.from((shares ?? []) as number[], (v) => Math.min(v / 65535, 1)),
      values: Int8Array.from((values ?? []) as number[], (v) => v - 128),
    });
  }
  if (coded) {
    if (!whole(json.bufferView, document.json.bufferViews?.length ?? 0)) throw new SinewError(`${place} has no .bufferView`);
    const bytes = await document.view(json.bufferView), most = 256 * (bytes.length + 262144);
    const fields = decodeFields(bytes, vertices, flesh.fields.map((field) => field.modes), most);
    if (!fields) throw new SinewError(`${place}.bufferView is damaged or cut short`);
    fields.forEach(({ vertices: of, shares, values }, f) => Object.assign(flesh.fields[f], { vertices: of, shares: Float32Array.from(shares, (v) => v / 65535), values }));
  }
  return flesh;
}

function readDrivers(json: Json, skeleton: Skeleton): Drivers | null {
  const ours = own(json)?.drivers;
  if (!ours) return null;
  const jointOf = new Map(skeleton.nodes.map((node, j) => [node, j])), drivers: Drivers = { helpers: [], keys: [], swing: ours.swing ?? Math.PI / 2, twist: ours.twist ?? Math.PI / 2 };
  const finite = (list: unknown, count: number): list is number[] => Array.isArray(list) && list.length === count && list.every(Number.isFinite);
  for (const entry of ours.helpers ?? []) {
    const joint = jointOf.get(entry.node), by = jointOf.get(entry.by);
    if (joint === undefined || by === undefined || by >= skeleton.bones) continue;
    const mixes = finite(entry.mixes, 180) && finite(entry.centre, 3) ? entry.mixes : null;
    const driver: Driver = { by, swing: unit(entry.swing ?? 0), twist: unit(entry.twist ?? 0), mixes, centre: mixes ? entry.centre : [0, 0, 0] };
    if (mixes || entry.mixes === undefined) drivers.helpers.push({ ...driver, joint });
  }
  for (const entry of ours.keys ?? []) {
    const by = jointOf.get(entry.by);
    if (by !== undefined && by < skeleton.bones && finite(entry.mix, 30)) drivers.keys.push({ name: entry.key, by, mix: entry.mix });
  }
  return drivers;
}

/** A file without skins has nothing to deform: null. */
export async function readRig(document: Document): Promise<Rig | null> {
  const { json } = document, nodes: Json[] = json.nodes ?? [];
  if (!json.skins?.length) return null;
  const { skeleton, skins } = await readSkeleton(document);
  const parts: Part[] = [], reader = new RowReader(document, skeleton.bones);
  const positions: number[] = [], normals: number[] = [], triangles: number[] = [];
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const [n, node] of nodes.entries()) {
    const mesh = json.meshes?.[node.mesh];
    for (const [p, primitive] of (mesh?.primitives ?? []).entries()) {
      const where = `meshes[${node.mesh}].primitives[${p}]`, attributes = primitive.attributes ?? {};
      if (attributes.POSITION === undefined) continue;
      const place = await document.accessor(attributes.POSITION), { count } = place, first = positions.length / 3;
      const skin = whole(node.skin, skins.length) ? skins[node.skin] : null, toBind = skin?.toBind ?? identity();
      parts.push({ node: n, primitive: p, first, count, skin: skin ? node.skin : -1, toBind });
      const tilt = attributes.NORMAL === undefined ? null : await document.accessor(attributes.NORMAL);
      for (let i = 0; i < count; ++i) {
        const at = transform(toBind, [place.numbers[3 * i], place.numbers[3 * i + 1], place.numbers[3 * i + 2]]);
        for (let c = 0; c < 3; ++c) {
          positions.push(at[c]);
          normals.push(tilt?.numbers[3 * i + c] ?? 0);
          if (!skin || !Number.isFinite(at[c])) continue;
          low[c] = Math.min(low[c], at[c]);
          high[c] = Math.max(high[c], at[c]);
        }
      }
      if (!skin) {
        reader.empty(count);
        continue;
      }
      await reader.part(attributes, count, skin, where);
      reader.borrow(positions, first);
      if ((primitive.mode ?? 4) !== 4) continue;
      const indices = primitive.indices === undefined ? Array.from({ length: count }, (_, i) => i) : (await document.accessor(primitive.indices)).numbers;
      for (let k = 0; k + 2 < indices.length; k += 3) {
        if (indices[k] >= count || indices[k + 1] >= count || indices[k + 2] >= count) throw new SinewError(`${where}.indices names a vertex that does not exist`);
        triangles.push(first + indices[k], first + indices[k + 1], first + indices[k + 2]);
      }
    }
  }
  const vertices = positions.length / 3, ours = own(json), size = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
  const skin: SkinRows = { offsets: Uint32Array.from(reader.skin.offsets), joints: Uint32Array.from(reader.skin.joints), weights: Float32Array.from(reader.skin.weights) };
  const endpoint: EndpointWeights | null = reader.ends.any ? { stretch: Float32Array.from(reader.ends.stretch), twist: Float32Array.from(reader.ends.twist) } : null;
  let jointRows: JointRows | null = null;
  if (reader.joint.any) {
    const jointOf = new Map(skeleton.nodes.map((node, j) => [node, j])), blends = new Map<number, JointBlend>();
    for (const entry of ours?.joints?.blends ?? []) if (jointOf.has(entry.node) && BLENDS.includes(entry.blend)) blends.set(jointOf.get(entry.node)!, entry.blend);
    const { offsets, joints, share, swing, twist } = reader.joint;
    jointRows = { offsets: Uint32Array.from(offsets), joints: Uint32Array.from(joints), share: Float32Array.from(share), swing: Float32Array.from(swing), twist: Float32Array.from(twist), blends };
  }
  return {
    skeleton, parts, vertices,
    positions: Float32Array.from(positions), normals: Float32Array.from(normals), triangles: Uint32Array.from(triangles),
    size: size > 0 && Number.isFinite(size) ? size : 1,
    skin, endpoint, jointRows,
    flesh: ours?.flesh ? await readFlesh(document, ours.flesh, vertices, skeleton) : null,
    drivers: readDrivers(json, skeleton),
  };
}
