// SPDX-License-Identifier: Apache-2.0
// Files in and out: what is read natively is read here, what is broken is an Error, what is saved is read natively.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import test from 'node:test';
import { apart, build, data, joint, module, native, open, program, readObj, refuses, size, withSession, work } from './support.mjs';

native('make', 'arm', '--resolution', 600, '-o', 'arm.glb');
native('rig', 'arm.glb', '-o', 'rigged.glb');
native('handles', 'rigged.glb', '-o', 'points.glb');

const info = (file) => JSON.parse(native('info', file, '--json'));

test('a saved pose is the rig in that pose, all else kept', () =>
  withSession('rigged.glb', (session) => {
    session.setAngles(joint(session, 'ForeArm'), [0, 50, 10]);
    session.setShape(joint(session, 'Hand'), 1.4, 0.3, -0.2);
    session.setDeformer(0, { deformer: 'stretch-dqs' });
    fs.writeFileSync(path.join(work, 'saved.glb'), session.save());
    const before = info('rigged.glb'), after = info('saved.glb');
    for (const key of ['vertices', 'faces', 'quads', 'joints', 'joint_names', 'clips', 'unweighted'])
      assert.deepEqual(after[key], before[key], key);
    native('pose', 'saved.glb', '--deformer', 'stretch-dqs', '-o', 'saved.obj');
    assert.ok(apart(session.evaluate(0).positions, readObj('saved.obj')) <= 1e-5 * size(session));
    withSession('saved.glb', (again) => {
      again.setDeformer(0, { deformer: 'stretch-dqs' });
      assert.ok(apart(again.evaluate(0).positions, session.evaluate(0).positions.slice()) <= 1e-5 * size(session));
    });
  }));

test('what handles have pulled is saved as a key', () =>
  withSession('points.glb', (session) => {
    session.setDeformer(0, { deformer: 'points-lbs' });
    const at = session.handle(2);
    session.moveHandle(2, [at[0], at[1] + 0.1, at[2]], [0, 0, 0, 1]);
    fs.writeFileSync(path.join(work, 'pulled.glb'), session.save());
    native('pose', 'pulled.glb', '--deformer', 'lbs', '-o', 'pulled.obj');
    assert.ok(apart(session.evaluate(0).positions, readObj('pulled.obj')) <= 1e-5 * size(session));
  }));

test('meshes are saved as shown', () =>
  withSession('rigged.glb', (session) => {
    session.setAngles(joint(session, 'ForeArm'), [0, 80, 0]);
    session.setDeformer(1, { deformer: 'swing-twist' });
    const shown = session.evaluate(1).positions.slice();
    for (const format of ['obj', 'ply', 'glb']) {
      fs.writeFileSync(path.join(work, `mesh.${format}`), session.saveMesh(1, format));
      native('convert', `mesh.${format}`, '-o', 'back.obj');
      assert.ok(apart(shown, readObj('back.obj')) <= 1e-6 * size(session), format);
    }
    assert.equal(info('mesh.glb').joints, 0);
    refuses(() => session.saveMesh(0, 'stl'), 2, /obj, ply or glb/);
  }));

test('the skeleton as it is now is one that the program takes', () =>
  withSession('rigged.glb', (session) => {
    session.translateJoint(joint(session, 'Hand'), 0.05, 0, 0);
    const { joints } = JSON.parse(session.skeletonJson());
    assert.deepEqual(joints.map((j) => j.name), ['UpperArm', 'ForeArm', 'Hand']);
    assert.deepEqual(joints.map((j) => j.parent), [-1, 0, 1]);
    const globals = session.globals();
    joints.forEach((j, k) => assert.ok(apart(j.position, globals.slice(16 * k + 12, 16 * k + 15)) < 1e-12));
    fs.writeFileSync(path.join(work, 'moved.json'), session.skeletonJson());
    native('weights', 'rigged.glb', '--skeleton', 'moved.json', '--method', 'inverse-distance', '-o', 'bound.glb');
    assert.equal(info('bound.glb').joints, 3);
  }));

