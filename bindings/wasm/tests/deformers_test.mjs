// SPDX-License-Identifier: Apache-2.0
// Every deformer, in WebAssembly against the native program.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { apart, data, joint, module, native, open, sameAsNative, size, withSession } from './support.mjs';

native('make', 'arm', '--resolution', 600, '-o', 'arm.glb');
native('rig', 'arm.glb', '-o', 'rigged.glb');
native('handles', 'rigged.glb', '-o', 'points.glb');
native('cage', 'bind', 'points.glb', '--auto', '--resolution', 5, '-o', 'whole.glb');

const bend = { UpperArm: [10, 20, -30], ForeArm: [15, -60, 40], Hand: [70, 0, 20] };
const words = Object.entries(bend).flatMap(([name, degrees]) => ['--set', `${name}=${degrees}`]);

// The elastic body is solved until a step lowers its energy by less than 1e-4 of it: two machines whose sums differ in
// the last bit may stop a step apart, each as near to the least energy as the other.
const most = (deformer) => (deformer.startsWith('elastic') ? 1e-4 : 1e-5);

function turn(session) {
  for (const [name, degrees] of Object.entries(bend)) session.setAngles(joint(session, name), degrees);
}

for (const { name } of module.deformers())
  for (const deformer of [name, `${name}+mush`])
    test(`${deformer} bends the arm as natively`, () =>
      withSession('whole.glb', (session) => {
        turn(session);
        session.setDeformer(0, { deformer });
        const shown = sameAsNative(session, 'whole.glb', [...words, '--deformer', deformer], { most: most(deformer) });
        assert.ok(apart(shown, session.rest()) > 0.1 * size(session), 'it moves');
      }));

test('what a rig lacks is computed, and told', () =>
  withSession('arm.glb', (session) => {
    turn(session);
    for (const deformer of ['swing-twist', 'joint-dqs', 'stretch-lbs', 'curve']) {
      const warnings = session.setDeformer(0, { deformer });
      // Joint weights and endpoint weights are made once, for all that need them.
      const told = warnings.some((warning) => warning.includes('computed'));
      assert.equal(told, deformer === 'swing-twist' || deformer === 'stretch-lbs', `${deformer}: ${warnings}`);
      sameAsNative(session, 'arm.glb', [...words, '--deformer', deformer]);
    }
  }));

test('the table of settings has each once, with what its deformers take for granted', () => {
  const table = module.settings();
  assert.equal(new Set(table.map((s) => s.name)).size, table.length);
  const named = (name) => table.find((s) => s.name === name);
  assert.deepEqual(named('iterations').owners, { arap: 30, points: 6 });
  assert.deepEqual(named('blend').words, ['polar', 'explog']);
  assert.equal(named('mix').least, 0);
  assert.equal(named('mushPasses').kind, 'whole');
  withSession('rigged.glb', (session) => {
    const stored = session.storedDeformer();
    for (const { name } of table) assert.notEqual(stored[name], undefined, name);
    for (const { name, kind } of table)
      assert.throws(() => session.setDeformer(0, { deformer: 'lbs', [name]: kind === 'flag' ? 3 : true }), (error) => error.code === 2);
    assert.throws(() => session.setDeformer(0, { deformer: 'lbs', mushPasses: -1 }), /^Error: mushPasses is -1/);
  });
});

test('settings say what options say', () =>
  withSession('rigged.glb', (session) => {
    turn(session);
    for (const [settings, options] of [
      [{ deformer: 'mix', mix: 0.2 }, ['--mix', 0.2]],
      [{ deformer: 'decomposed', blend: 'explog' }, ['--blend', 'explog']],
      [{ deformer: 'swing-twist', joint: { ForeArm: 'dqs', Hand: 'linear' } }, ['--joint', 'ForeArm=dqs', '--joint', 'Hand=linear']],
      [{ deformer: 'swing-twist', fastTwist: true }, ['--fast-twist']],
      [{ deformer: 'curve', segments: 3, ease: 0.5 }, ['--segments', 3, '--ease', 0.5]],
      [{ deformer: 'volume', amount: 0.3 }, ['--amount', 0.3]],
      [{ deformer: 'lbs+mush', mushPasses: 3, mushStep: 0.25 }, ['--mush-passes', 3, '--mush-step', 0.25]],
      [{ deformer: 'differential', springs: 0.1, place: 'body' }, ['--springs', 0.1, '--place', 'body']],
      [{ deformer: 'lbs', remove: 'scale' }, ['--remove', 'scale']],
      [{ deformer: 'arap', iterations: 3 }, ['--iterations', 3]],
      [{ deformer: 'elastic', stiffness: { ForeArm: 4 }, voxels: 12 }, ['--stiffness', 'ForeArm=4', '--voxels', 12]],
    ]) {
      session.setDeformer(0, settings);
      sameAsNative(session, 'rigged.glb', [...words, '--deformer', settings.deformer, ...options], { most: most(settings.deformer) });
    }
  }));

test('two slots show two deformers of one pose', () =>
  withSession('rigged.glb', (session) => {
    session.setDeformer(0, { deformer: 'lbs' });
    session.setDeformer(1, { deformer: 'dqs' });
    turn(session);
    const linear = sameAsNative(session, 'rigged.glb', [...words, '--deformer', 'lbs'], { slot: 0 });
    const dual = sameAsNative(session, 'rigged.glb', [...words, '--deformer', 'dqs'], { slot: 1 });
    assert.ok(apart(linear, dual) > 1e-3 * size(session));
  }));

test('a slot without a deformer shows the one of the file', () => {
  native('stack', 'rigged.glb', '--deformer', 'dqs', '-o', 'stored.glb');
  withSession('stored.glb', (session) => {
    assert.equal(session.storedDeformer().deformer, 'dqs');
    turn(session);
    sameAsNative(session, 'stored.glb', [...words, '--deformer', 'dqs']);
  });
});

test('normals are those of the native result', () =>
  withSession('rigged.glb', (session) => {
    turn(session);
    session.setDeformer(0, { deformer: 'swing-twist' });
    const normals = session.evaluate(0).normals.slice();
    native('pose', 'rigged.glb', ...words, '--deformer', 'swing-twist', '-o', 'normals.ply');
    withSession('normals.ply', (posed) => {
      // A mesh that nothing moves has the normals of the file.
      assert.ok(apart(normals, posed.evaluate(0).normals) < 1e-5);
    });
  }));

test('every rig of the data bends as natively', { skip: !data && 'no test data: set SINEW_DATA' }, () => {
  const folder = path.join(data, 'rigged_gltf');
  const rigs = fs.readdirSync(folder, { recursive: true }).map(String).filter((name) => name.endsWith('.glb')).sort();
  assert.ok(rigs.length > 0);
  for (const name of rigs) {
    const file = path.join(folder, name);
    const session = open(file);
    const info = session.info();
    if (info.vertices > 0 && info.vertices < 20000 && info.clips.length > 0) {
      session.setClip(0, info.clips[0].duration / 3);
      for (const deformer of ['lbs', 'dqs', 'stretch-lbs']) {
        session.setDeformer(0, { deformer });
        sameAsNative(session, file, ['--clip', 0, '--time', info.clips[0].duration / 3, '--deformer', deformer], { what: `${name} ${deformer}` });
      }
    }
    session.delete();
  }
});
