// SPDX-License-Identifier: Apache-2.0
// sinew in WebAssembly: open a character, pose it, deform it. Made by `./dev page` into build/wasm:
// sinew.js + sinew.wasm (one thread), sinew-threads.js + .wasm + .worker.js (where crossOriginIsolated).
// Serve the files of one build side by side and import sinew.js as it is (no bundler):
//
//   const createSinew = (await import(url)).default;
//   const sinew = await createSinew();
//   const session = sinew.open(bytes, 'biped.glb');
//
// Calls that cannot be done throw a SinewError and leave the session as it was. Joint, key, cage and clip numbers
// are indices into the lists of Info. World space is the file's; bind space is where the rest mesh lies.

/** Codes are the exit codes of the command line: 1 a fault of sinew, 2 a call that cannot mean anything, 3 a broken
 * file, 4 cannot be done with this rig, 5 a file that is missing, 6 out of memory or over a limit. */
export interface SinewError extends Error {
  code: number;
}

export interface ModuleOptions {
  /** Threads to use, those of pool workers and the caller's; only sinew-threads reads it. Default: as many as the
   * machine has cores, at most 8. */
  threads?: number;
  /** Where sinew.wasm and sinew-threads.worker.js lie, if not beside the script. */
  locateFile?(file: string, prefix: string): string;
  wasmBinary?: ArrayBuffer;
}

export default function createSinew(options?: ModuleOptions): Promise<Module>;

export interface Method {
  name: string;
  summary: string;
}

export interface Module {
  /** Any format the command line reads; the file extension of `name` picks the reader. A .gltf must hold its buffers itself. */
  open(bytes: Uint8Array, name: string): Session;
  /** The table of deformers; "+mush" behind a name adds delta mush. */
  deformers(): Method[];
  /** The settings of all deformers and steps, each once. */
  settings(): SettingInfo[];
  version(): string;
  /** In the studio's module alone, not in the npm package. Long work, as the studio's server does it: `request` is the JSON of POST /api/jobs (docs/studio.md), a file's id
   * its place in `files`. Blocks until it is done: call it in a worker of its own, and end the worker to cancel. */
  run(request: string, files: { name: string; bytes: Uint8Array }[]): JobResult;
  /** JSON: what requests may name, {weights: [{name, summary}], templates, names, targets}. */
  choices(): string;
  /** Of a session's slot; in the studio's module, too. */
  tables(session: Session, slot: Slot): Tables;
  /** Told of how far run() and setDeformer() are, from inside the call; null: nobody. */
  onProgress(listener: ((stage: string, fraction: number) => void) | null): void;
  /** How many threads evaluate() uses. */
  readonly threads: number;
}

export interface JobResult {
  name: string;
  bytes: Uint8Array;
  /** Sentences. */
  text: string[];
  /** JSON. */
  report: string;
}

export interface Info {
  vertices: number;
  triangles: number;
  faces: number;
  joints: { name: string; parent: number; deforms: boolean }[];
  /** One per deforming joint, in joint order. */
  bones: { joint: number }[];
  clips: { name: string; duration: number }[];
  /** `weight`: what the file says. */
  keys: { name: string; weight: number }[];
  /** `edges`: pairs of control points. `skinned`: the skeleton moves the cage. */
  cages: { name: string; controls: number; edges: number[]; skinned: boolean }[];
  /** Point handles; `joint` -1: moved by no joint. */
  handles: { name: string; joint: number }[];
  /** What the file brought; the rest is computed when a deformer or channel() asks for it. */
  channels: { weight: boolean; deformer: boolean; swing: boolean; twist: boolean; endpoint: boolean };
  skinned: boolean;
  /** Warnings about what was repaired or left out on reading, one sentence each. */
  warnings: string[];
  /** The steps in order: keys, cage, skeleton, mush. */
  stack: string[];
  /** x, y, z of the least corner, then of the largest, rest mesh. */
  box: [number, number, number, number, number, number];
}

/** One setting: what DeformSettings calls it, and what it takes. */
export interface SettingInfo {
  name: keyof DeformSettings;
  help: string;
  kind: 'flag' | 'number' | 'whole' | 'word' | 'namedNumbers' | 'namedWords';
  least?: number;
  most?: number;
  /** Of a word: those there are; empty: any. */
  words: string[];
  /** Deformers and steps that read it ('curve', 'mush', 'keys'), each with its default. */
  owners: Record<string, boolean | number | string | Record<string, number | string>>;
}

