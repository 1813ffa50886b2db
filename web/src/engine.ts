// SPDX-License-Identifier: Apache-2.0
// The page's side of the worker: calls as promises, poses in order with stale ones dropped, and a worker that died is
// started again with the file, the deformers and the pose that it had.
import type {
  Answer,
  Ask,
  Call,
  DeformSettings,
  Drawn,
  Frame,
  Kind,
  Op,
  Opened,
  Painted,
  PoseState,
  Ready,
  Reply,
  Slot,
  Told,
} from './protocol';

export class EngineError extends Error {
  constructor(
    message: string,
    readonly code: number,
  ) {
    super(message);
  }
}

const SLOW_MS = 700;

interface Waiting {
  kind: Kind;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}
interface Batch {
  key: string | null;
  ops: Op[];
  done: ((frame: Frame) => void)[];
  failed: ((error: Error) => void)[];
}

/** The part of a Worker that is used here; tests give their own. */
export interface WorkerLike {
  postMessage(message: unknown, transfer: Transferable[]): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<Reply | Told>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

export interface EngineEvents {
  frame(frame: Frame): void;
  /** The worker died; `why` is a sentence. */
  crashed(why: string): void;
  recovered(frame: Frame | null): void;
  /** How far a call is that takes long. */
  progress?(stage: string, fraction: number): void;
  /** A frame is taking long; and then no longer. */
  slow?(on: boolean): void;
}

export class Engine {
  private worker: WorkerLike | null = null;
  private nextId = 1;
  private readonly waiting = new Map<number, Waiting>();
  private queue: Batch[] = [];
  private running = false;
  private spare: ArrayBuffer[] = [];
  private file: { bytes: Uint8Array; name: string } | null = null;
  private readonly settings = new Map<Slot, DeformSettings>();
  private pose: PoseState | null = null;
  /** What was painted since the file was opened, in which pose. */
  private painted: { ask: Ask<'paint'>; pose: PoseState | null }[] = [];
  private strokes = 0;
  private recovering = false;
  /** What the next frame shows. */
  slots: Slot[] = [0];
  /** Of these only the pose is needed, where no key is on. */
  drawn: Drawn[] = [];
  selected = -1;

  constructor(
    private readonly start: () => WorkerLike,
    private readonly base: string,
    private readonly threads: boolean,
    private readonly events: EngineEvents,
  ) {}

  /** Nothing waits and nothing is under way. */
  get idle(): boolean {
    return !this.running && this.queue.length === 0 && this.waiting.size === 0;
  }

  async load(): Promise<Ready> {
    this.worker = this.start();
    this.worker.onmessage = (event) => this.receive(event.data);
    this.worker.onerror = (event) => {
      event.preventDefault?.();
      this.crash(event.message || 'The deformer stopped.');
    };
    return this.call('load', { threads: this.threads, base: this.base });
  }

  async open(bytes: Uint8Array, name: string): Promise<Opened> {
    const opened = await this.call('open', { bytes, name });
    this.file = { bytes, name };
    this.settings.clear();
    this.pose = null;
    this.painted = [];
    this.strokes = 0;
    this.spare = [];
    return opened;
  }

  async setDeformer(slot: Slot, settings: DeformSettings): Promise<string[]> {
    const warnings = await this.call('deformer', { slot, settings });
    this.settings.set(slot, settings);
    return warnings;
  }

  async paint(ask: Ask<'paint'>): Promise<Painted> {
    const painted = await this.call('paint', ask);
    if (ask.begin) this.painted = firstStrokes(this.painted, this.strokes);
    this.painted.push({ ask, pose: this.pose });
    this.strokes = painted.strokes;
    return painted;
  }

  async paintTo(ask: Ask<'paintTo'>): Promise<Painted> {
    const painted = await this.call('paintTo', ask);
    this.strokes = painted.strokes;
    return painted;
  }

  /** Puts changes behind those that wait. With a key, a batch of the same key that still waits is dropped: it must
   * therefore not build on that one. */
  change(ops: Op[], key: string | null = null): Promise<Frame> {
    return new Promise((resolve, reject) => {
      const last = this.queue.at(-1);
      if (key !== null && last?.key === key) {
        last.ops = ops;
        last.done.push(resolve);
        last.failed.push(reject);
      } else {
        this.queue.push({ key, ops, done: [resolve], failed: [reject] });
      }
      void this.pump();
    });
  }

