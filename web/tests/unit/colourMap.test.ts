// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { heatColour, heatTable } from '../../src/view/colourMap';

// From heat_colour of src/render/colour_map.cpp at eighths.
const NATIVE = [
  [67, 35, 131],
  [62, 67, 155],
  [47, 100, 163],
  [27, 132, 159],
  [34, 160, 150],
  [81, 185, 126],
  [147, 203, 94],
  [207, 217, 61],
  [251, 233, 56],
];

test.each(NATIVE.map((colour, k) => [k / 8, colour] as const))(
  'at %d it is the colour of the native pictures',
  (t, colour) => {
    heatColour(t).forEach((c, k) => expect(Math.abs(c - colour[k])).toBeLessThanOrEqual(1));
  },
);

test('values beyond the ends are clamped, and none is grey', () => {
  expect(heatColour(-3)).toEqual(heatColour(0));
  expect(heatColour(7)).toEqual(heatColour(1));
  expect(heatColour(NaN)).toEqual([158, 158, 158]);
});

test('the table runs from one end to the other', () => {
  const table = heatTable();
  expect([...table.slice(0, 3)]).toEqual(heatColour(0));
  expect([...table.slice(-4)]).toEqual([...heatColour(1), 255]);
});
