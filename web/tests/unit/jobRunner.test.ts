// SPDX-License-Identifier: Apache-2.0
import { expect, test, vi } from 'vitest';
import { ApiError, type Api, type JobState } from '../../src/api';
import { Cancelled, type JobCall, type JobReply, type JobWorker, LocalRunner, ServerRunner } from '../../src/jobRunner';

const state = (patch: Partial<JobState>): JobState => ({
  id: '1',
  kind: 'rig',
  state: 'running',
  stage: 'weights',
  fraction: 0.5,
  seconds: 1,
  ...patch,
});
function runner(answers: (JobState | Error)[]) {
  const cancelJob = vi.fn(async () => undefined);
  const job = vi.fn(async () => {
    const answer = answers.shift();
    if (answer instanceof Error) throw answer;
    return answer as JobState;
  });
  const bytes = async () => new Uint8Array([7]);
  const api = { startJob: async () => '1', job, cancelJob, bytes } as unknown as Api;
  return { runner: new ServerRunner(api, async () => undefined), cancelJob };
}
const request = { kind: 'reference' as const };
const files = [{ name: 'a.glb', bytes: new Uint8Array([1]), id: 'f' }];

test('progress is told until the result is there', async () => {
  const seen: number[] = [];
  const { runner: jobs } = runner([
    state({ fraction: 0.25 }),
    state({}),
    state({ state: 'done', fraction: 1, result: { file: 'r', name: 'r.glb' } }),
  ]);
  expect(await jobs.run(request, files, (s) => seen.push(s.fraction))).toEqual({
    name: 'r.glb',
    bytes: new Uint8Array([7]),
    text: [],
    id: 'r',
  });
  expect(seen).toEqual([0.25, 0.5, 1]);
});

test('a failure carries the program’s sentence', async () => {
  const { runner: jobs } = runner([state({ state: 'failed', error: { code: 4, message: 'no skeleton fits' } })]);
  await expect(jobs.run(request, files, () => undefined)).rejects.toThrow('no skeleton fits');
});

test('a cancelled job ends as such', async () => {
  const { runner: jobs, cancelJob } = runner([state({}), state({ state: 'cancelled' })]);
  await expect(jobs.run(request, files, () => void jobs.cancel())).rejects.toBeInstanceOf(Cancelled);
  expect(cancelJob).toHaveBeenCalledWith('1');
});

test('one question without an answer is asked again, three are the end', async () => {
  const gone = () => new ApiError('gone', 0, true);
  const once = runner([gone(), state({ state: 'done', result: { file: 'r', name: 'n' } })]);
  expect((await once.runner.run(request, files, () => undefined)).id).toBe('r');
  await expect(runner([gone(), gone(), gone()]).runner.run(request, files, () => undefined)).rejects.toThrow('gone');
});

class FakeWorker implements JobWorker {
  onmessage: JobWorker['onmessage'] = null;
  onerror: JobWorker['onerror'] = null;
  call: JobCall | null = null;
  ended = false;
  postMessage(message: JobCall): void {
    this.call = message;
  }
  terminate(): void {
    this.ended = true;
  }
  say(data: JobReply): void {
    this.onmessage?.({ data } as MessageEvent<JobReply>);
  }
}

test('the page’s own worker is told the request and ends with it, by its result, its error or by hand', async () => {
  const result = { name: 'r.glb', bytes: new Uint8Array([1]), text: ['Done.'] };
  const seen: number[] = [];
  const start = () => {
    const worker = new FakeWorker();
    const local = new LocalRunner(() => worker, 'http://host/', false);
    return { worker, local, done: local.run(request, files, (s) => seen.push(s.fraction)) };
  };
  const good = start();
  good.worker.say({ step: { stage: 'weights', fraction: 0.5 } });
  good.worker.say({ result });
  expect(await good.done).toEqual({ ...result, id: null });
  expect(good.worker.call?.request).toBe('{"kind":"reference","file":"0"}');
  expect([good.worker.ended, seen]).toEqual([true, [0.5]]);
  const bad = start();
  bad.worker.say({ error: 'no skeleton fits' });
  await expect(bad.done).rejects.toThrow('no skeleton fits');
  const stopped = start();
  await stopped.local.cancel();
  await expect(stopped.done).rejects.toBeInstanceOf(Cancelled);
  expect(stopped.worker.ended).toBe(true);
});
