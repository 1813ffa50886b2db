// SPDX-License-Identifier: Apache-2.0
// A rig as the runtime reads it from a file: arrays over all vertices of all parts, in the order of docs/rig_file.md.
import type { Skeleton } from './skeleton.js';

/** Rows of different lengths: row i is the entries from offsets[i] to offsets[i + 1]. */
export interface SkinRows {
  offsets: Uint32Array;
  joints: Uint32Array;
  weights: Float32Array;
}

export interface EndpointWeights {
  /** Beside SkinRows: place along the bone, for stretch and for twist. */
  stretch: Float32Array;
  twist: Float32Array;
}

export type JointBlend = 'swing-twist' | 'linear' | 'dqs' | 'mix' | 'angle';

export interface JointRows {
  offsets: Uint32Array;
  joints: Uint32Array;
  share: Float32Array;
  swing: Float32Array;
  twist: Float32Array;
  blends: Map<number, JointBlend>;
}

export interface FleshField {
  joint: number;
  swing: number;
  twist: number;
  /** The joint that drives it too: its functions are those of both rotations. */
  partner: { joint: number; swing: number; twist: number } | null;
  modes: number;
  steps: Float32Array;
  /** 30 a mode. */
  mixes: Float32Array;
  vertices: Uint32Array;
  /** Of the joint's twist, 0 to 1. */
  shares: Float32Array;
  /** Three per vertex and mode. */
  values: Int8Array;
}

export interface Flesh {
  base: Int32Array;
  offsets: Uint32Array;
  joints: Uint32Array;
  /** 65535 is 1. */
  swing: Uint16Array;
  twist: Uint16Array;
  fields: FleshField[];
}

export interface Driver {
  by: number;
  swing: number;
  twist: number;
  /** Six times 30, or none. */
  mixes: number[] | null;
  centre: [number, number, number];
}

export interface Drivers {
  helpers: (Driver & { joint: number })[];
  keys: { name: string; by: number; mix: number[] }[];
  swing: number;
  twist: number;
}

/** A primitive of a node. */
export interface Part {
  node: number;
  primitive: number;
  /** Its first vertex among those of the rig. */
  first: number;
  count: number;
  skin: number;
  /** From the file's vertices to bind space. */
  toBind: Float64Array;
}

export interface Rig {
  skeleton: Skeleton;
  parts: Part[];
  vertices: number;
  /** Bind space. */
  positions: Float32Array;
  normals: Float32Array;
  triangles: Uint32Array;
  /** The diagonal of the box around it. */
  size: number;
  skin: SkinRows;
  endpoint: EndpointWeights | null;
  jointRows: JointRows | null;
  flesh: Flesh | null;
  drivers: Drivers | null;
}

/** What a file says about its deformation. */
export interface StackStep {
  step: string;
  mask?: string;
  [setting: string]: unknown;
}

/** Data that is wrong, or a wish that cannot be met: one sentence. */
export class SinewError extends Error {
  override name = 'SinewError';
}
