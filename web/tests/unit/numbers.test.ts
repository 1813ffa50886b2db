// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { formatCount, formatNumber, parseNumber } from '../../src/numbers';

test.each([
  ['45', 45],
  ['-30', -30],
  ['−30', -30],
  ['+ 2', 2],
  ['1,5', 1.5],
  ['.25', 0.25],
  ['30°', 30],
  ['30 deg', 30],
  ['150 %', 1.5],
  ['1e2', 100],
  [' 7 ', 7],
])('%s is a number as people type it', (text, value) => expect(parseNumber(text)).toBeCloseTo(value, 12));

test('radians become degrees', () => expect(parseNumber('1 rad')).toBeCloseTo(57.29577951308232, 12));

test.each(['', 'abc', '1 2', '--3', '1..2', '5 apples', 'NaN', 'Infinity', '1e999'])('"%s" is none', (text) =>
  expect(parseNumber(text)).toBeNull(),
);

test('numbers are shown short, and never as minus zero', () => {
  expect(formatNumber(12.34)).toBe('12.3');
  expect(formatNumber(12)).toBe('12');
  expect(formatNumber(-0.0001)).toBe('0');
  expect(formatNumber(0.25, 2)).toBe('0.25');
  expect(formatNumber(100, 0)).toBe('100');
  expect(formatNumber(NaN)).toBe('–');
  expect(formatCount(1234567)).toBe('1\u202f234\u202f567');
});
