// SPDX-License-Identifier: Apache-2.0
// The segments by which bones are drawn and picked: one to every child that deforms, else to the bone's tail.
import type { Frame, Info } from '../protocol';

export interface Limbs {
  /** 6 a segment: its two ends, world. */
  segments: number[];
  /** Per segment: the joint that it belongs to. */
  joints: number[];
}

type Joints = Pick<Info, 'joints' | 'bones'>;

export function limbsOf({ joints, bones }: Joints, { globals, segments }: Pick<Frame, 'globals' | 'segments'>): Limbs {
  const children = new Map<number, number[]>();
  for (const { joint } of bones) {
    let above = joints[joint].parent;
    while (above >= 0 && !joints[above].deforms) above = joints[above].parent;
    if (above >= 0) children.set(above, [...(children.get(above) ?? []), joint]);
  }
  const limbs: Limbs = { segments: [], joints: [] };
  bones.forEach(({ joint }, b) => {
    const head = segments.subarray(6 * b, 6 * b + 3);
    const below = children.get(joint) ?? [];
    const ends =
      below.length > 1
        ? below.map((c) => globals.subarray(16 * c + 12, 16 * c + 15))
        : [segments.subarray(6 * b + 3, 6 * b + 6)];
    for (const end of ends) {
      limbs.segments.push(...head, ...end);
      limbs.joints.push(joint);
    }
  });
  return limbs;
}
