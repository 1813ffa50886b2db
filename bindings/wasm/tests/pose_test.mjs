// SPDX-License-Identifier: Apache-2.0
// Poses: what the command line can say gives its result; what only hands do keeps what it promises.
import assert from 'node:assert/strict';
import test from 'node:test';
import { apart, joint, native, sameAsNative, size, withSession } from './support.mjs';

native('make', 'biped', '--resolution', 1500, '-o', 'biped.glb');
native('pose', 'biped.glb', '--set', 'Spine=0,0,15', '-o', 'lean.obj');
native('pose', 'biped.glb', '--set', 'LeftArm=0,0,40', '-o', 'wave.obj');
native('keys', 'add', 'biped.glb', '--key', 'lean=lean.obj', '--key', 'wave=wave.obj', '-o', 'keys.glb');

const heads = (session) => {
  const globals = session.globals();
  return Array.from({ length: globals.length / 16 }, (_, j) => Array.from(globals.slice(16 * j + 12, 16 * j + 15)));
};
const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
const near = (a, b, most, what) => assert.ok(distance(a, b) <= most, `${what}: ${a} and ${b}`);

test('turns, stretches and twists as --set, --stretch and --twist', () =>
  withSession('biped.glb', (session) => {
    session.setAngles(joint(session, 'LeftArm'), [10, 20, -50]);
    session.setAngles(joint(session, 'Spine'), [0, 35, 5]);
    session.setShape(joint(session, 'LeftForeArm'), 1.6, 0.5, -1.2);
    session.setShape(joint(session, 'RightUpLeg'), 0.7, 0, 2);
    const degrees = (radians) => (radians * 180) / Math.PI;
    for (const deformer of ['lbs', 'stretch-lbs', 'stretch-dqs', 'curve']) {
      session.setDeformer(0, { deformer });
      sameAsNative(session, 'biped.glb', ['--set', 'LeftArm=10,20,-50', '--set', 'Spine=0,35,5',
        '--stretch', 'LeftForeArm=1.6', '--twist', `LeftForeArm=${degrees(0.5)},${degrees(-1.2)}`,
        '--stretch', 'RightUpLeg=0.7', '--twist', `RightUpLeg=0,${degrees(2)}`, '--deformer', deformer]);
    }
    session.setShape(joint(session, 'LeftForeArm'), 1, 0, 0); // a shape is what it is, not what came before
    session.setShape(joint(session, 'RightUpLeg'), 1, 0, 0);
    sameAsNative(session, 'biped.glb', ['--set', 'LeftArm=10,20,-50', '--set', 'Spine=0,35,5', '--deformer', 'curve']);
  }));

test('keys in every space', () =>
  withSession('keys.glb', (session) => {
    assert.deepEqual(session.info().keys.map((key) => key.name), ['lean', 'wave']);
    session.setKey(0, 0.8);
    session.setKey(1, -0.25);
    session.setAngles(joint(session, 'LeftArm'), [0, 0, 30]);
    for (const keySpace of ['object', 'tangent', 'differential']) {
      session.setDeformer(0, { deformer: 'lbs', keySpace });
      sameAsNative(session, 'keys.glb', ['--key', 'lean=0.8', '--key', 'wave=-0.25', '--set', 'LeftArm=0,0,30', '--key-space', keySpace]);
    }
  }));

test('clips at any time, also beyond their end', () =>
  withSession('biped.glb', (session) => {
    const clip = session.info().clips[0];
    session.setDeformer(0, { deformer: 'dqs' });
    for (const time of [0, 0.31, clip.duration / 2, clip.duration + 5]) {
      session.setClip(0, time);
      sameAsNative(session, 'biped.glb', ['--clip', clip.name, '--time', time, '--deformer', 'dqs']);
    }
  }));

test('a pose that was taken comes back to the bit, and reset is the file', () =>
  withSession('keys.glb', (session) => {
    session.setDeformer(0, { deformer: 'stretch-dqs' });
    const rest = session.evaluate(0).positions.slice();
    session.setClip(0, 0.4);
    session.setShape(3, 1.3, 0.1, 0.2);
    session.setKey(1, 0.5);
    const pose = session.pose();
    const shown = session.evaluate(0).positions.slice();
    session.resetPose();
    assert.deepEqual(session.evaluate(0).positions.slice(), rest);
    session.setPose(pose);
    assert.deepEqual(session.evaluate(0).positions.slice(), shown);
    assert.deepEqual(session.pose(), pose);
  }));

test('angles are those that were set', () =>
  withSession('biped.glb', (session) => {
    const arm = joint(session, 'LeftArm');
    session.setAngles(joint(session, 'Spine'), [5, 50, 5]);
    session.setAngles(arm, [40, -60, 120]);
    near(session.angles(arm), [40, -60, 120], 1e-9, 'angles');
  }));

