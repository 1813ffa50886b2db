// SPDX-License-Identifier: Apache-2.0
import type { JobRequest, JointPlace } from './api';
import type { App } from './app';
import { Cancelled, type JobFile, type JobResult, type Runner } from './jobRunner';
import type { Job } from './state';

export interface RigChoices {
  template: string;
  weights: string;
  names: string;
  quality: string;
  joints?: JointPlace[];
}

/** The vertex attribute that painting writes. */
const STIFFNESS = '_STIFFNESS';

/** Long work, one at a time, with progress and an end by hand. */
export class Jobs {
  constructor(
    private readonly app: App,
    private readonly runner: Runner,
  ) {}

  rig(choices: RigChoices): Promise<void> {
    return this.run({ kind: 'rig', ...choices }, 'The rig', this.openFile, async (result) => {
      await this.app.files.openBytes(result.bytes, result.name, result.id);
      this.app.store.set({ report: [...result.text, ...this.app.state.report] });
    });
  }

  /** Makes flesh anew, as stiff as it is painted; the picture stays as it is, and undo goes back. */
  solve(): Promise<void> {
    const request = { kind: 'solve', stiffness: STIFFNESS, quality: 'flesh' } as const;
    return this.run(request, 'Flesh', this.painted, async (result) => {
      await this.app.files.replace(result.bytes, { deformer: 'flesh' });
      this.app.store.set({ report: result.text });
    });
  }

  /** As plain skinning for a program, into a file. */
  export(choices: Omit<JobRequest & { kind: 'export' }, 'kind'>): Promise<void> {
    return this.run({ kind: 'export', ...choices }, 'Export', this.painted, (result) => {
      this.app.files.save(result.name, result.bytes, 'model/gltf-binary');
      this.app.store.set({ report: result.text });
    });
  }

  /** Clips of another character, made for this one. */
  async retarget(motion: File, keepFeet: boolean): Promise<void> {
    const second = { name: motion.name, bytes: new Uint8Array(await motion.arrayBuffer()) };
    const files = async (): Promise<JobFile[]> => [...(await this.painted()), second];
    return this.run({ kind: 'retarget', keepFeet }, 'Retarget', files, async (result) => {
      await this.app.files.openBytes(result.bytes, result.name, result.id);
      this.app.store.set({ report: result.text, clip: (this.app.state.opened?.info.clips.length ?? 0) - 1 });
    });
  }

  computeReference(): Promise<void> {
    const pose = this.app.state.frame?.pose;
    if (!pose) return Promise.resolve();
    const posed = async (): Promise<JobFile[]> => [{ name: 'pose.glb', bytes: await this.app.engine.call('save', {}) }];
    return this.run({ kind: 'reference' }, 'The elastic reference', posed, (result) =>
      this.app.heat.setReference(new Float32Array(result.bytes.slice().buffer), pose),
    );
  }

  /** Grades of the rig and its joints, as `sinew check` gives them. */
  check(): Promise<void> {
    return this.run({ kind: 'check' }, 'Check', this.painted, (result) => this.app.store.set({ checked: result.text }));
  }

  async cancel(): Promise<void> {
    const { job } = this.app.state;
    if (!job || job.cancelling) return;
    this.app.store.set({ job: { ...job, cancelling: true } });
    await this.runner.cancel().catch((error: unknown) => this.app.notices.fail('Cancel', error));
  }

  private readonly openFile = (): Promise<JobFile[]> => {
    const { file } = this.app.state;
    return file ? Promise.resolve([file]) : Promise.reject(new Error('No file is open.'));
  };

  /** The open file as it was painted, in its own pose. */
  private readonly painted = async (): Promise<JobFile[]> => {
    const { file, strokes } = this.app.state;
    if (!file || strokes === 0) return this.openFile();
    return [
      { name: file.name.replace(/\.[^.]*$/, '.glb'), bytes: await this.app.engine.call('save', { atRest: true }) },
    ];
  };

  private async run(
    request: JobRequest,
    title: string,
    files: () => Promise<JobFile[]>,
    use: (result: JobResult) => Promise<void> | void,
  ): Promise<void> {
    if (this.app.state.job || !this.app.state.file) return;
    this.app.pose.pause();
    const kind: Job['kind'] = request.kind;
    this.app.store.set({ job: { kind, stage: 'Sending the file', fraction: 0, cancelling: false } });
    try {
      const result = await this.runner.run(request, await files(), ({ stage, fraction }) => {
        const cancelling = this.app.state.job?.cancelling ?? false;
        this.app.store.set({ job: { kind, stage, fraction, cancelling } });
      });
      await use(result);
    } catch (error) {
      if (error instanceof Cancelled) this.app.notices.notify('info', title, 'Stopped; nothing was changed.');
      else this.app.notices.fail(title, error);
    } finally {
      this.app.store.set({ job: null, busy: null });
    }
  }
}
