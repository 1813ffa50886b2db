// SPDX-License-Identifier: Apache-2.0
// Holds the WebAssembly module and the open character, and answers one message at a time.
import type createSinew from '@wasm';
import type { Info, Module, Session, Frame as WasmFrame } from '@wasm';
import type { Answer, Ask, Call, Frame, Kind, Op, Reply, SlotFrame } from './protocol';

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
  const handles = new Float64Array(7 * points.length);
  points.forEach((_, h) => handles.set(s.handle(h), 7 * h));
  return {
    slots: ask.slots.map((slot) => copyFrame(s.evaluate(slot), ask.spare)),
    pose: s.pose(),
    globals: s.globals().slice(),
    segments: s.segments().slice(),
    angles: ask.selected < 0 ? [0, 0, 0] : s.angles(ask.selected),
    cages: cages.map((_, c) => s.cage(c).slice()),
    handles,
  };
}

const handlers: { [K in Kind]: (ask: Ask<K>) => Answer<K> | Promise<Answer<K>> } = {
  async load(ask) {
    const start = async (script: string): Promise<Module> => {
      const module = (await import(/* @vite-ignore */ new URL(`wasm/${script}`, ask.base).href)) as {
        default: typeof createSinew;
      };
      return module.default();
    };
    // A browser that says it has threads may still refuse them: one thread always works.
    sinew = ask.threads ? await start('sinew-threads.js').catch(() => start('sinew.js')) : await start('sinew.js');
    return {
      version: sinew.version(),
      deformers: sinew.deformers(),
      settings: sinew.settings(),
      threads: sinew.threads,
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
    };
  },
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
  save: () => open().save().slice(),
  saveMesh: (ask) => open().saveMesh(ask.slot, ask.format).slice(),
  skeleton: () => open().skeletonJson(),
};

/** Big arrays of an answer, to be moved. */
function movable(answer: Answer<Kind>): Transferable[] {
  if (answer === null || typeof answer !== 'object') return [];
  if (answer instanceof Uint8Array || answer instanceof Float32Array) return [answer.buffer as ArrayBuffer];
  if ('slots' in answer)
    return answer.slots.flatMap((s) => [s.positions.buffer as ArrayBuffer, s.normals.buffer as ArrayBuffer]);
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
