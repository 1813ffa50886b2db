// SPDX-License-Identifier: Apache-2.0
// Cages, point handles and as-rigid-as-possible, dragged, against the native program.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { apart, joint, native, readObj, refuses, sameAsNative, size, withSession, work } from './support.mjs';

native('make', 'arm', '--resolution', 600, '-o', 'arm.glb');
native('cage', 'bind', 'arm.glb', '--auto', '--resolution', 5, '-o', 'caged.glb');
native('cage', 'bind', 'arm.glb', '--auto', '--resolution', 5, '--dynamic', '-o', 'dynamic.glb');
native('handles', 'arm.glb', '-o', 'points.glb');
native('convert', 'arm.glb', '-o', 'bare.obj');

/** Control points moved by a smooth field that no rigid motion makes. */
const moved = (points) => points.map((value, k) => value + 0.03 * Math.sin(20 * points[k - (k % 3)] + k));
const write = (name, value) => fs.writeFileSync(path.join(work, name), value);
const obj = (points) => Array.from({ length: points.length / 3 }, (_, i) => `v ${points.slice(3 * i, 3 * i + 3).join(' ')}\n`).join('');

for (const file of ['caged.glb', 'dynamic.glb'])
  test(`the cage of ${file} carries the mesh as natively`, () =>
    withSession(file, (session) => {
      const { cages } = session.info();
      assert.equal(cages.length, 1);
      assert.ok(cages[0].controls > 3 && cages[0].edges.length > 0);
      const points = Array.from(session.cage(0));
      assert.equal(points.length, 3 * cages[0].controls);
      session.setDeformer(0, { deformer: 'cage' });
      const rest = session.evaluate(0).positions.slice();
      session.moveCage(0, Float64Array.from(moved(points)));
      assert.ok(apart(session.cage(0), moved(points)) < 1e-12);
      write('moved.obj', obj(moved(points)));
      native('cage', 'pose', file, '--moved', 'moved.obj', '-o', 'native.obj');
      const shown = session.evaluate(0).positions.slice();
      assert.ok(apart(shown, readObj('native.obj')) <= 1e-5 * size(session));
      assert.ok(apart(shown, rest) > 0.01, 'it moves');
      const pose = session.pose();
      session.moveCage(0, new Float64Array(0));
      assert.deepEqual(session.evaluate(0).positions.slice(), rest, 'and goes back');
      session.setPose(pose);
      assert.deepEqual(session.evaluate(0).positions.slice(), shown, 'and comes again with its pose');
    }));

for (const deformer of ['points', 'points-lbs', 'points-dqs'])
  test(`${deformer} follow their handles as natively`, () =>
    withSession('points.glb', (session) => {
      const { handles } = session.info();
      assert.ok(handles.length >= 3);
      session.setDeformer(0, { deformer });
      const hand = joint(session, 'Hand');
      const h = handles.findIndex((handle) => handle.joint === hand);
      const now = session.handle(h);
      const half = 0.4;
      const target = { handle: h, position: [now[0] + 0.02, now[1] - 0.15, now[2] + 0.1], rotation: [Math.sin(half), 0, 0, Math.cos(half)] };
      session.moveHandle(h, target.position, target.rotation);
      session.setAngles(joint(session, 'ForeArm'), [0, 20, 0]);
      write('handles.json', JSON.stringify([target]));
      const shown = sameAsNative(session, 'points.glb', ['--set', 'ForeArm=0,20,0', '--handles', 'handles.json', '--deformer', deformer]);
      const saved = session.pose();
      session.releaseHandle(h);
      sameAsNative(session, 'points.glb', ['--set', 'ForeArm=0,20,0', '--deformer', deformer]);
      session.setPose(saved);
      assert.deepEqual(session.evaluate(0).positions.slice(), shown);
    }));

const pulls = [{ vertex: 3, position: [-0.05, 0, 0.05] }, { vertex: 250, position: [0.3, 0.1, 0.02] }, { vertex: 500, position: [0.6, 0.3, -0.1] }];

test('as rigid as possible with handles that are given', () =>
  withSession('arm.glb', (session) => {
    session.setDeformer(0, { deformer: 'arap', handles: pulls, iterations: 20 });
    sameAsNative(session, 'arm.glb', ['--deformer', 'arap', '--iterations', 20, ...pulls.flatMap((p) => ['--handle', `${p.vertex}=${p.position}`])]);
  }));

test('a drag ends where the native solver ends', () =>
  withSession('bare.obj', (session) => {
    // Far pulls have several shapes of least energy nearby; of near ones all starts find the same.
    const rest = session.rest();
    const pulls = [3, 120, 250, 380, 500].map((vertex, k) => ({
      vertex, position: [0, 1, 2].map((axis) => rest[3 * vertex + axis] + 0.02 * Math.cos(3 * k + axis)) }));
    session.arapBegin(Uint32Array.from(pulls.map((p) => p.vertex)), 0);
    const targets = Float64Array.from(pulls.flatMap((p) => p.position));
    let frame = session.arapDrag(targets, 1);
    const first = frame.positions.slice();
    for (let k = 0; k < 8; ++k) frame = session.arapDrag(targets, 500);
    const shown = frame.positions.slice();
    pulls.forEach((p) => assert.ok(apart(shown.slice(3 * p.vertex, 3 * p.vertex + 3), p.position) < 1e-6, 'held'));
    assert.ok(apart(first, shown) > 1e-4, 'steps bring it nearer');
    native('pose', 'bare.obj', '--deformer', 'arap', '--iterations', 4000, ...pulls.flatMap((p) => ['--handle', `${p.vertex}=${p.position}`]), '-o', 'native.obj');
    assert.ok(apart(shown, readObj('native.obj')) <= 1e-5 * size(session), `${apart(shown, readObj('native.obj'))}`);
    frame.normals.forEach((value) => assert.ok(Number.isFinite(value)));
    session.arapEnd();
    refuses(() => session.arapDrag(targets, 1), 2, /begin/);
  }));

test('a drag begins from the pose that is shown', () =>
  withSession('arm.glb', (session) => {
    session.setDeformer(1, { deformer: 'dqs' });
    session.setAngles(joint(session, 'ForeArm'), [0, 50, 0]);
    const shown = session.evaluate(1).positions.slice();
    const held = [3, 250, 500];
    session.arapBegin(Uint32Array.from(held), 1);
    const targets = Float64Array.from(held.flatMap((i) => Array.from(shown.slice(3 * i, 3 * i + 3))));
    assert.ok(apart(session.arapDrag(targets, 10).positions, shown) < 1e-5 * size(session), 'nothing pulls, nothing moves');
  }));
