// SPDX-License-Identifier: Apache-2.0
// What the page can do. Panels, tools and shortcuts call this; it changes the state, and the views follow.
import { ApiError, type Api } from './api';
import { boxOf, diagonalOf, distances } from './distance';
import { Engine, EngineError } from './engine';
import { History } from './history';
import { Cancelled, JobRunner } from './jobs';
import { readPose, writePose } from './poseFile';
import type { DeformSettings, Frame, Op, PoseState, Slot } from './protocol';
import { type Heat, type HeatView, initial, type Notice, type State, type Tool } from './state';
import { Store } from './store';
import { saveFile } from './ui/save';

export const MESH_FILE = /\.(glb|gltf|obj|ply|off|stl)$/i;

/** News goes by itself; errors stay until they are dismissed. */
const NOTICE_MS = 8000;

/** A change that goes on while the pointer is down; one step of undo. */
export interface Gesture {
  /** What is done to the pose that was there at the beginning. */
  live(ops: Op[]): void;
  end(): Promise<void>;
  cancel(): Promise<void>;
}

export class App {
  readonly store = new Store<State>(initial);
  readonly history = new History<PoseState>();
  readonly jobs: JobRunner;
  /** Vertices of the elastic reference for the pose that it was made for. */
  private reference: { positions: Float32Array; pose: PoseState } | null = null;
  private heatTurn = 0;
  private noticeId = 0;
  /** Rest heads as they were dragged, while joints are moved. */
  readonly headHistory = new History<Float64Array>();
  restCages: Float64Array[] = [];
  private box = [0, 0, 0, 0, 0, 0];
  /** Values that the mesh of each slot is coloured by; the viewport sets it. */
  paint: (values: (Float32Array | null)[], range: number) => void = () => undefined;
  fit: (box: number[]) => void = () => undefined;
  dropPins: () => Promise<void> = async () => undefined;

  constructor(readonly engine: Engine, readonly api: Api) {
    this.jobs = new JobRunner(api);
  }

  get state(): Readonly<State> {
    return this.store.state;
  }

  // --- notices ---

  notify(kind: Notice['kind'], title: string, text: string, action?: Notice['action']): number {
    const id = ++this.noticeId;
    const others = this.state.notices.filter((n) => n.title !== title || n.text !== text).slice(-3);
    this.store.set({ notices: [...others, { id, kind, title, text, action }] });
    if (kind === 'info') setTimeout(() => this.dismiss(id), NOTICE_MS);
    return id;
  }

  dismiss(id: number): void {
    this.store.set({ notices: this.state.notices.filter((n) => n.id !== id) });
  }

  fail(title: string, error: unknown): void {
    if (error instanceof ApiError && error.gone) this.store.set({ serverGone: true });
    // A worker that died is told by itself.
    if (error instanceof EngineError && error.code === 0) return;
    this.notify('error', title, error instanceof Error ? error.message : String(error));
  }

  // --- files ---

  async openFile(file: File): Promise<void> {
    if (/\.json$/i.test(file.name)) return this.loadPose(file);
    if (!MESH_FILE.test(file.name)) {
      this.notify('error', file.name, 'Unknown file extension. Open a .glb, .gltf, .obj, .ply, .off or .stl, or a pose that was saved as .json.');
      return;
    }
    this.store.set({ busy: { text: `Reading ${file.name}`, fraction: null } });
    try {
      await this.openBytes(new Uint8Array(await file.arrayBuffer()), file.name, null);
    } catch (error) {
      this.fail(file.name, error);
    } finally {
      this.store.set({ busy: null });
    }
  }

  async openFromServer(id: string, name: string): Promise<void> {
    this.store.set({ busy: { text: `Fetching ${name}`, fraction: 0 } });
    try {
      const bytes = await this.api.bytes(id, (fraction) => this.store.set({ busy: { text: `Fetching ${name}`, fraction } }));
      await this.openBytes(bytes, name, id);
    } catch (error) {
      this.fail(name, error);
    } finally {
      this.store.set({ busy: null });
    }
  }

