// SPDX-License-Identifier: Apache-2.0

export interface Distances {
  values: Float32Array;
  max: number;
  rms: number;
}

/** Vertex by vertex, over `size` (3 numbers a vertex in both). */
export function distances(a: Float32Array, b: Float32Array, size: number): Distances {
  if (a.length !== b.length)
    throw new Error(`The reference has ${b.length / 3} vertices and the mesh ${a.length / 3}.`);
  const values = new Float32Array(a.length / 3);
  let max = 0;
  let sum = 0;
  for (let i = 0; i < values.length; ++i) {
    const d = Math.hypot(a[3 * i] - b[3 * i], a[3 * i + 1] - b[3 * i + 1], a[3 * i + 2] - b[3 * i + 2]) / size;
    values[i] = d;
    max = Math.max(max, d);
    sum += d * d;
  }
  return { values, max, rms: values.length ? Math.sqrt(sum / values.length) : 0 };
}

/** The least and the most of x, y and z (3 numbers a vertex); vertices that are not finite do not count. */
export function boxOf(positions: ArrayLike<number>): number[] {
  const box = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
  for (let i = 0; i < positions.length; ++i) {
    if (!Number.isFinite(positions[i])) continue;
    box[i % 3] = Math.min(box[i % 3], positions[i]);
    box[3 + (i % 3)] = Math.max(box[3 + (i % 3)], positions[i]);
  }
  return box.every(Number.isFinite) ? box : [0, 0, 0, 0, 0, 0];
}

export function diagonalOf(box: ArrayLike<number>): number {
  return Math.hypot(box[3] - box[0], box[4] - box[1], box[5] - box[2]);
}
