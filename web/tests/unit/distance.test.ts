// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { distances } from '../../src/distance';

test('distances are over the size, with their largest and their root mean square', () => {
  const found = distances(Float32Array.of(0, 0, 0, 1, 1, 1), Float32Array.of(3, 4, 0, 1, 1, 1), 10);
  expect([...found.values]).toEqual([0.5, 0]);
  expect(found.max).toBeCloseTo(0.5);
  expect(found.rms).toBeCloseTo(0.5 / Math.SQRT2);
});

test('another number of vertices is refused in words', () => {
  expect(() => distances(new Float32Array(3), new Float32Array(6), 1)).toThrow('The reference has 2 vertices and the mesh 1.');
});