  async openBytes(bytes: Uint8Array, name: string, id: string | null): Promise<void> {
    this.store.set({ busy: { text: `Opening ${name}`, fraction: null } });
    const opened = await this.engine.open(bytes, name);
    this.reference = null;
    this.store.set({
      file: { name, bytes, id }, opened, selected: -1, hovered: -1, clip: opened.info.clips.length ? 0 : -1, time: 0, playing: false,
      heat: 'none', heatView: null, pins: [], heads: null, dot: -1, report: opened.info.warnings, tool: 'rotate', frame: null, warnings: [[], []],
      layout: 'single', slots: [{ deformer: 'lbs' }, { deformer: '' }],
    });
    this.paint([null, null], 1);
    const first: DeformSettings = opened.info.skinned ? opened.stored : { deformer: 'lbs' };
    await this.setDeformer(0, first);
    this.showSlots();
    this.engine.selected = -1;
    const frame = await this.engine.change([]);
    this.restCages = frame.cages.map((points) => points.slice());
    this.history.start(frame.pose);
    this.refreshUndo();
    // Of the mesh as it is shown: where it is bound may be elsewhere, and of another size.
    this.box = boxOf(frame.slots[0].positions);
    this.fit(this.box);
  }

  private async loadPose(file: File): Promise<void> {
    const { opened, frame } = this.state;
    if (!opened || !frame) return void this.notify('error', file.name, 'Open a rig first, then the pose.');
    try {
      await this.edit([{ op: 'setPose', pose: readPose(await file.text(), opened.info, frame.pose) }]);
    } catch (error) {
      this.fail(file.name, error);
    }
  }

  // --- pose ---

  /** A change that is one step of undo by itself. */
  async edit(ops: Op[]): Promise<void> {
    this.pause();
    try {
      const frame = await this.engine.change(ops);
      this.commit(frame.pose);
    } catch (error) {
      this.fail('This pose is not possible', error);
    }
  }

  gesture(): Gesture {
    this.pause();
    let start: Op[] | null = null;
    let wanted: Op[] | null = null;
    let last: Promise<Frame | null> = Promise.resolve(null);
    const begin = (frame: Frame | null): void => {
      start = frame ? [{ op: 'setPose', pose: frame.pose }] : [];
    };
    const send = (ops: Op[]): void => {
      last = this.engine.change([...(start ?? []), ...ops], 'gesture').catch((error) => {
        this.fail('This pose is not possible', error);
        return null;
      });
    };
    // What was asked for before has to be there first: the gesture begins with its result.
    let ready: Promise<void> = Promise.resolve();
    if (this.engine.idle) begin(this.state.frame);
    else {
      ready = this.engine.change([]).then((frame) => {
        begin(frame);
        if (wanted) send(wanted);
      }).catch(() => begin(this.state.frame));
    }
    return {
      live: (ops) => {
        wanted = ops;
        if (start) send(ops);
      },
      end: async () => {
        await ready;
        const frame = await last;
        if (frame) this.commit(frame.pose);
      },
      cancel: async () => {
        wanted = null;
        await ready;
        send([]);
        await last;
      },
    };
  }

  private commit(pose: PoseState): void {
    this.history.commit(pose);
    this.refreshUndo();
  }

  async undo(): Promise<void> {
    this.pause();
    if (this.state.heads) return this.showHeads(this.headHistory.undo());
    const pose = this.history.undo();
    if (pose) await this.engine.change([{ op: 'setPose', pose }]).catch((error) => this.fail('Undo', error));
    this.refreshUndo();
  }

  async redo(): Promise<void> {
    this.pause();
    if (this.state.heads) return this.showHeads(this.headHistory.redo());
    const pose = this.history.redo();
    if (pose) await this.engine.change([{ op: 'setPose', pose }]).catch((error) => this.fail('Redo', error));
    this.refreshUndo();
  }

  resetPose(): Promise<void> {
    return this.edit([{ op: 'reset' }]);
  }

  private refreshUndo(): void {
    const history = this.state.heads ? this.headHistory : this.history;
    this.store.set({ canUndo: history.canUndo, canRedo: history.canRedo });
  }

