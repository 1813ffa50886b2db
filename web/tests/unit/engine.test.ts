// SPDX-License-Identifier: Apache-2.0
import { expect, test, vi } from 'vitest';
import { Engine, type WorkerLike } from '../../src/engine';
import type { Ask, Call, Frame, PoseState, Reply } from '../../src/protocol';

/** A worker that answers when it is told to. */
class StandIn implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  calls: Call[] = [];
  ended = false;
  postMessage(message: unknown): void {
    this.calls.push(message as Call);
  }
  terminate(): void {
    this.ended = true;
  }
  async answer(value: unknown): Promise<void> {
    const call = this.calls.shift();
    this.onmessage?.({ data: { id: call?.id ?? 0, answer: value } } as MessageEvent<Reply>);
    await settle();
  }
  async fail(error: string, code: number): Promise<void> {
    const call = this.calls.shift();
    this.onmessage?.({ data: { id: call?.id ?? 0, error, code } } as MessageEvent<Reply>);
    await settle();
  }
}
const settle = () => new Promise<void>((done) => setTimeout(done));
const frame = (n: number): Frame =>
  ({ slots: [], pose: { locals: Float64Array.of(n) } as PoseState }) as unknown as Frame;

async function started() {
  const workers: StandIn[] = [];
  const events = { frame: vi.fn(), crashed: vi.fn(), recovered: vi.fn() };
  const engine = new Engine(
    () => {
      workers.push(new StandIn());
      return workers[workers.length - 1];
    },
    'base',
    false,
    events,
  );
  const loaded = engine.load();
  await workers[0].answer({});
  await loaded;
  return { engine, workers, events };
}
const opsOf = (worker: StandIn) => (worker.calls[0].ask as Ask<'frame'>).ops;

test('while one frame is made, only the newest of a gesture waits', async () => {
  const { engine, workers, events } = await started();
  const turn = (x: number) => [{ op: 'angles' as const, joint: 0, degrees: [x, 0, 0] as [number, number, number] }];
  const all = [1, 2, 3].map((x) => engine.change(turn(x), 'gesture'));
  expect(workers[0].calls).toHaveLength(1);
  await workers[0].answer(frame(1));
  expect(opsOf(workers[0])).toEqual(turn(3));
  await workers[0].answer(frame(3));
  expect(workers[0].calls).toHaveLength(0);
  expect((await Promise.all(all)).map((f) => f.pose.locals[0])).toEqual([1, 3, 3]);
  expect(events.frame).toHaveBeenCalledTimes(2);
});

test('changes without a key are all made, in their order', async () => {
  const { engine, workers } = await started();
  void engine.change([{ op: 'reset' }]);
  void engine.change([{ op: 'key', key: 0, weight: 1 }]);
  void engine.change([{ op: 'key', key: 1, weight: 1 }]);
  await workers[0].answer(frame(1));
  expect(opsOf(workers[0])).toEqual([
    { op: 'key', key: 0, weight: 1 },
    { op: 'key', key: 1, weight: 1 },
  ]);
});

test('an error of the session is the caller’s, and the worker stays', async () => {
  const { engine, workers, events } = await started();
  const change = engine.change([{ op: 'reset' }]);
  const caught = change.catch((error: Error) => error.message);
  await workers[0].fail('no such joint', 2);
  expect(await caught).toBe('no such joint');
  expect(workers).toHaveLength(1);
  expect(events.crashed).not.toHaveBeenCalled();
});

test('a worker that died is started again with file, deformer and pose', async () => {
  const { engine, workers, events } = await started();
  const bytes = Uint8Array.of(1, 2, 3);
  const opened = engine.open(bytes, 'a.glb');
  await workers[0].answer({});
  await opened;
  const set = engine.setDeformer(0, { deformer: 'dqs' });
  await workers[0].answer([]);
  await set;
  const posed = engine.change([]);
  await workers[0].answer(frame(7));
  await posed;
  const lost = engine.change([{ op: 'reset' }]).catch((error: Error) => error.message);
  workers[0].onerror?.({ message: 'out of bounds' } as ErrorEvent);
  expect(await lost).toBe('out of bounds');
  expect(workers[0].ended).toBe(true);
  expect(events.crashed).toHaveBeenCalledWith('out of bounds');
  await workers[1].answer({});
  expect(workers[1].calls[0]).toMatchObject({ kind: 'open', ask: { name: 'a.glb', bytes } });
  await workers[1].answer({});
  expect(workers[1].calls[0]).toMatchObject({ kind: 'deformer', ask: { settings: { deformer: 'dqs' } } });
  await workers[1].answer([]);
  expect(opsOf(workers[1])).toMatchObject([{ op: 'setPose', pose: { locals: Float64Array.of(7) } }]);
  await workers[1].answer(frame(7));
  expect(events.recovered).toHaveBeenCalledTimes(1);
});

test('a worker that dies on the way back is not started for ever', async () => {
  const { workers, events } = await started();
  workers[0].onerror?.({ message: 'first' } as ErrorEvent);
  workers[1].onerror?.({ message: 'second' } as ErrorEvent);
  await settle();
  expect(workers).toHaveLength(2);
  expect(events.crashed).toHaveBeenLastCalledWith('It could not be started again: second');
});

test('what was painted is painted again after a crash, in the pose it was painted in, without what was undone', async () => {
  const { engine, workers, events } = await started();
  const opened = engine.open(Uint8Array.of(1), 'a.glb');
  await workers[0].answer({});
  await opened;
  const posed = engine.change([]);
  await workers[0].answer(frame(7));
  await posed;
  const stroke = {} as Ask<'paint'>['stroke'];
  for (const [vertex, begin, strokes] of [
    [1, true, 1],
    [2, false, 1],
    [3, true, 2],
  ] as const) {
    const painted = engine.paint({ stroke, dabs: Float64Array.of(vertex), begin, slots: [0] });
    await workers[0].answer({ strokes });
    await painted;
  }
  const undone = engine.paintTo({ strokes: 1, kind: 'weight', joint: 0, slots: [0] });
  await workers[0].answer({ strokes: 1 });
  await undone;
  workers[0].onerror?.({ message: 'out of bounds' } as ErrorEvent);
  await workers[1].answer({});
  await workers[1].answer({});
  for (const vertex of [1, 2]) {
    expect(opsOf(workers[1])).toMatchObject([{ op: 'setPose', pose: { locals: Float64Array.of(7) } }]);
    await workers[1].answer(frame(7));
    expect(workers[1].calls[0]).toMatchObject({ kind: 'paint', ask: { dabs: Float64Array.of(vertex) } });
    await workers[1].answer({ strokes: 1 });
  }
  await workers[1].answer(frame(7));
  expect(events.recovered).toHaveBeenCalledTimes(1);
});
