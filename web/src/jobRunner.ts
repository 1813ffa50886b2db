// SPDX-License-Identifier: Apache-2.0
// One long job, followed to its end: by the program behind the page, or by a worker of the page itself.
import { ApiError, type Api, type JobRequest, type JobState } from './api';

export class Cancelled extends Error {}

export interface JobFile {
  name: string;
  bytes: Uint8Array;
  /** Where the server has it, too. */
  id?: string | null;
}

export interface JobResult {
  name: string;
  bytes: Uint8Array;
  text: string[];
  /** Where the server has it, too. */
  id: string | null;
}

export interface Step {
  stage: string;
  fraction: number;
}

export interface Runner {
  /** The result; throws Cancelled, or an error with the program's sentence. The request names files by their place. */
  run(request: JobRequest, files: JobFile[], progress: (step: Step) => void): Promise<JobResult>;
  cancel(): Promise<void>;
}

export class ServerRunner implements Runner {
  private id: string | null = null;
  private cancelled = false;

  constructor(
    private readonly api: Api,
    private readonly wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms)),
  ) {}

  async run(request: JobRequest, files: JobFile[], progress: (step: Step) => void): Promise<JobResult> {
    this.cancelled = false;
    const ids: string[] = [];
    for (const file of files) ids.push(file.id ?? (await this.api.upload(file.name, file.bytes)).id);
    const named = { ...request, file: ids[0], ...(request.kind === 'retarget' ? { motion: ids[1] } : {}) };
    const id = await this.api.startJob(named);
    this.id = id;
    try {
      if (this.cancelled) await this.cancel();
      for (;;) {
        const state = await this.poll(id);
        progress(state);
        if (state.state === 'done' && state.result) {
          const { file, name, text } = state.result;
          return { name, bytes: await this.api.bytes(file), text: text ?? [], id: file };
        }
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

/** What the worker of a job is asked, and what it tells. */
export interface JobCall {
  base: string;
  threads: boolean;
  request: string;
  files: JobFile[];
}
export type JobReply = { step: Step } | { result: Omit<JobResult, 'id'> } | { error: string };

/** The part of a Worker that is used here. */
export interface JobWorker {
  postMessage(message: JobCall): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<JobReply>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

/** In a worker of its own, which ends with the job: its memory is given back, and to cancel is to end it. */
export class LocalRunner implements Runner {
  private stop: (() => void) | null = null;

  constructor(
    private readonly start: () => JobWorker,
    private readonly base: string,
    private readonly threads: boolean,
  ) {}

  async run(request: JobRequest, files: JobFile[], progress: (step: Step) => void): Promise<JobResult> {
    const worker = this.start();
    try {
      return await new Promise<JobResult>((resolve, reject) => {
        this.stop = () => reject(new Cancelled());
        worker.onerror = (event) => reject(new Error(event.message || 'The work stopped without a message.'));
        worker.onmessage = ({ data }) => {
          if ('step' in data) progress(data.step);
          else if ('error' in data) reject(new Error(data.error));
          else resolve({ ...data.result, id: null });
        };
        const named = { ...request, file: '0', ...(request.kind === 'retarget' ? { motion: '1' } : {}) };
        const plain = files.map(({ name, bytes }) => ({ name, bytes }));
        worker.postMessage({
          base: this.base,
          threads: this.threads,
          request: JSON.stringify(named),
          files: plain,
        });
      });
    } finally {
      this.stop = null;
      worker.terminate();
    }
  }

  cancel(): Promise<void> {
    this.stop?.();
    return Promise.resolve();
  }
}
