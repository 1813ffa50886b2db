// SPDX-License-Identifier: Apache-2.0
import type { App } from './app';
import { History } from './history';

/** Rest heads that are dragged, with an undo of their own, and bound again. */
export class Joints {
  readonly history = new History<Float64Array>();

  constructor(private readonly app: App) {}

  async begin(): Promise<void> {
    const { opened } = this.app.state;
    if (!opened) return;
    await this.app.pose.reset();
    const { frame, tool } = this.app.state;
    if (!frame || tool !== 'joints') return;
    const heads = new Float64Array(3 * opened.info.joints.length);
    opened.info.joints.forEach((_, j) => heads.set(frame.globals.subarray(16 * j + 12, 16 * j + 15), 3 * j));
    this.history.start(heads);
    this.app.store.set({ heads });
    this.app.pose.refreshUndo();
  }

  commit(heads: Float64Array): void {
    this.history.commit(heads);
    this.app.pose.refreshUndo();
  }

  step(which: string): void {
    const heads = which === 'Undo' ? this.history.undo() : this.history.redo();
    if (heads) this.app.store.set({ heads });
    this.app.pose.refreshUndo();
  }

  leave(): void {
    this.app.store.set({ heads: null });
    this.app.pose.refreshUndo();
  }

  async bindAgain(weights: string, quality: string): Promise<void> {
    const { opened, heads } = this.app.state;
    if (!opened || !heads) return;
    const joints = opened.info.joints.map((joint, j) => ({
      name: joint.name,
      parent: joint.parent,
      position: [heads[3 * j], heads[3 * j + 1], heads[3 * j + 2]] as [number, number, number],
    }));
    await this.app.jobs.rig({ template: '', weights, names: 'mixamo', quality, joints });
  }
}