  commitHeads(heads: Float64Array): void {
    this.headHistory.commit(heads);
    this.refreshUndo();
  }

  private showHeads(heads: Float64Array | undefined): void {
    if (heads) this.store.set({ heads });
    this.refreshUndo();
  }

  select(joint: number): void {
    if (joint === this.state.selected) return;
    this.engine.selected = joint;
    this.store.set({ selected: joint });
    if (this.state.opened) void this.engine.change([], 'select').catch(() => undefined);
    if (this.state.heat !== 'none' && this.state.heat !== 'reference') void this.setHeat(this.state.heat);
  }

  setTool(tool: Tool): void {
    const was = this.state.tool;
    if (tool === was) return;
    this.pause();
    if (was === 'pin' && this.state.pins.length) void this.dropPins();
    this.store.set({ tool, dot: -1, hoveredDot: -1 });
    if (was === 'joints') this.store.set({ heads: null });
    this.refreshUndo();
    if (tool === 'joints') void this.beginJoints();
    if (tool === 'cage' && !this.state.slots[0].deformer.startsWith('cage')) void this.setDeformer(0, { deformer: 'cage' });
    if (tool === 'handle' && !this.state.slots[0].deformer.startsWith('points')) void this.setDeformer(0, { deformer: 'points' });
    if (tool === 'pin' && this.state.layout !== 'single') void this.setLayout('single');
  }

  // --- deformers ---

  async setDeformer(slot: Slot, settings: DeformSettings): Promise<boolean> {
    this.store.set({ building: true });
    try {
      const warnings = await this.engine.setDeformer(slot, settings);
      const slots: State['slots'] = [...this.state.slots];
      const all: State['warnings'] = [...this.state.warnings];
      slots[slot] = settings;
      all[slot] = warnings;
      this.store.set({ slots, warnings: all });
      if (this.state.frame) await this.engine.change([], 'refresh');
      this.refreshReference();
      return true;
    } catch (error) {
      this.fail(`The deformer ${settings.deformer} cannot be used`, error);
      this.store.set({ slots: [...this.state.slots] }); // what is chosen in the panel goes back
      return false;
    } finally {
      this.store.set({ building: false });
    }
  }

  async setLayout(layout: State['layout']): Promise<void> {
    // The second deformer first: until it is there, one picture is all there is to show.
    if (this.state.layout === 'single' && layout !== 'single' && !(await this.setDeformer(1, this.secondDeformer()))) return;
    this.store.set({ layout });
    this.showSlots();
    if (this.state.frame) await this.engine.change([], 'refresh').catch((error) => this.fail('Split view', error));
    if (this.state.heat !== 'none') await this.setHeat(this.state.heat);
  }

  /** The one chosen before; at first the best that is there without making anything. */
  private secondDeformer(): DeformSettings {
    const { opened, slots } = this.state;
    if (slots[1].deformer !== '') return slots[1];
    const best = opened?.info.channels.swing ? 'swing-twist' : 'dqs';
    return { deformer: slots[0].deformer === best ? 'lbs' : best };
  }

  private showSlots(): void {
    this.engine.slots = this.state.layout === 'single' ? [0] : [0, 1];
  }

  // --- heat maps ---

  async setHeat(kind: Heat): Promise<void> {
    const turn = ++this.heatTurn;
    this.store.set({ heat: kind });
    if (kind === 'none') {
      this.paint([null, null], 1);
      return this.store.set({ heatView: null });
    }
    if (kind === 'reference') return this.refreshReference();
    if (this.state.selected < 0) {
      this.paint([null, null], 1);
      return this.store.set({ heatView: null });
    }
    const joint = this.state.selected;
    try {
      const values = await this.engine.call('channel', { kind, joint });
      if (turn !== this.heatTurn) return;
      this.paint([values, values], 1);
      this.store.set({ heatView: { kind, joint, range: 1, unit: '', figures: [], stale: false } });
    } catch (error) {
      this.fail('Heat map', error);
      this.store.set({ heat: 'none', heatView: null });
      this.paint([null, null], 1);
    }
  }