  /** Buffers of a frame that is no longer shown. */
  recycle(frame: Frame | null): void {
    if (!frame) return;
    for (const slot of frame.slots)
      if (slot) this.spare.push(slot.positions.buffer as ArrayBuffer, slot.normals.buffer as ArrayBuffer);
    this.spare = this.spare.slice(-4);
  }

  call<K extends Kind>(kind: K, ask: Ask<K>, move: Transferable[] = []): Promise<Answer<K>> {
    return new Promise((resolve, reject) => {
      if (!this.worker) return reject(new EngineError('The deformer is not running.', 0));
      const id = this.nextId++;
      this.waiting.set(id, { kind, resolve: resolve as (answer: unknown) => void, reject });
      this.worker.postMessage({ id, kind, ask } satisfies Call, move);
    });
  }

  /** Ends the worker at once and starts another. */
  restart(why: string): void {
    this.crash(why);
  }

  private async pump(): Promise<void> {
    if (this.running || this.recovering || this.queue.length === 0) return;
    this.running = true;
    const batches = this.queue;
    this.queue = [];
    const spare = this.spare;
    this.spare = [];
    const timer = setTimeout(() => this.events.slow?.(true), SLOW_MS);
    try {
      const { slots, drawn, selected } = this;
      const ask = { ops: batches.flatMap((b) => b.ops), slots, drawn, selected, spare };
      const frame = await this.call('frame', ask, spare);
      this.pose = frame.pose;
      this.events.frame(frame);
      batches.forEach((b) => b.done.forEach((done) => done(frame)));
    } catch (error) {
      batches.forEach((b) => b.failed.forEach((failed) => failed(error as Error)));
    } finally {
      clearTimeout(timer);
      this.events.slow?.(false);
      this.running = false;
      void this.pump();
    }
  }

  private receive(reply: Reply | Told): void {
    if ('progress' in reply) return this.events.progress?.(reply.progress.stage, reply.progress.fraction);
    const call = this.waiting.get(reply.id);
    if (!call) return;
    this.waiting.delete(reply.id);
    if ('answer' in reply) return call.resolve(reply.answer);
    call.reject(new EngineError(reply.error, reply.code));
    if (reply.code === 0 && call.kind !== 'load') this.crash(reply.error);
  }

  private crash(why: string): void {
    this.worker?.terminate();
    this.worker = null;
    const calls = [...this.waiting.values()];
    this.waiting.clear();
    calls.forEach((call) => call.reject(new EngineError(why, 0)));
    if (this.recovering) return; // it died again on the way back: recover() tells
    this.events.crashed(why);
    void this.recover();
  }

  private async recover(): Promise<void> {
    this.recovering = true;
    let frame: Frame | null = null;
    try {
      await this.load();
      if (this.file) {
        await this.call('open', this.file);
        for (const [slot, settings] of this.settings) await this.call('deformer', { slot, settings });
        for (const { ask, pose } of firstStrokes(this.painted, this.strokes)) {
          await this.call('frame', { ops: back(pose), slots: [0], drawn: [], selected: -1, spare: [] });
          await this.call('paint', ask);
        }
        const ops = back(this.pose);
        frame = await this.call('frame', { ops, slots: this.slots, drawn: [], selected: this.selected, spare: [] });
      }
      this.recovering = false;
      this.events.recovered(frame);
      void this.pump();
    } catch (error) {
      this.recovering = false;
      this.worker = null;
      this.events.crashed(`It could not be started again: ${(error as Error).message}`);
    }
  }
}

function back(pose: PoseState | null): Op[] {
  return pose ? [{ op: 'setPose', pose }] : [];
}

/** The calls of this many strokes. */
function firstStrokes<T extends { ask: Ask<'paint'> }>(calls: T[], strokes: number): T[] {
  let begun = 0;
  return calls.filter(({ ask }) => (begun += ask.begin ? 1 : 0) <= strokes);
}