test('a turn in the world is about the head and carries what is below', () =>
  withSession('biped.glb', (session) => {
    const arm = joint(session, 'LeftArm'), hand = joint(session, 'LeftHand');
    session.setClip(0, 0.2);
    const before = heads(session);
    const half = Math.PI / 4; // a quarter turn about z
    session.rotateJoint(arm, 0, 0, Math.sin(half), Math.cos(half));
    const after = heads(session);
    near(after[arm], before[arm], 1e-12, 'the head stays');
    const [x, y, z] = before[hand].map((value, k) => value - before[arm][k]);
    near(after[hand], [before[arm][0] - y, before[arm][1] + x, before[arm][2] + z], 1e-9, 'the hand turns');
    session.translateJoint(0, 1, 2, 3);
    near(heads(session)[hand], after[hand].map((value, k) => value + [1, 2, 3][k]), 1e-9, 'the root takes all along');
  }));

test('a dragged joint lies where it was dragged, its bone stretched', () =>
  withSession('biped.glb', (session) => {
    const elbow = joint(session, 'LeftForeArm'), shoulder = joint(session, 'LeftArm'), hand = joint(session, 'LeftHand');
    const before = heads(session);
    const place = before[elbow].map((value, k) => value + [0.1, -0.2, 0.15][k]);
    session.dragJoint(elbow, ...place);
    const after = heads(session);
    near(after[elbow], place, 1e-12, 'the elbow');
    near(after[shoulder], before[shoulder], 1e-12, 'the shoulder');
    assert.ok(Math.abs(distance(after[hand], after[elbow]) - distance(before[hand], before[elbow])) < 1e-12, 'the forearm keeps its length');
    const stretch = session.pose().shapes[3 * shoulder];
    assert.ok(Math.abs(stretch - distance(after[elbow], after[shoulder]) / distance(before[elbow], before[shoulder])) < 1e-6);
    const segments = session.segments();
    near(segments.slice(6 * shoulder + 3, 6 * shoulder + 6), place, 1e-12, 'the bone ends there');
  }));

test('a hand reaches, or says how far it is off', () =>
  withSession('biped.glb', (session) => {
    const hand = joint(session, 'LeftHand'), elbow = joint(session, 'LeftForeArm'), shoulder = joint(session, 'LeftArm');
    const before = heads(session);
    const upper = distance(before[elbow], before[shoulder]), lower = distance(before[hand], before[elbow]);
    const place = before[shoulder].map((value, k) => value + (upper + lower) * [0.4, -0.5, 0.3][k]);
    assert.ok(session.reach(hand, ...place, 2) < 1e-6);
    let after = heads(session);
    near(after[hand], place, 1e-6, 'the hand');
    near(after[shoulder], before[shoulder], 1e-12, 'the shoulder stays');
    assert.ok(Math.abs(distance(after[elbow], after[shoulder]) - upper) < 1e-9, 'the upper arm keeps its length');
    // The law of cosines knows the angle at the elbow.
    const reach = distance(place, before[shoulder]);
    const cosine = (upper ** 2 + lower ** 2 - reach ** 2) / (2 * upper * lower);
    const [a, b] = [after[shoulder], after[hand]].map((p) => p.map((value, k) => value - after[elbow][k]));
    assert.ok(Math.abs((a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (upper * lower) - cosine) < 1e-6);
    const far = before[shoulder].map((value, k) => value + 3 * (upper + lower) * [0, 1, 0][k]);
    const left = session.reach(hand, ...far, 2);
    assert.ok(Math.abs(left - 2 * (upper + lower)) < 1e-3, `${left} left`);
  }));

test('channels are the weights of the file, and those that are made', () =>
  withSession('biped.glb', (session) => {
    const { joints, vertices, channels } = session.info();
    assert.ok(channels.weight && !channels.deformer && !channels.endpoint);
    const sums = { weight: new Float64Array(vertices), deformer: new Float64Array(vertices) };
    joints.forEach((_, j) => {
      for (const kind of ['weight', 'deformer'])
        session.channel(kind, j).forEach((value, i) => {
          if (!Number.isNaN(value)) sums[kind][i] += value;
        });
      for (const kind of ['swing', 'twist', 'endpoint'])
        session.channel(kind, j).forEach((value) => assert.ok(Number.isNaN(value) || (value >= 0 && value <= 1), kind));
    });
    for (const kind of ['weight', 'deformer'])
      sums[kind].forEach((sum, i) => assert.ok(Math.abs(sum - 1) < 1e-5, `${kind} of vertex ${i} sums to ${sum}`));
  }));

test('the mesh has its triangles, edges and box', () =>
  withSession('biped.glb', (session) => {
    const info = session.info();
    const triangles = session.triangles(), edges = session.edges(), rest = session.rest();
    assert.equal(rest.length, 3 * info.vertices);
    assert.equal(triangles.length, 3 * info.triangles);
    assert.equal(info.triangles, 2 * info.faces, 'quads');
    assert.equal(edges.length / 2, 2 * info.faces, 'a closed mesh of quads has two edges a face');
    assert.ok(triangles.every((i) => i < info.vertices) && edges.every((i) => i < info.vertices));
    assert.ok(Math.abs(Math.max(...rest.filter((_, i) => i % 3 === 1)) - info.box[4]) < 1e-6);
    assert.ok(size(session) > 1 && apart(rest, rest) === 0);
  }));
