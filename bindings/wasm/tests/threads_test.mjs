// SPDX-License-Identifier: Apache-2.0
// The build with threads gives the same bits as the one without, for any number of them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { build, native, work } from './support.mjs';

native('make', 'biped', '--resolution', 6000, '-o', 'biped.glb');

// A process of its own: threads keep one alive.
const script = fileURLToPath(new URL('hash_frames.mjs', import.meta.url));
function hashes(threads) {
  const done = spawnSync(process.execPath, [script, build, String(threads), path.join(work, 'biped.glb')], { encoding: 'utf8', timeout: 120_000 });
  assert.equal(done.status, 0, done.stderr.slice(-2000));
  return JSON.parse(done.stdout);
}

test('threads change nothing but the time', () => {
  const one = hashes(1);
  assert.equal(one.threads, 1);
  for (const threads of [2, 4]) {
    const many = hashes(threads);
    assert.equal(many.threads, threads);
    assert.deepEqual(many.frames, one.frames);
  }
});

test('errors come out of the build with threads, too', () => {
  const { errors } = hashes(2);
  assert.deepEqual(errors, hashes(1).errors);
  assert.deepEqual(errors.map(([code]) => code), [3, 2, 6]);
});