/** What `pose` takes on the command line; fields that a deformer does not use are ignored. Defaults in brackets. */
export interface DeformSettings {
  deformer: string;
  /** `mix`: 0 is lbs, 1 is dqs [0.5]. */
  mix?: number;
  /** `decomposed`: polar or explog [polar]. */
  blend?: string;
  /** `swing-twist`: joints that blend otherwise, by name. */
  joint?: Record<string, string>;
  /** `swing-twist`: without trigonometry [false]. */
  fastTwist?: boolean;
  /** `elastic`: how stiff the flesh of a joint is, by name. */
  stiffness?: Record<string, number>;
  stiffnessAttribute?: string;
  /** `curve`: segments of a bone [8], and length of the handles in thirds of the bone [1]. */
  segments?: number;
  ease?: number;
  /** The same for single bones, by name. */
  boneSegments?: Record<string, number>;
  boneEase?: Record<string, number>;
  /** `volume`: 0 to 1 [1]. */
  amount?: number;
  mushPasses?: number;
  mushStep?: number;
  /** Shape keys: object, tangent or differential [object]. */
  keySpace?: string;
  /** The keys that act, separated by commas; empty: all. */
  onlyKeys?: string;
  /** Stored in the rig; frames here are of the rig's own vertices whatever it is [0]. */
  subdivide?: number;
  /** `differential`: own or body [own]; weight of springs through the body [0]. */
  place?: string;
  springs?: number;
  /** rotation or scale: taken out of what the skeleton makes. */
  remove?: string;
  /** Cells along the longest side of a solid voxel grid that has to be made; 0: chosen by the mesh. */
  voxels?: number;
  /** `arap`, `points`: steps. */
  iterations?: number;
  /** `arap`: vertices that are held, world space. */
  handles?: { vertex: number; position: [number, number, number] }[];
}

/** All that undo has to keep. Plain arrays of one's own: setPose(pose()) changes nothing. */
export interface PoseState {
  /** 12 a joint: 3x4 row-major, relative to the parent. */
  locals: Float64Array;
  /** 3 a joint: stretch, twist at head, twist at tail (radians). */
  shapes: Float64Array;
  keys: Float64Array;
  /** Per cage: control points as moved, bind space; empty: at rest. */
  cages: Float64Array[];
  /** 8 a handle: 1 where it was moved (else 0), x, y, z, quaternion x, y, z, w; world space. */
  handles: Float64Array;
}

/** Views into the module's memory, valid until the next call: copy what must last. 3 numbers per vertex, world space. */
export interface Frame {
  positions: Float32Array;
  normals: Float32Array;
  milliseconds: number;
}

export type Slot = 0 | 1;
export type ChannelKind = 'weight' | 'deformer' | 'swing' | 'twist' | 'endpoint' | 'stiffness';

/** What is painted, and with which brush. */
export interface Stroke {
  /** The weight of `joint`, or the vertex attribute _STIFFNESS: how stiff the flesh is, 0.05 to 100, 1 where it was not
   * painted. */
  kind: 'weight' | 'stiffness';
  joint: number;
  /** Full strength adds the value, makes it the value, or the mean of the neighbours. */
  mode: 'add' | 'replace' | 'smooth';
  value: number;
  /** World. */
  radius: number;
  /** 0 to 1. */
  strength: number;
  falloff: 'smooth' | 'linear' | 'sphere' | 'constant';
  /** Also on the other side of x, with the joint's counterpart. */
  mirror: boolean;
  /** Everywhere, without dabs. */
  flood: boolean;
  /** Joints whose weights stay. */
  locked: number[];
}

/** What colours the mesh: which material of the file is where. */
export interface Looks {
  /** Per part of the mesh: an index into the file's materials, or -1. */
  materials: number[];
  /** Per triangle: its part. */
  ofTriangle: Uint32Array;
  /** TEXCOORD_0 and TEXCOORD_1 as stored, 2 a vertex, v from the top down. */
  texcoords: [Float32Array | null, Float32Array | null];
  /** 3 a vertex, linear. */
  colours: Float32Array | null;
  warnings: string[];
}

/** The numbers that the rig and a slot's deformer consist of, for one that runs elsewhere: on a graphics card, say. Rows
 * of vertices go from offsets[i] to offsets[i + 1]. */
export interface Tables {
  /** JSON of the steps: as in rig files. */
  stack: string;
  keys: number;
  /** Poses drive keys or helper joints. */
  driven: boolean;
  skeleton: {
    names: string[];
    /** 12 a joint, by rows. */
    inverseBind: Float64Array;
    /** Per bone, that is per joint that deforms: the bone above, or -1. */
    parents: Int32Array;
    /** 3 a bone, in the joint's own space; NaN: not stored. */
    tails: Float64Array;
  };
  /** At rest, bind space. */
  normals: Float32Array;
  skin: { offsets: Uint32Array; joints: Uint32Array; weights: Float32Array };
  /** Beside the entries of skin. */
  endpoint: { stretch: Float32Array; twist: Float32Array } | null;
  jointRows: {
    offsets: Uint32Array;
    joints: Uint32Array;
    share: Float32Array;
    swing: Float32Array;
    twist: Float32Array;
    /** Per joint; or empty: swing-twist. */
    blends: string[];
  } | null;
  flesh: {
    base: Int32Array;
    offsets: Uint32Array;
    joints: Uint32Array;
    /** 65535 is 1. */
    swing: Uint16Array;
    twist: Uint16Array;
    fields: {
      joint: number;
      swing: number;
      twist: number;
      /** The joint that drives it too. */
      partner: { joint: number; swing: number; twist: number } | null;
      modes: number;
      steps: Float32Array;
      mixes: Float32Array;
      vertices: Uint32Array;
      shares: Float32Array;
      values: Int8Array;
    }[];
  } | null;
}

