// SPDX-License-Identifier: Apache-2.0
// Dragging one of the pinned vertices: the mesh follows as rigidly as possible, and goes on settling after the release.
import type { Vector3 } from 'three';
import type { App } from './app';
import type { Point2 } from './view/pick';
import type { Viewport } from './view/viewport';
import type { Pin } from './state';

const STEPS = 2; // a frame
const SETTLE = 12; // frames after the last move

export class PinDrag {
  private readonly before: Pin[];
  private rest = 0;
  private running = false;

  constructor(private readonly app: App, private readonly viewport: Viewport, private readonly pin: number, private readonly place: Vector3) {
    this.before = app.state.pins;
  }

  move(pointer: Point2): void {
    const to = this.viewport.inPlane(pointer, this.place).toArray();
    this.app.store.set({ pins: this.app.state.pins.map((p, k) => (k === this.pin ? { ...p, target: to } : p)) });
    this.rest = SETTLE;
    void this.settle();
  }

  end(): void {
    // settle() runs out by itself
  }

  cancel(): void {
    this.app.store.set({ pins: this.before });
    this.rest = SETTLE;
    void this.settle();
  }

  private async settle(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      while (this.rest > 0 && this.app.state.pins.length) {
        this.rest -= 1;
        const targets = Float64Array.from(this.app.state.pins.flatMap((p) => p.target));
        const frame = await this.app.engine.call('arapDrag', { targets, steps: STEPS });
        if (!this.app.state.pins.length) break;
        this.viewport.meshes[0].update(frame);
        this.viewport.changed();
      }
    } catch (error) {
      this.app.fail('Pins', error);
    } finally {
      this.running = false;
    }
  }
}
