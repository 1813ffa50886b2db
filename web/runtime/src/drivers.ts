// SPDX-License-Identifier: Apache-2.0
// Helper joints and keys that follow bones: src/rig/drivers.cpp. Roll joints have a share of the twist alone.
import { identity, multiply, norm, rotation, scaled, transform, type Vec } from './math.js';
import type { Driver, Rig } from './rig.js';
import { axisOf, jointMoves, type JointMove } from './skeleton.js';
import { clampTurn, TURN_FUNCTIONS, turnFunctions } from './turn.js';

const mixed = (mix: ArrayLike<number>, first: number, values: number[]): number => values.reduce((sum, value, f) => sum + mix[first + f] * value, 0);

/** What a helper does before its parent. */
function helperMove(rig: Rig, driver: Driver, move: JointMove, swing: number, twist: number): Float64Array {
  if (move.still) return identity();
  const frame = rig.skeleton.frames[driver.by];
  if (!driver.mixes) {
    const about: Vec = [0, 1, 2].map((c) => driver.swing * (move.turn[0] * frame[4 * c] + move.turn[1] * frame[4 * c + 1])) as Vec, angle = norm(about);
    const part = multiply(identity(), rotation(angle > 0 ? scaled(about, 1 / angle) : axisOf(frame, 0), angle), rotation(axisOf(frame), driver.twist * move.turn[2])) as Float64Array;
    const head = rig.skeleton.heads[driver.by], moved = transform(part, head);
    for (let c = 0; c < 3; ++c) part[4 * c + 3] = head[c] + driver.swing * move.shift[c] - moved[c];
    return part;
  }
  const values = turnFunctions(clampTurn(move.turn, swing, twist));
  const n = Array.from({ length: 6 }, (_, c) => mixed(driver.mixes!, c * TURN_FUNCTIONS, values)), angle = Math.hypot(n[0], n[1], n[2]);
  const part = angle > 0 ? rotation([n[0] / angle, n[1] / angle, n[2] / angle], angle) : identity(), moved = transform(part, driver.centre);
  for (let c = 0; c < 3; ++c) part[4 * c + 3] = driver.centre[c] + n[3 + c] - moved[c];
  return part;
}

/** Sets skinning matrices of helpers from those of bones, and returns the weights of driven keys by name. `bindOf`: bind
    transforms of the joints above the helpers, `matrixOf` their skinning matrices. */
export function runDrivers(rig: Rig, matrices: Float64Array[], above: (joint: number) => Float64Array): Map<string, number> {
  const keys = new Map<string, number>(), drivers = rig.drivers;
  if (!drivers) return keys;
  const moves = jointMoves(rig.skeleton, matrices, rig.size);
  // global = global_parent bind_parent^-1 move bind: the skinning matrix is that of the parent times the move.
  for (const helper of drivers.helpers) multiply(matrices[helper.joint], above(helper.joint), helperMove(rig, helper, moves[helper.by], drivers.swing, drivers.twist));
  for (const key of drivers.keys) {
    const move = moves[key.by], value = move.still ? 0 : mixed(key.mix, 0, turnFunctions(clampTurn(move.turn, drivers.swing, drivers.twist)));
    keys.set(key.name, Math.min(Math.max(value, 0), 1));
  }
  return keys;
}

