// SPDX-License-Identifier: Apache-2.0
import { expect, test, vi } from 'vitest';
import { ApiError, type Api, type JobState } from '../../src/api';
import { Cancelled, JobRunner } from '../../src/jobRunner';

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
  const api = { startJob: async () => '1', job, cancelJob } as unknown as Api;
  return { runner: new JobRunner(api, async () => undefined), cancelJob };
}
const request = { kind: 'reference' as const, file: 'f' };

test('progress is told until the result is there', async () => {
  const seen: number[] = [];
  const { runner: jobs } = runner([
    state({ fraction: 0.25 }),
    state({}),
    state({ state: 'done', fraction: 1, result: { file: 'r', name: 'r.glb' } }),
  ]);
  expect(await jobs.run(request, (s) => seen.push(s.fraction))).toEqual({ file: 'r', name: 'r.glb' });
  expect(seen).toEqual([0.25, 0.5, 1]);
});

test('a failure carries the program’s sentence', async () => {
  const { runner: jobs } = runner([state({ state: 'failed', error: { code: 4, message: 'no skeleton fits' } })]);
  await expect(jobs.run(request, () => undefined)).rejects.toThrow('no skeleton fits');
});

test('a cancelled job ends as such', async () => {
  const { runner: jobs, cancelJob } = runner([state({}), state({ state: 'cancelled' })]);
  await expect(jobs.run(request, () => void jobs.cancel())).rejects.toBeInstanceOf(Cancelled);
  expect(cancelJob).toHaveBeenCalledWith('1');
});

test('one question without an answer is asked again, three are the end', async () => {
  const gone = () => new ApiError('gone', 0, true);
  const once = runner([gone(), state({ state: 'done', result: { file: 'r', name: 'n' } })]);
  expect((await once.runner.run(request, () => undefined)).file).toBe('r');
  await expect(runner([gone(), gone(), gone()]).runner.run(request, () => undefined)).rejects.toThrow('gone');
});
