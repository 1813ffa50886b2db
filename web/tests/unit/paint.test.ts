// SPDX-License-Identifier: Apache-2.0
import { expect, test } from 'vitest';
import type { Api } from '../../src/api';
import { App } from '../../src/app';
import type { Engine } from '../../src/engine';
import type { Runner } from '../../src/jobRunner';
import type { Frame, Painted } from '../../src/protocol';

interface Sent {
  kind: string;
  ask: { dabs?: Float64Array; begin?: boolean; strokes?: number };
  answer(painted: Painted): void;
}

function makeApp() {
  const sent: Sent[] = [];
  const call = (kind: string) => (ask: Sent['ask']) =>
    new Promise<Painted>((answer) => {
      sent.push({ kind, ask, answer });
    });
  const engine = {
    slots: [0],
    paint: call('paint'),
    paintTo: call('paintTo'),
    change: async () => app.state.frame,
  } as unknown as Engine;
  const app = new App(engine, {} as Api, {} as Runner);
  const frame = { slots: [], pose: {} } as unknown as Frame;
  app.store.set({ frame, tool: 'paint', selected: 2 });
  app.pose.start(frame.pose);
  return { app, sent };
}
const painted = (strokes: number): Painted => ({ slots: [], values: new Float32Array(), strokes, milliseconds: 1 });
const settle = () => new Promise((done) => setTimeout(done));
const dab = (vertex: number) => ({ vertex, place: [0, 0, 0] as [number, number, number], pressure: 1 });

test('dabs that come while one is painted go together, and the stroke is one step of undo', async () => {
  const { app, sent } = makeApp();
  app.paint.start(0.1);
  [1, 2, 3].forEach((vertex) => app.paint.dab(dab(vertex)));
  expect(sent.map((s) => [s.kind, s.ask.dabs?.length, s.ask.begin])).toEqual([['paint', 5, true]]);
  sent[0].answer(painted(1));
  await settle();
  expect(sent.map((s) => [s.ask.dabs?.length, s.ask.begin])).toEqual([
    [5, true],
    [10, false],
  ]);
  const ended = app.paint.end();
  sent[1].answer(painted(1));
  await ended;
  expect([app.state.strokes, app.state.canUndo]).toEqual([1, true]);
  const undone = app.pose.undo();
  await settle();
  expect([sent[2].kind, sent[2].ask.strokes]).toEqual(['paintTo', 0]);
  sent[2].answer(painted(0));
  await undone;
  expect([app.state.strokes, app.state.canUndo, app.state.canRedo]).toEqual([0, false, true]);
});

test('a stroke that touches nothing is no step, and a locked joint is not painted', async () => {
  const { app, sent } = makeApp();
  app.paint.start(0.1);
  await app.paint.end();
  expect([sent.length, app.state.canUndo]).toEqual([0, false]);
  app.paint.toggleLock(2);
  expect(app.paint.problem).toMatch(/locked/);
  app.paint.toggleLock(2);
  expect(app.paint.problem).toBeNull();
  app.store.set({ selected: -1 });
  expect(app.paint.problem).toMatch(/Select/);
});