  /** Colours by the distance to the reference, where there is one. */
  refreshReference(): void {
    if (this.state.heat !== 'reference') return;
    const { frame, opened } = this.state;
    if (!this.reference || !frame || !opened) {
      this.paint([null, null], 1);
      return this.store.set({ heatView: null });
    }
    const stale = !samePose(this.reference.pose, frame.pose);
    if (stale) {
      this.paint([null, null], 1);
      const old = this.state.heatView;
      const view: HeatView = { kind: 'reference', joint: -1, range: 0, unit: '', figures: [], stale: true };
      if (!old?.stale) this.store.set({ heatView: view });
      return;
    }
    const size = diagonalOf(this.box);
    const reference = this.reference.positions;
    const found = frame.slots.map((slot) => distances(slot.positions, reference, size));
    const range = Math.max(1e-6, ...found.map((f) => f.max));
    this.paint([found[0].values, (found[1] ?? found[0]).values], range);
    this.store.set({ heatView: { kind: 'reference', joint: -1, range, unit: 'of the size', figures: found, stale: false } });
  }

  async computeReference(): Promise<void> {
    if (this.state.job || !this.state.frame) return;
    this.pause();
    const pose = this.state.frame.pose;
    this.store.set({ job: { kind: 'reference', stage: 'Sending the rig', fraction: 0, cancelling: false } });
    try {
      const bytes = await this.engine.call('save', {});
      const file = await this.api.upload('pose.glb', bytes);
      const result = await this.jobs.run({ kind: 'reference', file: file.id }, (s) => this.follow('reference', s.stage, s.fraction));
      const answer = await this.api.bytes(result.file);
      this.reference = { positions: new Float32Array(answer.slice().buffer), pose };
      this.store.set({ heat: 'reference' });
      this.refreshReference();
    } catch (error) {
      this.jobFailed('The elastic reference', error);
    } finally {
      this.store.set({ job: null });
    }
  }

  /** Grades of the rig and its joints, as `sinew check` gives them, into the report. */
  async check(): Promise<void> {
    const { job, opened, file } = this.state;
    if (job || !opened || !file) return;
    this.pause();
    this.store.set({ job: { kind: 'check', stage: 'Sending the rig', fraction: 0, cancelling: false } });
    try {
      const sent = file.id ?? (await this.api.upload(file.name, file.bytes)).id;
      const result = await this.jobs.run({ kind: 'check', file: sent }, (s) => this.follow('check', s.stage, s.fraction));
      this.store.set({ report: result.text ?? [] });
    } catch (error) {
      this.jobFailed('Check', error);
    } finally {
      this.store.set({ job: null });
    }
  }

  // --- rigging ---

  async rig(template: string, weights: string, names: string, quality: string): Promise<void> {
    const { file } = this.state;
    if (!file) return;
    await this.runRig(file.name, file.bytes, file.id, template, weights, names, quality, undefined);
  }

  /** The rest heads, to be dragged. */
  private async beginJoints(): Promise<void> {
    const { opened } = this.state;
    if (!opened) return;
    const frame = await this.engine.change([{ op: 'reset' }]);
    this.commit(frame.pose);
    const heads = new Float64Array(3 * opened.info.joints.length);
    opened.info.joints.forEach((_, j) => heads.set(frame.globals.subarray(16 * j + 12, 16 * j + 15), 3 * j));
    this.headHistory.start(heads);
    this.store.set({ heads });
    this.refreshUndo();
  }

  async bindAgain(weights: string, quality: string): Promise<void> {
    const { opened, heads, file } = this.state;
    if (!opened || !heads || !file) return;
    const joints = opened.info.joints.map((joint, j) => ({
      name: joint.name, parent: joint.parent, position: [heads[3 * j], heads[3 * j + 1], heads[3 * j + 2]] as [number, number, number],
    }));
    await this.runRig(file.name, file.bytes, file.id, '', weights, 'mixamo', quality, joints);
  }