test('calls that cannot be are Errors with a code, and the session goes on', () =>
  withSession('rigged.glb', (session) => {
    const before = session.evaluate(0).positions.slice();
    refuses(() => module.open(new TextEncoder().encode('solid'), 'mesh.xyz'), 2, /extension/);
    refuses(() => module.open(new TextEncoder().encode('{}'), 'empty.gltf'), 3);
    refuses(() => module.open([1, 2], 'list.glb'), 2, /Uint8Array/);
    refuses(() => session.setDeformer(0, { deformer: 'best' }), 2, /deformer is 'best'/);
    refuses(() => session.setDeformer(0, {}), 2, /deformer/);
    refuses(() => session.setDeformer(0, { deformer: 'mix', mix: 2 }), 2, /mix/);
    refuses(() => session.setDeformer(0, { deformer: 'mix', mix: 'half' }), 2, /mix/);
    refuses(() => session.setDeformer(2, { deformer: 'lbs' }), 2, /slot/);
    refuses(() => session.setDeformer(0, { deformer: 'points' }), 4, /sinew handles/);
    refuses(() => session.setDeformer(0, { deformer: 'cage' }), 4, /sinew cage/);
    refuses(() => session.setAngles(99, [0, 0, 0]), 2, /there is no joint 99/);
    refuses(() => session.setAngles(-1, [0, 0, 0]), 2);
    refuses(() => session.setAngles(0, [0, NaN, 0]), 2);
    refuses(() => session.setAngles(0, [0, 0]), 2, /three/);
    refuses(() => session.rotateJoint(0, 0, 0, 0, 0), 2);
    refuses(() => session.dragJoint(1, Infinity, 0, 0), 2);
    refuses(() => session.reach(0, 0, 0, 0, 0), 4, /cannot reach/);
    refuses(() => session.setShape(0, 0, 0, 0), 2);
    refuses(() => session.setKey(0, 1), 2);
    refuses(() => session.setClip(9, 0), 2);
    refuses(() => session.channel('colour', 0), 2, /channel/);
    refuses(() => session.cage(0), 2);
    refuses(() => session.moveHandle(0, [0, 0, 0], [0, 0, 0, 1]), 2);
    refuses(() => session.arapBegin(Uint32Array.from([]), 0), 2);
    refuses(() => session.arapBegin(Uint32Array.from([1e9]), 0), 2);
    refuses(() => session.setPose({}), 2);
    refuses(() => session.setPose({ ...session.pose(), locals: new Float64Array(5) }), 2, /locals/);
    const broken = session.pose();
    broken.locals[3] = NaN;
    refuses(() => session.setPose(broken), 2);
    assert.deepEqual(session.evaluate(0).positions.slice(), before);
  }));

test('each module is under 2.5 MB compressed, those that only play under 3.5 MB as they are', () => {
  for (const name of ['sinew.wasm', 'sinew-threads.wasm']) {
    assert.ok(zlib.gzipSync(fs.readFileSync(path.join(build, name))).length < 2.5e6, name);
    assert.ok(fs.statSync(path.join(build, 'player', name)).size < 3.5e6, name);
  }
});

test('neither script needs eval', () => {
  for (const name of ['sinew.js', 'sinew-threads.js'])
    assert.doesNotMatch(fs.readFileSync(path.join(build, name), 'utf8'), /new Function|\beval\(/, name);
});

function filesBelow(folder) {
  return fs.readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const full = path.join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(full) : [full];
  });
}

test('every file of the data is read, or refused as natively', { skip: !data && 'no test data: set SINEW_DATA' }, () => {
  const files = filesBelow(data).filter((name) => /\.(glb|gltf|obj|ply|off|stl|bvh|tgf)$/i.test(name));
  assert.ok(files.length > 50);
  let read = 0, refused = 0;
  for (const file of files) {
    const done = spawnSync(program, ['info', file, '--json', '--quiet'], { encoding: 'utf8', maxBuffer: 1 << 28 });
    let session;
    try {
      session = open(file);
    } catch (error) {
      assert.ok(error instanceof Error && typeof error.code === 'number', `${file}: ${error}`);
      // Buffers beside a .gltf are not there for the page.
      const outside = file.endsWith('.gltf') && /another file|\.uri/.test(error.message);
      assert.ok(outside || done.status === error.code, `${file}: ${error.message}, natively ${done.status}`);
      ++refused;
      continue;
    }
    try {
      assert.equal(done.status, 0, `${file}: natively refused: ${done.stderr}`);
      assert.equal(session.info().vertices, JSON.parse(done.stdout).vertices, file);
      session.setDeformer(0, { deformer: 'lbs' });
      const { positions } = session.evaluate(0);
      assert.equal(positions.length, 3 * session.info().vertices, file);
      session.save();
      ++read;
    } finally {
      session.delete();
    }
  }
  assert.ok(read > 20 && refused > 5, `${read} read, ${refused} refused`);
});
