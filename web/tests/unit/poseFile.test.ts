// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import { readPose, writePose } from '../../src/poseFile';
import type { Info, PoseState } from '../../src/protocol';

const info = { joints: [{ name: 'Hips' }, { name: 'Spine' }], keys: [{ name: 'smile' }] } as Info;
const pose = (seed: number): PoseState => ({
  locals: Float64Array.from({ length: 24 }, (_, i) => seed + i / 7),
  shapes: Float64Array.of(1.25, 0, 0.5, 1, 0, 0),
  keys: Float64Array.of(0.75),
  cages: [],
  handles: new Float64Array(),
});
const rest = (): PoseState => ({ ...pose(9), shapes: Float64Array.of(1, 0, 0, 1, 0, 0), keys: Float64Array.of(0) });

test('a pose comes back as it was saved, to the last bit', () => {
  const again = readPose(writePose(info, pose(1)), info, rest());
  expect(again.locals).toEqual(pose(1).locals);
  expect(again.shapes).toEqual(pose(1).shapes);
  expect(again.keys).toEqual(pose(1).keys);
});

test('joints that the file does not know stay as they are', () => {
  const other = { ...info, joints: [{ name: 'Tail' }, { name: 'Spine' }] } as Info;
  const again = readPose(writePose(info, pose(1)), other, rest());
  expect(again.locals.subarray(0, 12)).toEqual(rest().locals.subarray(0, 12));
  expect(again.locals.subarray(12)).toEqual(pose(1).locals.subarray(12));
});

test.each([
  ['{', 'not a JSON file'],
  ['{"format":"other"}', 'not a pose'],
  ['{"format":"sinew-pose","joints":{"Tail":{"local":[]}}}', 'None of its joints'],
  ['{"format":"sinew-pose","joints":{"Hips":{"local":[1,2]}}}', 'Hips has no 12 numbers'],
])('%s is refused in words', (text, words) => expect(() => readPose(text, info, rest())).toThrow(words));