  private async runRig(name: string, bytes: Uint8Array, id: string | null, template: string, weights: string, names: string, quality: string,
    joints: { name: string; parent: number; position: [number, number, number] }[] | undefined): Promise<void> {
    if (this.state.job) return;
    this.store.set({ job: { kind: 'rig', stage: 'Sending the mesh', fraction: 0, cancelling: false } });
    try {
      const file = id ?? (await this.api.upload(name, bytes)).id;
      const request = { kind: 'rig' as const, file, template, weights, names, quality, ...(joints ? { joints } : {}) };
      const result = await this.jobs.run(request, (s) => this.follow('rig', s.stage, s.fraction));
      const rigged = await this.api.bytes(result.file);
      await this.openBytes(rigged, result.name, result.file);
      this.store.set({ report: [...(result.text ?? []), ...this.state.report] });
    } catch (error) {
      this.jobFailed('The rig', error);
    } finally {
      this.store.set({ job: null, busy: null });
    }
  }

  async cancelJob(): Promise<void> {
    const { job } = this.state;
    if (!job || job.cancelling) return;
    this.store.set({ job: { ...job, cancelling: true } });
    await this.jobs.cancel().catch((error) => this.fail('Cancel', error));
  }

  private follow(kind: 'rig' | 'reference' | 'check', stage: string, fraction: number): void {
    const cancelling = this.state.job?.cancelling ?? false;
    this.store.set({ job: { kind, stage, fraction, cancelling } });
  }

  private jobFailed(title: string, error: unknown): void {
    if (error instanceof Cancelled) this.notify('info', title, 'Stopped; nothing was changed.');
    else this.fail(title, error);
  }

  // --- clips ---

  play(): void {
    if (this.state.clip >= 0) this.store.set({ playing: true });
  }

  pause(): void {
    if (!this.state.playing) return;
    this.store.set({ playing: false });
    const pose = this.state.frame?.pose;
    if (pose) this.commit(pose);
  }

  chooseClip(clip: number): void {
    this.store.set({ clip, time: 0 });
    void this.edit([{ op: 'clip', clip, seconds: 0 }]);
  }

  /** Shows a moment of the clip, while it plays or is scrubbed. */
  seek(seconds: number): Promise<Frame> {
    this.store.set({ time: seconds });
    return this.engine.change([{ op: 'clip', clip: this.state.clip, seconds }], 'clip');
  }

  // --- saving ---

  private stem(): string {
    return (this.state.file?.name ?? 'character').replace(/\.[^.]*$/, '');
  }

  savePose(): void {
    const { opened, frame } = this.state;
    if (opened && frame) saveFile(`${this.stem()}.pose.json`, new Blob([writePose(opened.info, frame.pose)], { type: 'application/json' }));
  }

  async saveGlb(): Promise<void> {
    try {
      saveFile(`${this.stem()}.glb`, new Blob([(await this.engine.call('save', {})) as Uint8Array<ArrayBuffer>], { type: 'model/gltf-binary' }));
    } catch (error) {
      this.fail('Save', error);
    }
  }

  async saveMesh(): Promise<void> {
    try {
      const { pins, slots } = this.state;
      if (pins.length) await this.engine.setDeformer(0, { deformer: 'arap', handles: pins.map((p) => ({ vertex: p.vertex, position: p.target })) });
      const bytes = await this.engine.call('saveMesh', { slot: 0, format: 'obj' });
      if (pins.length) await this.engine.setDeformer(0, slots[0]);
      saveFile(`${this.stem()}.${pins.length ? 'pulled' : 'posed'}.obj`, new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'text/plain' }));
    } catch (error) {
      this.fail('Save', error);
    }
  }
}

function samePose(a: PoseState, b: PoseState): boolean {
  const same = (x: Float64Array, y: Float64Array) => x.length === y.length && x.every((v, i) => Math.abs(v - y[i]) < 1e-9);
  return same(a.locals, b.locals) && same(a.shapes, b.shapes) && same(a.keys, b.keys) && a.cages.every((c, k) => same(c, b.cages[k])) &&
    same(a.handles, b.handles);
}
