// SPDX-License-Identifier: Apache-2.0
import type { App } from './app';
import { stiffnessHeat } from './heat';
import type { Painted, Stroke, Vec3 } from './protocol';
import type { PaintSettings } from './state';

/** Where the brush touches the mesh. */
export interface Dab {
  vertex: number;
  place: Vec3;
  pressure: number;
}

/** Deformers that show skin weights; others have data of their own. */
const BY_WEIGHTS = /^(lbs|dqs|mix|decomposed|volume|curve|stretch-lbs|stretch-dqs)(\+mush)?$/;

/** Weights and stiffness under a brush: a stroke is one step of undo, and the mesh follows while it is painted. */
export class Paint {
  private waiting: Dab[] = [];
  private stroke: Stroke | null = null;
  private begin = false;
  private running: Promise<void> | null = null;
  /** Of the last call: how long the module took, without the way there and back. */
  milliseconds = 0;

  constructor(private readonly app: App) {}

  set(patch: Partial<PaintSettings>): void {
    const kind = this.app.state.paint.kind;
    this.app.store.set({ paint: { ...this.app.state.paint, ...patch } });
    if (patch.kind && patch.kind !== kind) void this.enter();
  }

  /** Shows what is painted, by a deformer that follows it. */
  async enter(): Promise<void> {
    const { state, deformers, heat } = this.app;
    if (state.layout !== 'single') await deformers.setLayout('single');
    const { kind } = state.paint;
    if (kind === 'weight' && !BY_WEIGHTS.test(state.slots[0].deformer)) await deformers.set(0, { deformer: 'dqs' });
    await heat.set(kind);
  }

  leave(): void {
    void this.app.heat.set('none');
  }

  /** Why the brush does nothing; null: it paints. */
  get problem(): string | null {
    const { paint, selected } = this.app.state;
    if (paint.kind === 'stiffness') return null;
    if (selected < 0) return 'Select the joint whose weight is to be painted.';
    return paint.locked.includes(selected) ? 'This joint is locked.' : null;
  }

  toggleLock(joint: number): void {
    const { locked } = this.app.state.paint;
    this.set({ locked: locked.includes(joint) ? locked.filter((j) => j !== joint) : [...locked, joint] });
  }

  /** `radius`: world. `mode`: another one than the panel's, as keys that are held say; `sign` -1: takes away. */
  start(radius: number, mode: Stroke['mode'] = this.app.state.paint.mode, sign = 1): void {
    this.stroke = this.strokeOf(radius, mode, sign, false);
    this.begin = true;
  }

  dab(dab: Dab): void {
    this.waiting.push(dab);
    this.running ??= this.pump().finally(() => (this.running = null));
  }

  async end(): Promise<void> {
    await this.running;
    this.stroke = null;
    if (!this.begin) this.app.pose.commit(); // else the brush touched nothing
  }

  /** Takes the stroke back. */
  async cancel(strokes: number): Promise<void> {
    this.waiting = [];
    await this.running;
    this.stroke = null;
    await this.goTo(strokes).catch((error: unknown) => this.app.notices.fail('Paint', error));
  }

  async flood(): Promise<void> {
    const { paint } = this.app.state;
    const problem = this.problem;
    if (problem) return void this.app.notices.notify('info', 'Flood', problem);
    await this.send(this.strokeOf(1, paint.mode, 1, true), [], true);
    this.app.pose.commit();
  }

  /** Undoes or redoes until this many strokes are there. */
  async goTo(strokes: number): Promise<void> {
    if (strokes === this.app.state.strokes) return;
    const { kind } = this.app.state.paint;
    const ask = { strokes, kind, joint: this.app.state.selected, slots: this.app.engine.slots };
    this.show(await this.app.engine.paintTo(ask), kind);
  }

  private strokeOf(radius: number, mode: Stroke['mode'], sign: number, flood: boolean): Stroke {
    const { paint, selected } = this.app.state;
    const { kind, strength, falloff, mirror, locked } = paint;
    return {
      kind,
      joint: selected,
      mode,
      value: sign * paint.value[kind],
      radius,
      strength,
      falloff,
      mirror,
      flood,
      locked,
    };
  }

  private async pump(): Promise<void> {
    while (this.waiting.length && this.stroke) {
      const dabs = this.waiting;
      this.waiting = [];
      const begin = this.begin;
      this.begin = false;
      if (!(await this.send(this.stroke, dabs, begin))) return;
    }
  }

  private async send(stroke: Stroke, dabs: Dab[], begin: boolean): Promise<boolean> {
    const numbers = Float64Array.from(dabs.flatMap((dab) => [dab.vertex, ...dab.place, dab.pressure]));
    try {
      const ask = { stroke, dabs: numbers, begin, slots: this.app.engine.slots };
      this.show(await this.app.engine.paint(ask), stroke.kind);
      return true;
    } catch (error) {
      this.waiting = [];
      this.stroke = null;
      this.app.notices.fail('Paint', error);
      return false;
    }
  }

  private show(painted: Painted, kind: Stroke['kind']): void {
    const { frame, tool } = this.app.state;
    this.milliseconds = painted.milliseconds;
    this.app.store.set({ strokes: painted.strokes, ...(frame ? { frame: { ...frame, slots: painted.slots } } : {}) });
    if (tool !== 'paint') return;
    const values = kind === 'stiffness' ? stiffnessHeat(painted.values) : painted.values;
    this.app.picture.paint([values, values], 1);
  }
}
