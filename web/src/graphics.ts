// SPDX-License-Identifier: Apache-2.0
import type { App } from './app';
import { boxOf, diagonalOf, distances } from './distance';
import { type Drawn, type Frame, isKeyed, isShaped, type Slot } from './protocol';
import type { State } from './state';
import type { Viewport } from './view/viewport';

/** Once this long nothing has changed, the tables of a deformer go to the graphics card. */
const CALM_MS = 250;
/** Of the size: what the graphics card makes may be off by, from what WebAssembly does. */
const SAME = 1e-4;
/** These ask for the vertices of every frame. */
const BY_VERTICES = new Set<State['tool']>(['paint', 'pin', 'cage', 'handle', 'joints']);

/** Deformers that can, run on the graphics card: then a frame of the worker is a pose alone. */
export class Graphics {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private round = 0;
  /** Why a slot is not on the graphics card. */
  readonly reasons: string[] = ['', ''];

  constructor(
    private readonly app: App,
    private readonly viewport: Viewport,
    private readonly on: boolean,
  ) {
    app.store.on(['slots', 'opened', 'strokes', 'layout', 'tool', 'heat'], () => this.refresh());
  }

  /** Nothing is on the graphics card for now; what belongs there comes back when there is time. */
  refresh(): void {
    if (!this.on) return;
    this.stop();
    const { tool, heat } = this.app.state;
    if (BY_VERTICES.has(tool) || heat === 'reference') return;
    this.timer = setTimeout(() => void this.start(), CALM_MS);
  }

  stop(): void {
    ++this.round;
    clearTimeout(this.timer);
    const was = this.app.engine.drawn.length > 0;
    this.app.engine.drawn = [];
    this.app.store.set({ drawn: [] });
    if (was && this.app.state.opened && this.app.state.frame)
      void this.app.engine.change([], 'refresh').catch(() => undefined);
  }

  private async start(): Promise<void> {
    const { engine, state, store } = this.app;
    const { opened, frame, layout } = state;
    if (!opened?.info.skinned) return;
    if (!frame) return void (this.timer = setTimeout(() => void this.start(), CALM_MS)); // the first is on its way
    const round = this.round;
    const slots: Slot[] = layout === 'single' ? [0] : [0, 1];
    const drawn: typeof engine.drawn = [];
    for (const slot of slots) {
      const tables = await engine.call('tables', { slot }).catch(() => null);
      if (round !== this.round || !tables) return;
      const made = this.viewport.prepare(slot, tables, opened);
      const problem = typeof made === 'string' ? made : await made.problem();
      if (round !== this.round) return;
      this.reasons[slot] = problem ?? '';
      if (typeof made !== 'string' && problem === null) drawn.push({ slot, shapes: made.shapes });
    }
    // A frame that has both: what the graphics card cannot do right stays where it was.
    const both = await engine.change([]).catch(() => null);
    if (round !== this.round || !both) return;
    const kept: typeof drawn = [];
    for (const one of drawn) if (!(await this.differs(one, both))) kept.push(one);
    if (round !== this.round) return;
    engine.drawn = kept;
    store.set({ drawn: kept.map(({ slot }) => slot) });
    if (kept.length) await engine.change([], 'refresh').catch(() => undefined);
  }

  private async differs({ slot, shapes }: Drawn, frame: Frame): Promise<boolean> {
    // What the worker does itself, there is nothing to compare by.
    if (isKeyed(frame.pose) || (!shapes && isShaped(frame.pose))) return false;
    const made = frame.slots[slot]?.positions.slice(); // the frame may be given back meanwhile
    const shown = await this.viewport.made(slot, frame);
    if (!made?.length || !shown) return true;
    const off = distances(shown, made, diagonalOf(boxOf(made)) || 1).max;
    if (off < SAME) return false;
    this.reasons[slot] = `the graphics card is off by ${off.toExponential(1)} of the size`;
    return true;
  }
}
