// SPDX-License-Identifier: Apache-2.0
// The pointer as a brush on the mesh.
import { Vector3 } from 'three';
import type { App } from './app';
import type { Vec3 } from './protocol';
import type { Drag } from './tools';
import { pickTriangle, type Point2 } from './view/pick';
import type { Viewport } from './view/viewport';

/** Dabs lie this far apart, in radii. */
const SPACING = 0.3;
const MOST_DABS = 8; // of one move of the pointer

interface Place {
  vertex: number;
  place: Vec3;
  /** World length of a pixel there. */
  pixel: number;
}

/** Where the mesh lies under the pointer. */
function placeAt(app: App, viewport: Viewport, pointer: Point2): Place | null {
  const { opened } = app.state;
  const positions = viewport.meshes[0].positions;
  if (!opened || !positions) return null;
  const ray = viewport.ray(pointer);
  const hit = pickTriangle(ray.origin.toArray(), ray.direction.toArray(), positions, opened.triangles);
  if (!hit) return null;
  const place = ray.at(hit.distance, new Vector3());
  return { vertex: hit.vertex, place: place.toArray(), pixel: viewport.unit * place.distanceTo(viewport.eye) };
}

/** Null where the brush does not touch the mesh, or has nothing to paint. */
export function brushDrag(app: App, viewport: Viewport, pointer: Point2, event: PointerEvent): Drag | null {
  const first = placeAt(app, viewport, pointer);
  if (!first) return null;
  const { paint, state } = app;
  const problem = paint.problem;
  if (problem) {
    app.notices.notify('info', 'Paint', problem);
    return { move: () => undefined, end: () => undefined, cancel: () => undefined };
  }
  const before = state.strokes;
  paint.start(state.paint.size * first.pixel, event.shiftKey ? 'smooth' : undefined, event.ctrlKey ? -1 : 1);
  const pressureOf = (e: PointerEvent): number => (state.paint.pressure && e.pointerType === 'pen' ? e.pressure : 1);
  const dab = (place: Place, e: PointerEvent): void =>
    paint.dab({ vertex: place.vertex, place: place.place, pressure: pressureOf(e) });
  dab(first, event);
  let last = pointer;
  return {
    move: (now, e) => {
      const far = Math.hypot(now.x - last.x, now.y - last.y);
      const count = Math.min(MOST_DABS, Math.floor(far / (SPACING * state.paint.size)));
      for (let k = 1; k <= count; ++k) {
        const share = k / count;
        const at = { x: last.x + share * (now.x - last.x), y: last.y + share * (now.y - last.y) };
        const place = placeAt(app, viewport, at);
        if (place) dab(place, e);
      }
      if (count) last = now;
    },
    end: () => void paint.end(),
    cancel: () => void paint.cancel(before),
  };
}
