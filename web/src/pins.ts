// SPDX-License-Identifier: Apache-2.0
import type { App } from './app';
import type { Pin } from './state';

const STEPS = 2; // a frame
const SETTLE = 12; // frames after the last move

/** Pinned vertices: the mesh follows them as rigidly as possible, and goes on settling after the last move. */
export class Pins {
  private rest = 0;
  private running = false;

  constructor(private readonly app: App) {}

  /** Other pins, as one step of undo. */
  async set(pins: Pin[]): Promise<void> {
    const before = this.app.state.pins;
    try {
      const done = this.restore(pins);
      this.app.pose.commit(); // at once: another pin may come before this one is held
      await done;
    } catch (error) {
      this.app.store.set({ pins: before });
      this.app.notices.fail('Pins', error);
    }
  }

  /** These pins, without a step of undo. */
  async restore(pins: Pin[]): Promise<void> {
    const before = this.app.state.pins;
    this.app.store.set({ pins });
    if (pins.length === 0) {
      if (before.length) await this.release();
      return;
    }
    if (this.app.state.tool !== 'pin') this.app.setTool('pin');
    const same = before.length === pins.length && before.every((p, k) => p.vertex === pins[k].vertex);
    if (!same) {
      await this.app.engine.call('arapBegin', { vertices: Uint32Array.from(pins, (p) => p.vertex), slot: 0 });
    }
    this.settle();
  }

  /** Back to the mesh of the pose. */
  async drop(): Promise<void> {
    if (this.app.state.pins.length === 0) return;
    await this.set([]);
  }

  private async release(): Promise<void> {
    this.rest = 0;
    this.app.store.set({ dot: -1 });
    await this.app.engine.call('arapEnd', {}).catch(() => undefined);
    await this.app.engine.change([], 'refresh').catch(() => undefined);
  }

  /** Where one is dragged to. */
  move(pin: number, target: Pin['target']): void {
    this.app.store.set({ pins: this.app.state.pins.map((p, k) => (k === pin ? { ...p, target } : p)) });
    this.settle();
  }

  private settle(): void {
    this.rest = SETTLE;
    if (!this.running) void this.run();
  }

  private async run(): Promise<void> {
    this.running = true;
    try {
      while (this.rest > 0) {
        this.rest -= 1;
        const targets = Float64Array.from(this.app.state.pins.flatMap((p) => p.target));
        const frame = await this.app.engine.call('arapDrag', { targets, steps: STEPS });
        if (this.app.state.pins.length === 0) break;
        this.app.picture.show(frame);
      }
    } catch (error) {
      // Another number of pins on the way is no fault: the next round has it.
      if (this.app.state.pins.length) this.app.notices.fail('Pins', error);
    } finally {
      this.running = false;
    }
  }
}
