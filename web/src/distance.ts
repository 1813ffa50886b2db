// SPDX-License-Identifier: Apache-2.0

export interface Distances { values: Float32Array; max: number; rms: number }

/** Vertex by vertex, over `size` (3 numbers a vertex in both). */
export function distances(a: Float32Array, b: Float32Array, size: number): Distances {
  if (a.length !== b.length) throw new Error(`The reference has ${b.length / 3} vertices and the mesh ${a.length / 3}.`);
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