export interface Session {
  info(): Info;
  triangles(): Uint32Array;
  /** Polygon edges, pairs of vertices, each once. */
  edges(): Uint32Array;
  /** The rest mesh, bind space. */
  rest(): Float32Array;
  /** What the file says about its deformer. */
  storedDeformer(): DeformSettings;

  /** Builds a deformer and returns what had to be computed because the file lacks it, a sentence each. */
  setDeformer(slot: Slot, settings: DeformSettings): string[];
  evaluate(slot: Slot): Frame;

  pose(): PoseState;
  setPose(pose: PoseState): void;
  /** The file's own pose. */
  resetPose(): void;
  /** 16 a joint, column-major, world. */
  globals(): Float64Array;
  /** 6 a bone: head and tail as posed, world. */
  segments(): Float64Array;

  /** A world rotation on top of the present one, about the joint's head. */
  rotateJoint(joint: number, x: number, y: number, z: number, w: number): void;
  /** Degrees about the world axes of the rest pose, x, then y, then z, as --set; y in [-90, 90]. */
  angles(joint: number): [number, number, number];
  setAngles(joint: number, degrees: [number, number, number]): void;
  /** A world translation, for roots. */
  translateJoint(joint: number, x: number, y: number, z: number): void;
  /** The parent's bone turns and stretches so that the joint's head lies there, world; a root is moved. */
  dragJoint(joint: number, x: number, y: number, z: number): void;
  /** Inverse kinematics: turns `chain` joints above so that the joint's head comes to the place, world. 0: up to
   * where the limb begins. Returns the distance left. */
  reach(joint: number, x: number, y: number, z: number, chain: number): number;
  /** As --stretch and --twist: length over rest length, and radians about the bone. */
  setShape(joint: number, stretch: number, twistHead: number, twistTail: number): void;
  setKey(key: number, weight: number): void;
  /** The clip's pose at a time, clamped, on top of the file's own pose. */
  setClip(clip: number, seconds: number): void;

  /** Per vertex, NaN where the joint has no part; what the rig lacks is made first. */
  channel(kind: ChannelKind, joint: number): Float32Array;

  /** Control points as posed now (by hand, then by the skeleton where the cage is skinned). */
  cage(cage: number): Float64Array;
  /** Control points in bind space; empty: back to rest. Deformers of both slots follow. */
  moveCage(cage: number, points: Float64Array): void;
  /** 7 numbers: place and quaternion x, y, z, w as posed now, world. */
  handle(handle: number): Float64Array;
  moveHandle(handle: number, position: [number, number, number], rotation: [number, number, number, number]): void;
  /** Back to its joint, or to rest. */
  releaseHandle(handle: number): void;

  /** As rigid as possible, from the mesh as slot shows it now: these vertices are held or dragged. */
  arapBegin(vertices: Uint32Array, slot: Slot): void;
  /** 3 numbers for each of those vertices, world; each step brings the rest of the mesh nearer to its best. */
  arapDrag(targets: Float64Array, steps: number): Frame;
  arapEnd(): void;

  /** Null where the file has no colours. */
  looks(): Looks | null;

  /** Paints where the brush touches the mesh as slot 0 shows it: 5 numbers a dab, vertex of the triangle under it, x, y,
   * z, pressure (0 to 1). Deformers that blend by the weights follow; rows go on summing to 1. `begin`: a stroke of its
   * own, one step of undo; else what it adds to the last one. */
  paint(stroke: Stroke, dabs: Float64Array, begin: boolean): void;
  /** Undoes or redoes strokes until this many are there. */
  paintTo(strokes: number): void;
  strokes(): number;

  /** The .glb in this pose and as it was painted, all else kept. */
  save(): Uint8Array;
  /** The mesh as the slot shows it. */
  saveMesh(slot: Slot, format: 'obj' | 'glb' | 'ply'): Uint8Array;
  /** The joints as they are now: {"joints":[{"name","parent","head","tail"}]}. */
  skeletonJson(): string;
  /** Gives the memory back; every session must be deleted. */
  delete(): void;
}
