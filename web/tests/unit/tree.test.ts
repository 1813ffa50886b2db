// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { order } from '../../src/panels/tree';

const joints = [
  ['Hips', -1],
  ['Spine', 0],
  ['LeftLeg', 0],
  ['Head', 1],
].map(([name, parent]) => ({ name: String(name), parent: Number(parent), deforms: true }));

test('children come behind their parent, one step deeper', () => {
  expect(order(joints, new Set(), '').map((p) => [p.joint, p.depth])).toEqual([
    [0, 0],
    [1, 1],
    [3, 2],
    [2, 1],
  ]);
});

test('what is folded hides its children', () =>
  expect(order(joints, new Set([1]), '').map((p) => p.joint)).toEqual([0, 1, 2]));

test('a search finds folded joints, whatever the case', () =>
  expect(order(joints, new Set([0]), 'he').map((p) => p.joint)).toEqual([3]));
