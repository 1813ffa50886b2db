// SPDX-License-Identifier: Apache-2.0
// A pose as a file: by names, so that it fits another rig with the same joints.
import type { Info, PoseState } from './protocol';

interface JointPose {
  local: number[];
  stretch?: number;
  twist?: [number, number];
}
interface PoseFile {
  format: 'sinew-pose';
  version: 1;
  joints: Record<string, JointPose>;
  keys?: Record<string, number>;
}

export function writePose(info: Info, pose: PoseState): string {
  const file: PoseFile = { format: 'sinew-pose', version: 1, joints: {} };
  info.joints.forEach((joint, j) => {
    const entry: JointPose = { local: [...pose.locals.subarray(12 * j, 12 * j + 12)] };
    const [stretch, head, tail] = pose.shapes.subarray(3 * j, 3 * j + 3);
    if (stretch !== 1) entry.stretch = stretch;
    if (head !== 0 || tail !== 0) entry.twist = [head, tail];
    file.joints[joint.name] = entry;
  });
  if (info.keys.length) file.keys = Object.fromEntries(info.keys.map((key, k) => [key.name, pose.keys[k]]));
  return JSON.stringify(file, null, 1);
}

/** The pose with what the text says; throws a sentence where it is no pose, or fits no joint of this rig. */
export function readPose(text: string, info: Info, now: PoseState): PoseState {
  let file: Partial<PoseFile>;
  try {
    file = JSON.parse(text) as Partial<PoseFile>;
  } catch {
    throw new Error('It is not a JSON file.');
  }
  if (file.format !== 'sinew-pose' || typeof file.joints !== 'object' || file.joints === null) {
    throw new Error('It is not a pose that sinew studio saved.');
  }
  const pose: PoseState = { ...now, locals: now.locals.slice(), shapes: now.shapes.slice(), keys: now.keys.slice() };
  let known = 0;
  info.joints.forEach((joint, j) => {
    const entry = file.joints?.[joint.name];
    if (!entry) return;
    if (!isNumbers(entry.local, 12)) throw new Error(`The joint ${joint.name} has no 12 numbers.`);
    pose.locals.set(entry.local, 12 * j);
    pose.shapes.set([entry.stretch ?? 1, ...(entry.twist ?? [0, 0])], 3 * j);
    ++known;
  });
  if (!known) throw new Error('None of its joints is in this rig.');
  info.keys.forEach((key, k) => {
    const weight = file.keys?.[key.name];
    if (typeof weight === 'number' && Number.isFinite(weight)) pose.keys[k] = weight;
  });
  return pose;
}

function isNumbers(value: unknown, count: number): boolean {
  return (
    Array.isArray(value) && value.length === count && value.every((v) => typeof v === 'number' && Number.isFinite(v))
  );
}
