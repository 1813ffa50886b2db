// SPDX-License-Identifier: Apache-2.0
// Pinned vertices: the mesh follows them as rigidly as possible, and goes on settling after the last move.
import type { Vector3 } from 'three';
import type { App } from './app';
import type { Pin } from './state';
import type { Point2 } from './view/pick';
import type { Viewport } from './view/viewport';

const STEPS = 2; // a frame
const SETTLE = 12; // frames after the last move

export class Pins {
  private rest = 0;
  private running = false;

  constructor(private readonly app: App, private readonly viewport: () => Viewport) {}

  async set(pins: Pin[]): Promise<void> {
    const before = this.app.state.pins;
    this.app.store.set({ pins });
    try {
      if (pins.length === 0) return await this.drop();
      await this.app.engine.call('arapBegin', { vertices: Uint32Array.from(pins, (p) => p.vertex), slot: 0 });
      this.settle();
    } catch (error) {
      this.app.store.set({ pins: before });
      this.app.fail('Pins', error);
    }
  }

  /** Back to the mesh of the pose. */
  async drop(): Promise<void> {
    this.rest = 0;
    this.app.store.set({ pins: [], dot: -1 });
    await this.app.engine.call('arapEnd', {}).catch(() => undefined);
    await this.app.engine.change([], 'refresh').catch(() => undefined);
  }

  drag(pin: number, place: Vector3): { move(pointer: Point2): void; end(): void; cancel(): void } {
    const before = this.app.state.pins;
    return {
      move: (pointer) => {
        const to = this.viewport().inPlane(pointer, place).toArray();
        this.app.store.set({ pins: this.app.state.pins.map((p, k) => (k === pin ? { ...p, target: to } : p)) });
        this.settle();
      },
      end: () => undefined,
      cancel: () => {
        this.app.store.set({ pins: before });
        this.settle();
      },
    };
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
        const { pins } = this.app.state;
        const frame = await this.app.engine.call('arapDrag', { targets: Float64Array.from(pins.flatMap((p) => p.target)), steps: STEPS });
        if (this.app.state.pins.length === 0) break;
        this.viewport().meshes[0].update(frame);
        this.viewport().changed();
      }
    } catch (error) {
      // Another number of pins on the way is no fault: the next round has it.
      if (this.app.state.pins.length) this.app.fail('Pins', error);
    } finally {
      this.running = false;
    }
  }
}
