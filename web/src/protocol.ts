// SPDX-License-Identifier: Apache-2.0
// The messages between the page and its worker. Arrays are moved, not copied.
import type {
  ChannelKind,
  DeformSettings,
  Info,
  Looks,
  Method,
  PoseState,
  SettingInfo,
  Slot,
  Stroke,
  Tables,
} from '@wasm';

export type { ChannelKind, DeformSettings, Info, Looks, Method, PoseState, SettingInfo, Slot, Stroke, Tables };
export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];

/** One change of the pose, as a call of the session. */
export type Op =
  | { op: 'setPose'; pose: PoseState }
  | { op: 'reset' }
  | { op: 'rotate'; joint: number; by: Quat }
  | { op: 'angles'; joint: number; degrees: Vec3 }
  | { op: 'translate'; joint: number; by: Vec3 }
  | { op: 'drag'; joint: number; to: Vec3 }
  | { op: 'reach'; joint: number; to: Vec3; chain: number }
  | { op: 'shape'; joint: number; stretch: number; head: number; tail: number }
  | { op: 'key'; key: number; weight: number }
  | { op: 'clip'; clip: number; seconds: number }
  | { op: 'cage'; cage: number; points: Float64Array }
  | { op: 'handle'; handle: number; position: Vec3; rotation: Quat }
  | { op: 'release'; handle: number };

export interface SlotFrame {
  positions: Float32Array;
  normals: Float32Array;
  milliseconds: number;
}

/** The character as it is now: what every view draws. */
export interface Frame {
  /** Null: the graphics card makes it of the pose. */
  slots: (SlotFrame | null)[];
  pose: PoseState;
  globals: Float64Array;
  segments: Float64Array;
  /** Of the selected joint; zeros where none is. */
  angles: Vec3;
  cages: Float64Array[];
  /** 7 a handle. */
  handles: Float64Array;
}

export interface Opened {
  info: Info;
  triangles: Uint32Array;
  edges: Uint32Array;
  rest: Float32Array;
  stored: DeformSettings;
  looks: Looks | null;
}

/** The mesh after a stroke, and what was painted at each vertex. */
export interface Painted {
  slots: SlotFrame[];
  values: Float32Array;
  strokes: number;
  milliseconds: number;
}

export interface Ready {
  version: string;
  deformers: Method[];
  settings: SettingInfo[];
  threads: number;
  /** JSON of JobChoices. */
  choices: string;
}

/** A slot that the graphics card deforms; whether it can where bones are stretched and twisted. */
export interface Drawn {
  slot: Slot;
  shapes: boolean;
}

/** Bones are stretched or twisted along themselves. */
export const isShaped = (pose: PoseState): boolean => pose.shapes.some((v, k) => v !== (k % 3 ? 0 : 1));
/** Shape keys are on. */
export const isKeyed = (pose: PoseState): boolean => pose.keys.some((weight) => weight !== 0);

export interface Requests {
  load: { ask: { threads: boolean; base: string }; answer: Ready };
  open: { ask: { bytes: Uint8Array; name: string }; answer: Opened };
  deformer: { ask: { slot: Slot; settings: DeformSettings }; answer: string[] };
  frame: { ask: { ops: Op[]; slots: Slot[]; drawn: Drawn[]; selected: number; spare: ArrayBuffer[] }; answer: Frame };
  tables: { ask: { slot: Slot }; answer: Tables };
  channel: { ask: { kind: ChannelKind; joint: number }; answer: Float32Array };
  arapBegin: { ask: { vertices: Uint32Array; slot: Slot }; answer: null };
  arapDrag: { ask: { targets: Float64Array; steps: number }; answer: SlotFrame };
  arapEnd: { ask: Record<string, never>; answer: null };
  /** `atRest`: in the file's own pose. */
  save: { ask: { atRest?: boolean }; answer: Uint8Array };
  paint: { ask: { stroke: Stroke; dabs: Float64Array; begin: boolean; slots: Slot[] }; answer: Painted };
  paintTo: { ask: { strokes: number; kind: Stroke['kind']; joint: number; slots: Slot[] }; answer: Painted };
  saveMesh: { ask: { slot: Slot; format: 'obj' | 'glb' | 'ply' }; answer: Uint8Array };
  skeleton: { ask: Record<string, never>; answer: string };
}
export type Kind = keyof Requests;
export type Ask<K extends Kind> = Requests[K]['ask'];
export type Answer<K extends Kind> = Requests[K]['answer'];

export interface Call {
  id: number;
  kind: Kind;
  ask: Ask<Kind>;
}
/** `code` 0: the module itself fell over, and the worker is of no more use. */
/** How far a call is that takes long. */
export interface Told {
  progress: { stage: string; fraction: number };
}
export type Reply = { id: number; answer: Answer<Kind> } | { id: number; error: string; code: number };
