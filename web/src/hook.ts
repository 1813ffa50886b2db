// SPDX-License-Identifier: Apache-2.0
// What tests may read from outside: copies, nothing that can be changed.
import type { App } from './app';
import type { Graphics } from './graphics';
import { project } from './view/pick';
import type { Tools } from './tools';
import type { Viewport } from './view/viewport';

export function exposeHook(app: App, viewport: Viewport, tools: Tools, graphics: Graphics): void {
  const hook = {
    get ready() {
      return app.state.ready;
    },
    get busy() {
      return app.state.busy !== null || app.state.building;
    },
    get settled() {
      return app.engine.idle;
    },
    get file() {
      return app.state.file?.name ?? null;
    },
    get selected() {
      return app.state.selected;
    },
    get tool() {
      return app.state.tool;
    },
    get time() {
      return app.state.time;
    },
    get playing() {
      return app.state.playing;
    },
    get threads() {
      return app.state.threads;
    },
    get milliseconds() {
      return app.state.frame?.slots.map((s) => s?.milliseconds ?? 0) ?? [];
    },
    /** Slots that the graphics card deforms, and those of the last frame that it did. */
    get drawn() {
      return { slots: app.state.drawn, frame: app.state.frame?.slots.map((s) => s === null) ?? [] };
    },
    /** Why a slot is not on the graphics card. */
    get notDrawn() {
      return [...graphics.reasons];
    },
    get fps() {
      return app.state.fps;
    },
    get heat() {
      return app.state.heatView;
    },
    get movingJoints() {
      return app.state.heads !== null;
    },
    get strokes() {
      return app.state.strokes;
    },
    get strokeMilliseconds() {
      return app.paint.milliseconds;
    },
    get working() {
      return app.state.job !== null;
    },
    get canUndo() {
      return app.state.canUndo;
    },
    get alone() {
      return app.state.alone;
    },
    get dressed() {
      return viewport.dressed;
    },
    get camera() {
      return [...viewport.camera.position.toArray(), ...viewport.controls.target.toArray()];
    },
    /** Of all vertices: the weight of a joint, or the stiffness. */
    painted: async (kind: 'weight' | 'stiffness', joint: number): Promise<number[]> => [
      ...(await app.engine.call('channel', { kind, joint })),
    ],
    /** Where a vertex is on the screen, CSS pixels of the window. */
    vertexOnScreen: (vertex: number): { x: number; y: number } | null => {
      const positions = viewport.meshes[0].positions;
      return positions && onScreen(positions.subarray(3 * vertex, 3 * vertex + 3), viewport);
    },
    get pins() {
      return app.state.pins;
    },
    get joints() {
      return app.state.opened?.info.joints.map((j) => j.name) ?? [];
    },
    /** As they are drawn. */
    positions: (slot: 0 | 1): number[] => [...(viewport.meshes[slot].positions ?? [])],
    /** Of the graphics card, as they are drawn. */
    normals: (slot: 0 | 1): number[] => [...(viewport.meshes[slot].normals ?? [])],
    pose: () => ({
      locals: [...(app.state.frame?.pose.locals ?? [])],
      shapes: [...(app.state.frame?.pose.shapes ?? [])],
    }),
    head: (joint: number): number[] => [...(app.state.frame?.globals.subarray(16 * joint + 12, 16 * joint + 15) ?? [])],
    /** Where a joint is on the screen, CSS pixels of the window. */
    screen: (joint: number): { x: number; y: number } | null => {
      const heads = app.state.heads;
      const place = heads
        ? heads.slice(3 * joint, 3 * joint + 3)
        : app.state.frame?.globals.subarray(16 * joint + 12, 16 * joint + 15);
      return place ? onScreen(place, viewport) : null;
    },
    /** The same of what the tool lets one drag. */
    dots: () => {
      const places = tools.dots();
      return Array.from({ length: places.length / 3 }, (_, i) => onScreen(places.slice(3 * i, 3 * i + 3), viewport));
    },
  };
  Object.defineProperty(window, 'sinew', { value: Object.freeze(hook) });
}

function onScreen(place: ArrayLike<number>, viewport: Viewport): { x: number; y: number } | null {
  const box = viewport.canvas.getBoundingClientRect();
  const p = project(place, 0, viewport.projection({ x: 0, y: 0 }));
  return p && { x: p.x + box.left, y: p.y + box.top };
}
