// SPDX-License-Identifier: Apache-2.0
import type { App } from './app';
import { History } from './history';
import type { Frame, Op, PoseState } from './protocol';
import type { OpenFile, Pin, State } from './state';

/** A change that goes on while the pointer is down; one step of undo. */
export interface Gesture {
  /** What is done to the pose that was there at the beginning. */
  live(ops: Op[]): void;
  end(): Promise<void>;
  cancel(): Promise<void>;
}

/** All that a step of undo goes back to: the pose with its cages and handles, the pins, what was painted, and the file
 * where work in place made another one of it. */
interface Snapshot {
  pose: PoseState;
  pins: Pin[];
  strokes: number;
  file: OpenFile | null;
  slots: State['slots'];
}

/** Changes of the pose, each a step of undo; and clips. */
export class Posing {
  private readonly history = new History<Snapshot>();

  constructor(private readonly app: App) {}

  /** Forgets what could be undone. */
  start(pose: PoseState): void {
    this.history.start(this.snapshot(pose));
    this.refreshUndo();
  }

  /** A change that is one step of undo by itself. */
  async edit(ops: Op[]): Promise<void> {
    this.pause();
    try {
      const frame = await this.app.engine.change(ops);
      this.commit(frame.pose);
    } catch (error) {
      this.impossible(error);
    }
  }

  gesture(): Gesture {
    this.pause();
    const { engine } = this.app;
    let start: Op[] | null = null;
    let wanted: Op[] | null = null;
    let last: Promise<Frame | null> = Promise.resolve(null);
    const begin = (frame: Frame | null): void => {
      start = frame ? [{ op: 'setPose', pose: frame.pose }] : [];
    };
    const send = (ops: Op[]): void => {
      last = engine.change([...(start ?? []), ...ops], 'gesture').catch((error: unknown) => {
        this.impossible(error);
        return null;
      });
    };
    // What was asked for before has to be there first: the gesture begins with its result.
    let ready: Promise<void> = Promise.resolve();
    if (engine.idle) begin(this.app.state.frame);
    else {
      ready = engine
        .change([])
        .then((frame) => {
          begin(frame);
          if (wanted) send(wanted);
        })
        .catch(() => begin(this.app.state.frame));
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

  commit(pose: PoseState | undefined = this.app.state.frame?.pose): void {
    if (!pose) return;
    this.history.commit(this.snapshot(pose));
    this.refreshUndo();
  }

  private snapshot(pose: PoseState): Snapshot {
    const { pins, strokes, file, slots } = this.app.state;
    return { pose, pins, strokes, file, slots };
  }

  undo(): Promise<void> {
    return this.step('Undo', () => this.history.undo());
  }

  redo(): Promise<void> {
    return this.step('Redo', () => this.history.redo());
  }

  private async step(title: string, take: () => Snapshot | undefined): Promise<void> {
    this.pause();
    if (this.app.state.heads) return this.app.joints.step(title);
    const snapshot = take();
    this.refreshUndo();
    if (!snapshot) return;
    try {
      const { file, slots, pose, strokes } = snapshot;
      if (file && file !== this.app.state.file) await this.app.files.swap(file, slots[0]);
      await this.app.paint.goTo(strokes);
      await this.app.engine.change([{ op: 'setPose', pose }]);
      await this.app.pins.restore(snapshot.pins);
    } catch (error) {
      this.app.notices.fail(title, error);
    }
  }

  reset(): Promise<void> {
    return this.edit([{ op: 'reset' }]);
  }

  refreshUndo(): void {
    const history = this.app.state.heads ? this.app.joints.history : this.history;
    this.app.store.set({ canUndo: history.canUndo, canRedo: history.canRedo });
  }

  select(joint: number): void {
    const { engine, state, store, heat } = this.app;
    if (joint === state.selected) return;
    engine.selected = joint;
    store.set({ selected: joint });
    if (state.opened) void engine.change([], 'select').catch(() => undefined);
    if (state.heat !== 'none' && state.heat !== 'reference') void heat.set(state.heat);
  }

  play(): void {
    if (this.app.state.clip >= 0) this.app.store.set({ playing: true });
  }

  pause(): void {
    if (!this.app.state.playing) return;
    this.app.store.set({ playing: false });
    this.commit();
  }

  chooseClip(clip: number): void {
    this.app.store.set({ clip, time: 0 });
    void this.edit([{ op: 'clip', clip, seconds: 0 }]);
  }

  /** Shows a moment of the clip, while it plays or is scrubbed. */
  seek(seconds: number): Promise<Frame> {
    this.app.store.set({ time: seconds });
    return this.app.engine.change([{ op: 'clip', clip: this.app.state.clip, seconds }], 'clip');
  }

  private impossible(error: unknown): void {
    this.app.notices.fail('This pose is not possible', error);
  }
}
