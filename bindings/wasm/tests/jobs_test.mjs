// SPDX-License-Identifier: Apache-2.0
// The studio's jobs in WebAssembly, against the native program.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { apart, module, native, readObj, refuses, work } from './support.mjs';

native('make', 'biped', '--resolution', 3000, '-o', 'biped.glb');
native('convert', 'biped.glb', '-o', 'bare.obj');

const read = (name) => ({ name, bytes: new Uint8Array(fs.readFileSync(path.join(work, name))) });
const run = (request, ...names) => module.run(JSON.stringify({ file: '0', ...request }), names.map(read));
const write = (name, made) => fs.writeFileSync(path.join(work, name), made.bytes);

test('a mesh becomes the rig that the program makes of it', () => {
  const steps = [];
  module.onProgress((stage, fraction) => steps.push([stage, fraction]));
  const started = process.cpuUsage();
  const made = run({ kind: 'rig', weights: 'bbw', names: 'mixamo', quality: 'fast' }, 'bare.obj');
  console.log(`${(process.cpuUsage(started).user / 1e6).toFixed(1)} s of CPU in WebAssembly`);
  module.onProgress(null);
  assert.equal(made.name, 'bare.glb');
  assert.ok(made.text.some((line) => /joints .* were found/.test(line)), made.text.join(' '));
  assert.ok(steps.length > 5 && steps.every(([, f], k) => k === 0 || f >= steps[k - 1][1]), 'progress goes on');
  write('made.glb', made);
  native('rig', 'bare.obj', '-o', 'native.glb');
  const options = ['--deformer', 'lbs', '--set', 'LeftArm=0,0,40', '--set', 'LeftLeg=50,0,0'];
  native('pose', 'made.glb', ...options, '-o', 'made_pose.obj');
  native('pose', 'native.glb', ...options, '-o', 'native_pose.obj');
  const off = apart(readObj('made_pose.obj'), readObj('native_pose.obj'));
  assert.ok(off < 1e-3, `${off} apart, of a body 1.8 high`);
});

test('an export is the certificate and the file of the program', () => {
  const made = run({ kind: 'export', target: 'web' }, 'biped.glb');
  assert.equal(made.name, 'biped.web.glb');
  write('web.glb', made);
  native('export', 'biped.glb', '--for', 'web', '-o', 'native_web.glb');
  const info = (name) => JSON.parse(native('info', name, '--json'));
  assert.deepEqual(info('web.glb').joints.length, info('native_web.glb').joints.length);
  assert.ok(JSON.parse(made.report).rms < 0.02);
});

test('a motion, a check and an elastic reference', () => {
  native('make', 'biped', '--resolution', 600, '-o', 'other.glb');
  const moved = run({ kind: 'retarget', motion: '1' }, 'biped.glb', 'other.glb');
  write('moved.glb', moved);
  const clips = (name) => JSON.parse(native('info', name, '--json')).clips.length;
  assert.ok(clips('moved.glb') > clips('biped.glb'));
  native('make', 'cylinder', '-o', 'cylinder.glb');
  assert.match(run({ kind: 'check' }, 'cylinder.glb').text[0], /^Grade [A-F]/);
  const reference = run({ kind: 'reference' }, 'cylinder.glb');
  native('pose', 'cylinder.glb', '--deformer', 'elastic', '-o', 'elastic.obj');
  assert.ok(apart(new Float32Array(reference.bytes.slice().buffer), readObj('elastic.obj')) < 1e-4);
});

test('requests that mean nothing are refused', () => {
  refuses(() => module.run('no JSON', []), 2);
  refuses(() => module.run('{"kind":"dance","file":"0"}', [read('biped.glb')]), 2);
  refuses(() => module.run('{"kind":"check","file":"7"}', [read('biped.glb')]), 5);
  refuses(() => run({ kind: 'export', target: 'vrm' }, 'biped.glb'), 2);
  const { weights, templates, names, targets } = JSON.parse(module.choices());
  assert.ok(weights.some((w) => w.name === 'bbw') && templates.includes('biped') && names.includes('mixamo') && targets.includes('web'));
});
