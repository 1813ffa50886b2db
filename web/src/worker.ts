// SPDX-License-Identifier: Apache-2.0
// Holds the WebAssembly module and the open character, and answers one message at a time.
import type { Info, Module, Session, Frame as WasmFrame } from '@wasm';
import type { Answer, Ask, Call, Frame, Kind, Op, Painted, Reply, Slot, SlotFrame, Stroke, Told } from './protocol';
import { isKeyed, isShaped } from './protocol';
import { loadModule } from './wasm';

let sinew: Module | null = null;
let session: Session | null = null;
let info: Info | null = null; // of the session: it is made anew in each call of the module

function open(): Session {
  if (!session) throw Object.assign(new Error('No file is open.'), { code: 2 });
  return session;
}

function apply(s: Session, op: Op): void {
  switch (op.op) {
    case 'setPose':
      return s.setPose(op.pose);
    case 'reset':
      return s.resetPose();
    case 'rotate':
      return s.rotateJoint(op.joint, ...op.by);
    case 'angles':
      return s.setAngles(op.joint, op.degrees);
    case 'translate':
      return s.translateJoint(op.joint, ...op.by);
    case 'drag':
      return s.dragJoint(op.joint, ...op.to);
    case 'reach':
      return void s.reach(op.joint, ...op.to, op.chain);
    case 'shape':
      return s.setShape(op.joint, op.stretch, op.head, op.tail);
    case 'key':
      return s.setKey(op.key, op.weight);
    case 'clip':
      return s.setClip(op.clip, op.seconds);
    case 'cage':
      return s.moveCage(op.cage, op.points);
    case 'handle':
      return s.moveHandle(op.handle, op.position, op.rotation);
    case 'release':
      return s.releaseHandle(op.handle);
  }
}

/** A copy out of the module's memory, into a buffer that the page gave back where one fits. */
function copy(view: Float32Array, spare: ArrayBuffer[]): Float32Array<ArrayBuffer> {
  const index = spare.findIndex((buffer) => buffer.byteLength === view.byteLength);
  const target = index < 0 ? new Float32Array(view.length) : new Float32Array(spare.splice(index, 1)[0]);
  target.set(view);
  return target;
}

function copyFrame(frame: WasmFrame, spare: ArrayBuffer[]): SlotFrame {
  return {
    positions: copy(frame.positions, spare),
    normals: copy(frame.normals, spare),
    milliseconds: frame.milliseconds,
  };
}

function makeFrame(ask: Ask<'frame'>): Frame {
  const s = open();
  ask.ops.forEach((op) => apply(s, op));
  const { handles: points, cages } = (info ??= s.info());
  const pose = s.pose();
  const shaped = isShaped(pose),
    keyed = isKeyed(pose);
  const elsewhere = (slot: Slot): boolean =>
    !keyed && ask.drawn.some((one) => one.slot === slot && (one.shapes || !shaped));
  const handles = new Float64Array(7 * points.length);
  points.forEach((_, h) => handles.set(s.handle(h), 7 * h));
  return {
    slots: ask.slots.map((slot) => (elsewhere(slot) ? null : copyFrame(s.evaluate(slot), ask.spare))),
    pose,
    globals: s.globals().slice(),
    segments: s.segments().slice(),
    angles: ask.selected < 0 ? [0, 0, 0] : s.angles(ask.selected),
    cages: cages.map((_, c) => s.cage(c).slice()),
    handles,
  };
}

function painted(kind: Stroke['kind'], joint: number, slots: Slot[], started: number): Painted {
  const s = open();
  const frames = slots.map((slot) => copyFrame(s.evaluate(slot), []));
  const shown = kind === 'stiffness' || joint >= 0;
  const values = shown ? s.channel(kind, joint).slice() : new Float32Array(frames[0].positions.length / 3).fill(NaN);
  return { slots: frames, values, strokes: s.strokes(), milliseconds: performance.now() - started };
}

