// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { boxOf, diagonalOf, distances } from '../../src/distance';

test('distances are over the size, with their largest and their root mean square', () => {
  const found = distances(Float32Array.of(0, 0, 0, 1, 1, 1), Float32Array.of(3, 4, 0, 1, 1, 1), 10);
  expect([...found.values]).toEqual([0.5, 0]);
  expect(found.max).toBeCloseTo(0.5);
  expect(found.rms).toBeCloseTo(0.5 / Math.SQRT2);
});

test('another number of vertices is refused in words', () => {
  expect(() => distances(new Float32Array(3), new Float32Array(6), 1)).toThrow(
    'The reference has 2 vertices and the mesh 1.',
  );
});

test('a box holds all vertices that are finite', () => {
  const box = boxOf(Float32Array.of(1, -2, 3, -1, 5, NaN, 0, 0, Infinity));
  expect(box).toEqual([-1, -2, 3, 1, 5, 3]);
  expect(diagonalOf(box)).toBeCloseTo(Math.hypot(2, 7));
  expect(boxOf(new Float32Array(0))).toEqual([0, 0, 0, 0, 0, 0]);
});
