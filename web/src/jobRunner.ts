// SPDX-License-Identifier: Apache-2.0
// One long job of the program behind the page, followed to its end.
import { ApiError, type Api, type JobRequest, type JobState } from './api';

export class Cancelled extends Error {}

export class JobRunner {
  private id: string | null = null;
  private cancelled = false;

  constructor(
    private readonly api: Api,
    private readonly wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms)),
  ) {}

  /** The result; throws Cancelled, or an error with the program's sentence. */
  async run(request: JobRequest, progress: (state: JobState) => void): Promise<NonNullable<JobState['result']>> {
    this.cancelled = false;
    const id = await this.api.startJob(request);
    this.id = id;
    try {
      if (this.cancelled) await this.cancel();
      for (;;) {
        const state = await this.poll(id);
        progress(state);
        if (state.state === 'done' && state.result) return state.result;
        if (state.state === 'cancelled') throw new Cancelled();
        if (state.state !== 'running') throw new Error(state.error?.message ?? 'The job failed without a message.');
        await this.wait(200);
      }
    } finally {
      this.id = null;
    }
  }

  async cancel(): Promise<void> {
    this.cancelled = true;
    if (this.id !== null) await this.api.cancelJob(this.id);
  }

  /** A program that is busy may miss a question; one that is gone misses three. */
  private async poll(id: string): Promise<JobState> {
    for (let attempt = 1; ; ++attempt) {
      try {
        return await this.api.job(id);
      } catch (error) {
        if (!(error instanceof ApiError && error.gone) || attempt === 3) throw error;
        await this.wait(500);
      }
    }
  }
}
