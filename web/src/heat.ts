// SPDX-License-Identifier: Apache-2.0
import type { App } from './app';
import { diagonalOf, distances } from './distance';
import type { PoseState } from './protocol';
import type { Heat as Kind, HeatView } from './state';

/** Stiffness from 0.05 to 100 as a share of the colour map: every factor alike, unpainted flesh at two fifths. */
export function stiffnessHeat(values: Float32Array): Float32Array {
  return values.map((v) => (Math.log10(v) - Math.log10(0.05)) / (2 - Math.log10(0.05)));
}

/** What colours the mesh: a value of the selected joint, or the distance to the elastic reference. */
export class Heat {
  /** Vertices of the elastic reference for the pose that it was made for. */
  private reference: { positions: Float32Array; pose: PoseState } | null = null;
  private turn = 0;

  constructor(private readonly app: App) {}

  forget(): void {
    this.reference = null;
  }

  async set(kind: Kind): Promise<void> {
    const turn = ++this.turn;
    const joint = this.app.state.selected;
    this.app.store.set({ heat: kind });
    if (kind === 'reference') return this.refreshReference();
    if (kind === 'none' || (joint < 0 && kind !== 'stiffness')) return this.clear(null);
    try {
      const values = await this.app.engine.call('channel', { kind, joint });
      if (turn !== this.turn) return;
      const shown = kind === 'stiffness' ? stiffnessHeat(values) : values;
      this.app.picture.paint([shown, shown], 1);
      this.app.store.set({ heatView: { kind, joint, range: 1, unit: '', figures: [], stale: false } });
    } catch (error) {
      this.app.notices.fail('Heat map', error);
      this.app.store.set({ heat: 'none' });
      this.clear(null);
    }
  }

  setReference(positions: Float32Array, pose: PoseState): void {
    this.reference = { positions, pose };
    this.app.store.set({ heat: 'reference' });
    this.refreshReference();
  }

  /** Colours by the distance to the reference, where there is one. */
  refreshReference(): void {
    const { heat, frame, opened, heatView } = this.app.state;
    if (heat !== 'reference') return;
    if (!this.reference || !frame || !opened) return this.clear(null);
    if (!samePose(this.reference.pose, frame.pose)) {
      const stale: HeatView = { kind: 'reference', joint: -1, range: 0, unit: '', figures: [], stale: true };
      return this.clear(heatView?.stale ? heatView : stale);
    }
    const size = diagonalOf(this.app.files.box);
    const reference = this.reference.positions;
    const made = frame.slots.filter((slot) => slot !== null);
    if (made.length < frame.slots.length) return; // a frame with vertices is on its way
    const figures = made.map((slot) => distances(slot.positions, reference, size));
    const range = Math.max(1e-6, ...figures.map((f) => f.max));
    this.app.picture.paint([figures[0].values, (figures[1] ?? figures[0]).values], range);
    this.app.store.set({
      heatView: { kind: 'reference', joint: -1, range, unit: 'of the size', figures, stale: false },
    });
  }

  private clear(heatView: HeatView | null): void {
    this.app.picture.paint([null, null], 1);
    this.app.store.set({ heatView });
  }
}

function samePose(a: PoseState, b: PoseState): boolean {
  const same = (x: Float64Array, y: Float64Array): boolean =>
    x.length === y.length && x.every((v, i) => Math.abs(v - y[i]) < 1e-9);
  return (
    same(a.locals, b.locals) &&
    same(a.shapes, b.shapes) &&
    same(a.keys, b.keys) &&
    a.cages.every((c, k) => same(c, b.cages[k])) &&
    same(a.handles, b.handles)
  );
}
