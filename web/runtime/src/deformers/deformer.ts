// SPDX-License-Identifier: Apache-2.0
// What every deformer is: rows that are packed once, a palette that is filled in every frame, the shader that reads both, and
// the same formulas here, for rays and bounds.
import type { BoneShape } from '../skeleton.js';

export interface Pose {
  /** Skinning matrices of the skeleton's joints. */
  matrices: Float64Array[];
  /** Of the bones; undefined: none is stretched or twisted along itself. */
  shapes?: (BoneShape | undefined)[];
}

/** A vertex on its way: position, then normal. */
export type Six = Float64Array;

export interface Deformer {
  name: string;
  /** Files of web/shaders behind common, in order. */
  shaders: string[];
  /** Constants of the shaders that are others than they say. */
  constants?: Record<string, number>;
  /** The call of the shader with FIRST and COUNTS. */
  call: string;
  /** Texels of the palette. */
  paletteTexels: number;
  /** Four words a texel. */
  rows: Uint32Array;
  /** Two words a vertex: its first texel, and its counts. */
  vertexRows: Uint32Array;
  /** Vertices that read the same numbers of the palette one behind the other; else as they come. */
  order?: Uint32Array;
  fill(pose: Pose, palette: Float32Array, first: number): void;
  /** Moves `vertex`, which holds what is at rest. */
  move(palette: Float32Array, first: number, vertexIndex: number, vertex: Six): void;
}

/** Rows while they grow. */
export class RowWriter {
  private words = new Uint32Array(1 << 12);
  private floats = new Float32Array(this.words.buffer);
  private used = 0;

  get texels(): number {
    return this.used >> 2;
  }

  words4(a: number, b: number, c: number, d: number): void {
    this.room();
    this.words[this.used] = a;
    this.words[this.used + 1] = b;
    this.words[this.used + 2] = c;
    this.words[this.used + 3] = d;
    this.used += 4;
  }

  /** A whole number and three floats. */
  entry(a: number, x: number, y = 0, z = 0): void {
    this.room();
    this.words[this.used] = a;
    this.floats[this.used + 1] = x;
    this.floats[this.used + 2] = y;
    this.floats[this.used + 3] = z;
    this.used += 4;
  }

  /** A word behind all that was written, changed. */
  set(texel: number, word: number, value: number): void {
    this.words[4 * texel + word] = value;
  }

  done(): Uint32Array {
    return this.words.slice(0, this.used);
  }

  private room(): void {
    if (this.used + 4 <= this.words.length) return;
    const more = new Uint32Array(2 * this.words.length);
    more.set(this.words);
    this.words = more;
    this.floats = new Float32Array(more.buffer);
  }
}

/** Rows of an affine map as three texels. */
export function putRows(palette: Float32Array, texel: number, m: ArrayLike<number>, factor = 1): void {
  for (let k = 0; k < 12; ++k) palette[4 * texel + k] = factor * m[k];
}

/** The normal of `vertex` through the linear part, given by rows of 3 numbers from `at` on, `stride` apart. */
export function moveNormal(m: ArrayLike<number>, vertex: Six): void {
  const [a, b, c, d, e, f, g, h, i] = m as number[];
  const cofactors = [e * i - f * h, f * g - d * i, d * h - e * g, c * h - b * i, a * i - c * g, b * g - a * h, b * f - c * e, c * d - a * f, a * e - b * d];
  const det = a * cofactors[0] + b * cofactors[1] + c * cofactors[2], [x, y, z] = [vertex[3], vertex[4], vertex[5]];
  const n = [0, 3, 6].map((r) => cofactors[r] * x + cofactors[r + 1] * y + cofactors[r + 2] * z);
  const length = Math.hypot(n[0], n[1], n[2]);
  if (!(length > 1e-15)) return;
  for (let k = 0; k < 3; ++k) vertex[3 + k] = ((det < 0 ? -1 : 1) * n[k]) / length;
}

/** Everything through an affine map of 12 numbers. */
export function moveBy(m: ArrayLike<number>, vertex: Six): void {
  const [x, y, z] = [vertex[0], vertex[1], vertex[2]];
  for (let r = 0; r < 3; ++r) vertex[r] = m[4 * r] * x + m[4 * r + 1] * y + m[4 * r + 2] * z + m[4 * r + 3];
  moveNormal([m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]], vertex);
}

const BITS = new Uint32Array(1), FLOAT = new Float32Array(BITS.buffer);
export function floatOf(word: number): number {
  BITS[0] = word;
  return FLOAT[0];
}