const handlers: { [K in Kind]: (ask: Ask<K>) => Answer<K> | Promise<Answer<K>> } = {
  async load(ask) {
    sinew = await loadModule(ask.base, ask.threads);
    sinew.onProgress((stage, fraction) => self.postMessage({ progress: { stage, fraction } } satisfies Told));
    return {
      version: sinew.version(),
      deformers: sinew.deformers(),
      settings: sinew.settings(),
      threads: sinew.threads,
      choices: sinew.choices(),
    };
  },
  open(ask) {
    if (!sinew) throw new Error('The module is not loaded.');
    const opened = sinew.open(ask.bytes, ask.name);
    session?.delete();
    session = opened;
    info = opened.info();
    return {
      info,
      triangles: opened.triangles().slice(),
      edges: opened.edges().slice(),
      rest: opened.rest().slice(),
      stored: opened.storedDeformer(),
      looks: opened.looks(),
    };
  },
  tables: (ask) => sinew!.tables(open(), ask.slot),
  deformer: (ask) => open().setDeformer(ask.slot, ask.settings),
  frame: makeFrame,
  channel: (ask) => open().channel(ask.kind, ask.joint).slice(),
  arapBegin(ask) {
    open().arapBegin(ask.vertices, ask.slot);
    return null;
  },
  arapDrag: (ask) => copyFrame(open().arapDrag(ask.targets, ask.steps), []),
  arapEnd() {
    open().arapEnd();
    return null;
  },
  save(ask) {
    const s = open();
    if (!ask.atRest) return s.save().slice();
    const pose = s.pose();
    s.resetPose();
    try {
      return s.save().slice();
    } finally {
      s.setPose(pose);
    }
  },
  paint(ask) {
    const started = performance.now();
    open().paint(ask.stroke, ask.dabs, ask.begin);
    return painted(ask.stroke.kind, ask.stroke.joint, ask.slots, started);
  },
  paintTo(ask) {
    const started = performance.now();
    open().paintTo(ask.strokes);
    return painted(ask.kind, ask.joint, ask.slots, started);
  },
  saveMesh: (ask) => open().saveMesh(ask.slot, ask.format).slice(),
  skeleton: () => open().skeletonJson(),
};

/** Big arrays of an answer, to be moved. */
function movable(answer: Answer<Kind>): Transferable[] {
  if (answer === null || typeof answer !== 'object') return [];
  if (answer instanceof Uint8Array || answer instanceof Float32Array) return [answer.buffer as ArrayBuffer];
  if ('strokes' in answer)
    return [answer.values, ...answer.slots.flatMap((s) => [s.positions, s.normals])].map(
      (a) => a.buffer as ArrayBuffer,
    );
  if ('slots' in answer)
    return answer.slots.flatMap((s) => (s ? [s.positions.buffer as ArrayBuffer, s.normals.buffer as ArrayBuffer] : []));
  if ('positions' in answer) return [answer.positions.buffer as ArrayBuffer, answer.normals.buffer as ArrayBuffer];
  if ('triangles' in answer) return [answer.triangles.buffer, answer.edges.buffer, answer.rest.buffer] as ArrayBuffer[];
  return [];
}

/** Errors of the session carry a code; anything else is a fault inside the module, which must not go on. */
function failure(id: number, error: unknown): Reply {
  const { message, code } = (error ?? {}) as { message?: string; code?: number };
  return { id, error: message ?? String(error), code: typeof code === 'number' ? code : 0 };
}

self.onmessage = async (event: MessageEvent<Call>) => {
  const { id, kind, ask } = event.data;
  try {
    const answer = await (handlers[kind] as (ask: Ask<Kind>) => Answer<Kind> | Promise<Answer<Kind>>)(ask);
    const reply: Reply = { id, answer };
    self.postMessage(reply, { transfer: movable(answer) });
  } catch (error) {
    self.postMessage(failure(id, error));
  }
};
