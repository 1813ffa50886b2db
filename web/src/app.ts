// SPDX-License-Identifier: Apache-2.0
// The parts of the page over one state. Panels, tools and shortcuts call them; they change the state, and the views follow.
import type { Api } from './api';
import { Deformers } from './deformers';
import type { Engine } from './engine';
import { Files } from './files';
import { Heat } from './heat';
import { Joints } from './joints';
import { Jobs } from './jobs';
import type { Runner } from './jobRunner';
import { Notices } from './notices';
import { Paint } from './paint';
import { Pins } from './pins';
import { Posing } from './pose';
import type { SlotFrame } from './protocol';
import { initial, type State, type Tool } from './state';
import { Store } from './store';

/** What the parts ask of the picture. */
export interface Picture {
  /** Values that the mesh of each slot is coloured by. */
  paint(values: (Float32Array | null)[], range: number): void;
  fit(box: number[]): void;
  /** The same without moving the camera. */
  place(box: number[]): void;
  /** The mesh of the first slot got other vertices. */
  show(frame: SlotFrame): void;
}

export class App {
  readonly store = new Store<State>(initial);
  readonly notices = new Notices(this.store);
  readonly files = new Files(this);
  readonly pose = new Posing(this);
  readonly pins = new Pins(this);
  readonly joints = new Joints(this);
  readonly deformers = new Deformers(this);
  readonly heat = new Heat(this);
  readonly paint = new Paint(this);
  readonly jobs: Jobs;
  picture: Picture = { paint: () => undefined, fit: () => undefined, place: () => undefined, show: () => undefined };

  constructor(
    readonly engine: Engine,
    readonly api: Api,
    runner: Runner,
  ) {
    this.jobs = new Jobs(this, runner);
  }

  get state(): Readonly<State> {
    return this.store.state;
  }

  setTool(tool: Tool): void {
    const was = this.state.tool;
    if (tool === was) return;
    this.pose.pause();
    if (was === 'pin' && this.state.pins.length) void this.pins.drop();
    this.store.set({ tool, dot: -1, hoveredDot: -1 });
    if (was === 'joints') this.joints.leave();
    if (was === 'paint') this.paint.leave();
    if (tool === 'paint') void this.paint.enter();
    if (tool === 'joints') void this.joints.begin();
    const deformer = this.state.slots[0].deformer;
    if (tool === 'cage' && !deformer.startsWith('cage')) void this.deformers.set(0, { deformer: 'cage' });
    if (tool === 'handle' && !deformer.startsWith('points')) void this.deformers.set(0, { deformer: 'points' });
    if (tool === 'pin' && this.state.layout !== 'single') void this.deformers.setLayout('single');
  }
}
