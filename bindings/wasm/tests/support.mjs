// SPDX-License-Identifier: Apache-2.0
// What the tests share: the module, the native program, and how far two results lie apart.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from '../node.mjs';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
export const build = process.env.SINEW_WASM ?? path.join(root, 'build/wasm');
export const program = process.env.SINEW_PROGRAM ?? path.join(root, 'build/release/sinew');
const named = process.env.SINEW_DATA ?? path.join(root, '../shared/data');
/** The folder of test data, or null. */
export const data = fs.existsSync(path.join(named, 'rigged_gltf')) ? named : null;

export const work = fs.mkdtempSync(path.join(os.tmpdir(), 'sinew-wasm-'));
process.on('exit', () => fs.rmSync(work, { recursive: true, force: true }));

export const module = await load(build);

/** Runs the native program; its outputs lie in `work`. */
export function native(...words) {
  const done = spawnSync(program, [...words.map(String), '--quiet', '--force'], { cwd: work, encoding: 'utf8' });
  assert.equal(done.status, 0, `sinew ${words.join(' ')}: ${done.stderr}`);
  return done.stdout;
}

export function open(file) {
  const full = path.resolve(work, file);
  return module.open(new Uint8Array(fs.readFileSync(full)), path.basename(full));
}

/** Runs `use` with a session that is given back afterwards. */
export function withSession(file, use) {
  const session = open(file);
  try {
    return use(session);
  } finally {
    session.delete();
  }
}

export function joint(session, name) {
  const found = session.info().joints.findIndex((j) => j.name === name);
  assert.ok(found >= 0, `there is a joint ${name}`);
  return found;
}

/** Positions of an .obj of ours. */
export function readObj(file) {
  const numbers = [];
  for (const line of fs.readFileSync(path.resolve(work, file), 'utf8').split('\n')) {
    if (line.startsWith('v ')) numbers.push(...line.slice(2).trim().split(/\s+/).slice(0, 3).map(Number));
  }
  return numbers;
}

export function size(session) {
  const box = session.info().box;
  return Math.hypot(box[3] - box[0], box[4] - box[1], box[5] - box[2]);
}

/** The largest distance between two lists of points. */
export function apart(a, b) {
  assert.equal(a.length, b.length);
  let most = 0;
  for (let i = 0; i < a.length; i += 3) {
    const distance = Math.hypot(a[i] - b[i], a[i + 1] - b[i + 1], a[i + 2] - b[i + 2]);
    if (!(distance <= most)) most = distance; // also what is no number
  }
  return most;
}

/** The diagonal of the box around points. */
export function diagonal(points) {
  const sides = [0, 1, 2].map((axis) => {
    let least = Infinity, most = -Infinity;
    for (let i = axis; i < points.length; i += 3) {
      least = Math.min(least, points[i]);
      most = Math.max(most, points[i]);
    }
    return most - least;
  });
  return Math.hypot(...sides);
}

/** Poses natively with `words`, and asks that the slot shows the same to 1e-5 of the size. */
export function sameAsNative(session, file, words, { what = words.join(' '), slot = 0, most = 1e-5 } = {}) {
  native('pose', file, ...words, '-o', 'native.obj');
  const shown = session.evaluate(slot).positions.slice(), expected = readObj('native.obj');
  const distance = apart(shown, expected) / diagonal(expected);
  assert.ok(distance <= most, `${what}: ${distance} of the size apart`);
  return shown;
}

/** Asks that a call throws an Error with this code and a sentence. */
export function refuses(call, code, pattern = /./) {
  assert.throws(call, (error) => {
    assert.ok(error instanceof Error, `an Error, not ${error}`);
    assert.equal(error.code, code, error.message);
    assert.match(error.message, pattern);
    return true;
  });
}
