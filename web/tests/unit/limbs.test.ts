// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { limbsOf } from '../../src/view/limbs';

const at = (...places: number[][]): Float64Array =>
  Float64Array.from(places.flatMap(([x, y, z]) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1]));

test('a bone has a segment to every child that deforms, also through joints that do not', () => {
  const joint = (name: string, parent: number, deforms = true) => ({ name, parent, deforms }) as never;
  const info = {
    joints: [joint('hips', -1), joint('spine', 0), joint('helper', 0, false), joint('thigh', 2)],
    bones: [{ joint: 0 }, { joint: 1 }, { joint: 3 }] as never[],
  };
  const frame = {
    globals: at([0, 0, 0], [0, 1, 0], [9, 9, 9], [1, -1, 0]),
    segments: Float64Array.from([0, 0, 0, 0.5, 0, 0, 0, 1, 0, 0, 2, 0, 1, -1, 0, 1, -2, 0]),
  };
  expect(limbsOf(info, frame)).toEqual({
    segments: [0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -1, 0, 0, 1, 0, 0, 2, 0, 1, -1, 0, 1, -2, 0],
    joints: [0, 0, 1, 3],
  });
});
