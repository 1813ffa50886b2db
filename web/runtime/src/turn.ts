// SPDX-License-Identifier: Apache-2.0
// Functions of a joint's rotation by which fields, helpers and keys are driven: include/sinew/rig/turn_functions.h.
import type { Vec } from './math.js';

export const TURN_FUNCTIONS = 30;
export const HARMONICS = 7;
export const HARMONIC_OF = [1, 2, 1, 2, 0, 0, 3, 4, 3, 4, 5, 6, 0, 0, 0, 0, 1, 2, 1, 2, 0, 0, 1, 2, 1, 2, 3, 4, 3, 4];

/** The nearest rotation within a range. */
export function clampTurn(turn: Vec, swing: number, twist: number): Vec {
  const angle = Math.hypot(turn[0], turn[1]), scale = angle > swing ? swing / angle : 1;
  return [scale * turn[0], scale * turn[1], Math.min(Math.max(turn[2], -twist), twist)];
}

/** What depends on the angles alone; the rest is one harmonic each of the swing's direction. */
export function turnFactors(turn: Vec): number[] {
  const angle = Math.hypot(turn[0], turn[1]);
  const first = Math.sin(angle), rise = 1 - Math.cos(angle), both = rise * first, square = rise * rise;
  const twist = Math.sin(turn[2]), lift = 1 - Math.cos(turn[2]);
  return [
    first, first, both, both, rise, square, rise, rise, square, square, both, both, twist, lift, 0.5 * Math.sin(2 * turn[2]), lift * lift,
    first * twist, first * twist, first * lift, first * lift, rise * twist, rise * lift, both * twist, both * twist, both * lift, both * lift,
    rise * twist, rise * twist, rise * lift, rise * lift,
  ];
}

/** What takes their place in fields that two joints drive. */
export function pairFactors(own: Vec, partner: Vec): number[] {
  const angle = Math.hypot(own[0], own[1]), first = Math.sin(angle), rise = 1 - Math.cos(angle), both = rise * first, twist = Math.sin(own[2]);
  const other = Math.hypot(partner[0], partner[1]), per = other > 0 ? Math.sin(other) / other : 0;
  const x = per * partner[0], y = per * partner[1], z = Math.sin(partner[2]), up = 1 - Math.cos(other), lift = 1 - Math.cos(partner[2]);
  return [
    first * x, first * x, first * y, first * y, rise * x, rise * y, rise * x, rise * x, rise * y, rise * y, both * up, both * up,
    twist * x, twist * y, twist * z, twist * up, first * up, first * up, first * z, first * z, rise * up, rise * z, first * lift, first * lift,
    first * twist * z, first * twist * z, rise * up, rise * up, rise * z, rise * z,
  ];
}

export const swingDirection = (turn: Vec): number => (turn[0] === 0 && turn[1] === 0 ? 0 : Math.atan2(turn[1], turn[0]));

/** Harmonics of a direction. */
export function harmonics(b: number): number[] {
  return [1, Math.cos(b), Math.sin(b), Math.cos(2 * b), Math.sin(2 * b), Math.cos(3 * b), Math.sin(3 * b)];
}

/** The functions for flesh that the joint has not twisted. */
export function turnFunctions(turn: Vec): number[] {
  const of = harmonics(swingDirection(turn));
  return turnFactors(turn).map((factor, f) => factor * of[HARMONIC_OF[f]]);
}
