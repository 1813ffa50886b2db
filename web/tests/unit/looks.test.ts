// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { stiffnessHeat } from '../../src/heat';
import { groupByMaterial } from '../../src/view/looks';

test('triangles come in order by material, each once, in the order they had', () => {
  const triangles = Uint32Array.from([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  const grouped = groupByMaterial(triangles, Uint32Array.from([2, 0, 2, 0]), 3);
  expect([...grouped.order]).toEqual([3, 4, 5, 9, 10, 11, 0, 1, 2, 6, 7, 8]);
  expect([...grouped]).toEqual([
    { start: 0, count: 6, material: 0 },
    { start: 6, count: 6, material: 2 },
  ]);
});

test('the colour of stiffness goes from its least to its most, by factors', () => {
  const [least, one, most] = stiffnessHeat(Float32Array.from([0.05, 1, 100]));
  expect(least).toBeCloseTo(0, 6);
  expect(one).toBeCloseTo(0.394, 3);
  expect(most).toBeCloseTo(1, 6);
});
