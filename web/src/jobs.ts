// SPDX-License-Identifier: Apache-2.0
import type { Api, JointPlace } from './api';
import type { App } from './app';
import { Cancelled, JobRunner } from './jobRunner';
import type { Job } from './state';

export interface RigChoices {
  template: string;
  weights: string;
  names: string;
  quality: string;
  joints?: JointPlace[];
}

/** Long work, one at a time, with progress and an end by hand. */
export class Jobs {
  private readonly runner: JobRunner;

  constructor(
    private readonly app: App,
    private readonly api: Api,
  ) {
    this.runner = new JobRunner(api);
  }

  rig(choices: RigChoices): Promise<void> {
    return this.run('rig', 'The rig', 'Sending the mesh', async (follow) => {
      const result = await this.runner.run({ kind: 'rig', file: await this.send(), ...choices }, follow);
      const rigged = await this.api.bytes(result.file);
      await this.app.files.openBytes(rigged, result.name, result.file);
      this.app.store.set({ report: [...(result.text ?? []), ...this.app.state.report], busy: null });
    });
  }

  computeReference(): Promise<void> {
    return this.run('reference', 'The elastic reference', 'Sending the rig', async (follow) => {
      const pose = this.app.state.frame?.pose;
      if (!pose) return;
      const file = await this.api.upload('pose.glb', await this.app.engine.call('save', {}));
      const result = await this.runner.run({ kind: 'reference', file: file.id }, follow);
      const answer = await this.api.bytes(result.file);
      this.app.heat.setReference(new Float32Array(answer.slice().buffer), pose);
    });
  }

  /** Grades of the rig and its joints, as `sinew check` gives them, into the report. */
  check(): Promise<void> {
    return this.run('check', 'Check', 'Sending the rig', async (follow) => {
      const result = await this.runner.run({ kind: 'check', file: await this.send() }, follow);
      this.app.store.set({ report: result.text ?? [] });
    });
  }

  async cancel(): Promise<void> {
    const { job } = this.app.state;
    if (!job || job.cancelling) return;
    this.app.store.set({ job: { ...job, cancelling: true } });
    await this.runner.cancel().catch((error: unknown) => this.app.notices.fail('Cancel', error));
  }

  /** The open file on the server. */
  private async send(): Promise<string> {
    const { file } = this.app.state;
    if (!file) throw new Error('No file is open.');
    return file.id ?? (await this.api.upload(file.name, file.bytes)).id;
  }

  private async run(
    kind: Job['kind'],
    title: string,
    stage: string,
    work: (follow: (at: { stage: string; fraction: number }) => void) => Promise<void>,
  ): Promise<void> {
    if (this.app.state.job || !this.app.state.file) return;
    this.app.pose.pause();
    this.app.store.set({ job: { kind, stage, fraction: 0, cancelling: false } });
    const follow = (at: { stage: string; fraction: number }): void => {
      const cancelling = this.app.state.job?.cancelling ?? false;
      this.app.store.set({ job: { kind, stage: at.stage, fraction: at.fraction, cancelling } });
    };
    try {
      await work(follow);
    } catch (error) {
      if (error instanceof Cancelled) this.app.notices.notify('info', title, 'Stopped; nothing was changed.');
      else this.app.notices.fail(title, error);
    } finally {
      this.app.store.set({ job: null, busy: null });
    }
  }
}
