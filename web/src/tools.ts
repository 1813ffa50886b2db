// SPDX-License-Identifier: Apache-2.0
// The pointer over the picture: what it takes hold of, and what dragging does. What no tool wants turns the view.
import { Quaternion, Vector3 } from 'three';
import type { App } from './app';
import { brushDrag } from './brush';
import { formatNumber } from './numbers';
import type { Op, Vec3 } from './protocol';
import { limbsOf } from './view/limbs';
import { pickPoint, pickSegment, pickTriangle, project, turnedBy, type Point2 } from './view/pick';
import type { Ring } from './view/rings';
import type { Viewport } from './view/viewport';
import type { Gesture } from './pose';
import { poseable } from './state';

export interface Drag {
  move(pointer: Point2, event: PointerEvent): void;
  end(moved: boolean): void;
  cancel(): void;
}

const DEGREES = 180 / Math.PI;

export class Tools {
  private drag: Drag | null = null;
  private start: Point2 = { x: 0, y: 0 };
  private moved = false;
  private readonly pointers = new Set<number>();
  private first: PointerEvent | null = null;
  private handing = false;
  viewport!: Viewport;

  constructor(private readonly app: App) {}

  attach(canvas: HTMLCanvasElement): void {
    canvas.addEventListener('pointerdown', (event) => this.down(event, canvas));
    canvas.addEventListener('pointermove', (event) => this.move(event, canvas));
    const up = (event: PointerEvent) => this.up(event);
    canvas.addEventListener('pointerup', up);
    canvas.addEventListener('pointercancel', up);
    canvas.addEventListener('pointerleave', () => this.app.store.set({ hovered: -1, brush: null }));
  }

  /** Gives back what is being dragged. */
  cancel(): boolean {
    if (!this.drag) return false;
    this.drag.cancel();
    this.finish();
    return true;
  }

  private at(event: PointerEvent, canvas: HTMLCanvasElement): Point2 {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private down(event: PointerEvent, canvas: HTMLCanvasElement): void {
    canvas.focus({ preventScroll: true });
    if (this.handing) return;
    this.pointers.add(event.pointerId);
    if (this.pointers.size > 1) {
      // A second finger means the view, which has to know of the first one too.
      if (this.cancel() && this.first) this.handOver(this.first, canvas);
      return;
    }
    this.first = event;
    if (event.button !== 0) return;
    this.start = this.at(event, canvas);
    this.moved = false;
    this.drag = this.take(this.start, event);
    if (!this.drag) return;
    event.stopImmediatePropagation();
    canvas.setPointerCapture(event.pointerId);
  }

  /** The press of a finger, for the controls of the view. */
  private handOver(first: PointerEvent, canvas: HTMLCanvasElement): void {
    const { pointerId, pointerType, clientX, clientY } = first;
    this.moved = true; // no click, whichever finger goes first
    this.handing = true;
    canvas.dispatchEvent(
      new PointerEvent('pointerdown', {
        pointerId,
        pointerType,
        clientX,
        clientY,
        button: 0,
        buttons: 1,
        isPrimary: true,
      }),
    );
    this.handing = false;
  }

  private move(event: PointerEvent, canvas: HTMLCanvasElement): void {
    const pointer = this.at(event, canvas);
    if (event.buttons === 0) return this.hover(pointer, canvas);
    if (Math.hypot(pointer.x - this.start.x, pointer.y - this.start.y) > 4) this.moved = true;
    if (this.app.state.tool === 'paint') this.app.store.set({ brush: pointer });
    if (!this.drag) return;
    event.stopImmediatePropagation();
    if (this.moved) this.drag.move(pointer, event);
  }

  private up(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    const drag = this.drag;
    if (!drag) {
      if (!this.moved && event.button === 0 && event.type === 'pointerup')
        this.click(this.start, event.pointerType === 'touch');
      return;
    }
    event.stopImmediatePropagation();
    if (event.type === 'pointercancel') drag.cancel();
    else drag.end(this.moved);
    this.finish();
  }

  private finish(): void {
    this.drag = null;
    this.viewport.rings.active = '';
    this.app.store.set({ readout: null });
    this.viewport.invalidate();
  }

  // --- what is under the pointer ---

  private heads(): Float64Array | null {
    const { frame, opened, heads } = this.app.state;
    if (heads) return heads;
    if (!frame || !opened) return null;
    const out = new Float64Array(3 * opened.info.joints.length);
    const shown = poseable(opened.info);
    for (let j = 0; 3 * j < out.length; ++j) {
      if (shown[j]) out.set(frame.globals.subarray(16 * j + 12, 16 * j + 15), 3 * j);
      else out.fill(NaN, 3 * j, 3 * j + 3); // is nowhere, and not picked
    }
    return out;
  }

  private joint(pointer: Point2, reach: number): number {
    const heads = this.heads();
    if (!heads || !this.app.state.show.skeleton) return -1;
    return pickPoint(pointer, heads, this.viewport.projection(pointer), reach);
  }

  private bone(pointer: Point2): number {
    const { frame, opened, show, heads } = this.app.state;
    if (!frame || !opened || !show.skeleton || heads) return -1;
    const limbs = limbsOf(opened.info, frame);
    const segment = pickSegment(pointer, limbs.segments, this.viewport.projection(pointer), 7);
    return segment < 0 ? -1 : limbs.joints[segment];
  }

  private ring(pointer: Point2, reach: number): Ring | null {
    return this.viewport.rings.pick(
      pointer,
      this.viewport.projection(pointer),
      this.viewport.eye,
      this.viewport.unit,
      reach,
    );
  }

  /** Control points, handles or pins, as the tool shows them. */
  dots(): number[] {
    const { tool, frame, pins } = this.app.state;
    if (!frame) return [];
    if (tool === 'cage') return frame.cages.flatMap((points) => [...points]);
    if (tool === 'handle') return handlePlaces(frame.handles);
    return tool === 'pin' ? pins.flatMap((pin) => pin.target) : [];
  }

  private hover(pointer: Point2, canvas: HTMLCanvasElement): void {
    const ring = this.ring(pointer, 9);
    const dots = this.dots();
    const dot = ring || !dots.length ? -1 : pickPoint(pointer, dots, this.viewport.projection(pointer), 11);
    const { tool } = this.app.state;
    const joints = tool !== 'cage' && tool !== 'handle' && tool !== 'pin';
    this.app.store.set({ brush: tool === 'paint' ? pointer : null });
    let joint = ring || dot >= 0 || !joints ? -1 : this.joint(pointer, 11);
    const head = joint >= 0;
    if (joints && joint < 0 && !ring && dot < 0) joint = this.bone(pointer);
    if (this.viewport.rings.hovered !== (ring?.id ?? '')) {
      this.viewport.rings.hovered = ring?.id ?? '';
      this.viewport.invalidate();
    }
    this.app.store.set({ hovered: joint, hoveredDot: dot });
    const grab = ring !== null || dot >= 0 || (head && (tool === 'stretch' || tool === 'reach' || tool === 'joints'));
    canvas.style.cursor = grab
      ? 'grab'
      : joint >= 0
        ? 'pointer'
        : tool === 'pin' || tool === 'paint'
          ? 'crosshair'
          : '';
  }

  private click(pointer: Point2, touch: boolean): void {
    const { tool, opened } = this.app.state;
    if (!opened) return;
    if (tool === 'pin') return this.pin(pointer);
    if (tool === 'cage' || tool === 'handle') return this.app.store.set({ dot: -1 });
    const joint = this.joint(pointer, touch ? 24 : 11);
    this.app.pose.select(joint >= 0 ? joint : this.bone(pointer));
  }

  private pin(pointer: Point2): void {
    const { opened, pins } = this.app.state;
    const positions = this.viewport.meshes[0].positions;
    if (!opened || !positions) return;
    const ray = this.viewport.ray(pointer);
    const hit = pickTriangle(ray.origin.toArray(), ray.direction.toArray(), positions, opened.triangles);
    if (!hit || pins.some((p) => p.vertex === hit.vertex)) return;
    const target: Vec3 = [positions[3 * hit.vertex], positions[3 * hit.vertex + 1], positions[3 * hit.vertex + 2]];
    void this.app.pins.set([...pins, { vertex: hit.vertex, target }]);
  }

  // --- what a press takes hold of ---

  private take(pointer: Point2, event: PointerEvent): Drag | null {
    const { tool } = this.app.state;
    const touch = event.pointerType === 'touch';
    if (!this.app.state.frame) return null;
    if (tool === 'paint') return brushDrag(this.app, this.viewport, pointer, event);
    const ring = this.ring(pointer, touch ? 20 : 9);
    if (ring) return ring.id.startsWith('twist') ? this.twistDrag(ring, pointer) : this.turnDrag(ring, pointer);
    const dots = this.dots();
    const dot = dots.length ? pickPoint(pointer, dots, this.viewport.projection(pointer), touch ? 24 : 12) : -1;
    if (dot >= 0) return this.dotDrag(dot, dots);
    if (tool !== 'stretch' && tool !== 'reach' && tool !== 'joints') return null;
    if (tool === 'joints' && !this.app.state.heads) return null; // the rest pose is on its way
    const joint = this.joint(pointer, touch ? 24 : 12);
    return joint < 0 ? null : this.jointDrag(joint);
  }

  /** Radians about the ring's axis as the pointer goes round it. */
  private turner(ring: Ring, pointer: Point2): (pointer: Point2, event: PointerEvent) => number {
    const view = this.viewport.projection(pointer);
    const centre = project(ring.centre.toArray(), 0, view) ?? pointer;
    const facing = ring.axis.dot(this.viewport.eye.clone().sub(ring.centre).normalize());
    const tip =
      project(
        ring.centre
          .clone()
          .addScaledVector(ring.axis, 30 * this.viewport.unit * ring.centre.distanceTo(this.viewport.eye))
          .toArray(),
        0,
        view,
      ) ?? centre;
    let last = pointer;
    let turned = 0;
    return (now, event) => {
      if (Math.abs(facing) > 0.2) {
        turned += -turnedBy(centre, last, now) * Math.sign(facing);
      } else {
        // Seen from its edge, a ring is a line: along it counts.
        const length = Math.hypot(tip.x - centre.x, tip.y - centre.y) || 1;
        const along = { x: -(tip.y - centre.y) / length, y: (tip.x - centre.x) / length };
        turned += ((now.x - last.x) * along.x + (now.y - last.y) * along.y) / -ring.radius;
      }
      last = now;
      return event.shiftKey ? Math.round((turned * DEGREES) / 5) * (5 / DEGREES) : turned;
    };
  }

  private turnDrag(ring: Ring, pointer: Point2): Drag {
    const gesture = this.app.pose.gesture();
    const joint = this.app.state.selected;
    const turn = this.turner(ring, pointer);
    this.viewport.rings.active = ring.id;
    return this.gestureDrag(gesture, (now, event) => {
      const angle = turn(now, event);
      const q = new Quaternion().setFromAxisAngle(ring.axis, angle);
      this.say(`${ring.name} ${formatNumber(angle * DEGREES)}°`, now);
      return [{ op: 'rotate', joint, by: [q.x, q.y, q.z, q.w] }];
    });
  }

  private twistDrag(ring: Ring, pointer: Point2): Drag {
    const gesture = this.app.pose.gesture();
    const joint = this.app.state.selected;
    const [stretch, head, tail] = this.app.state.frame?.pose.shapes.subarray(3 * joint, 3 * joint + 3) ?? [1, 0, 0];
    const turn = this.turner(ring, pointer);
    this.viewport.rings.active = ring.id;
    return this.gestureDrag(gesture, (now, event) => {
      const angle = turn(now, event);
      const atHead = ring.id === 'twist-head';
      this.say(`${ring.name} ${formatNumber(((atHead ? head : tail) + angle) * DEGREES)}°`, now);
      return [{ op: 'shape', joint, stretch, head: head + (atHead ? angle : 0), tail: tail + (atHead ? 0 : angle) }];
    });
  }

  private jointDrag(joint: number): Drag {
    this.app.pose.select(joint);
    const { tool, chain } = this.app.state;
    const heads = this.heads();
    const place = new Vector3().fromArray(heads ?? [0, 0, 0], heads ? 3 * joint : 0);
    if (tool === 'joints') return this.headDrag(joint, place);
    const gesture = this.app.pose.gesture();
    return this.gestureDrag(gesture, (now) => {
      const to = this.viewport.inPlane(now, place).toArray() as Vec3;
      return [tool === 'stretch' ? { op: 'drag', joint, to } : { op: 'reach', joint, to, chain }];
    });
  }

  /** A rest head of its own, children left where they are. */
  private headDrag(joint: number, place: Vector3): Drag {
    const before = this.app.state.heads;
    return {
      move: (now) => {
        const heads = (before ?? new Float64Array()).slice();
        this.viewport.inPlane(now, place).toArray(heads, 3 * joint);
        this.app.store.set({ heads });
      },
      end: (moved) => {
        const { heads } = this.app.state;
        if (moved && heads) this.app.joints.commit(heads);
      },
      cancel: () => this.app.store.set({ heads: before }),
    };
  }

  private dotDrag(dot: number, dots: number[]): Drag {
    this.app.store.set({ dot });
    const { tool, frame } = this.app.state;
    const place = new Vector3().fromArray(dots, 3 * dot);
    if (tool === 'pin') return this.pinDrag(dot, place);
    const gesture = this.app.pose.gesture();
    return this.gestureDrag(gesture, (now) => {
      const to = this.viewport.inPlane(now, place);
      if (tool === 'handle' && frame) {
        const [x, y, z, w] = frame.handles.subarray(7 * dot + 3, 7 * dot + 7);
        return [{ op: 'handle', handle: dot, position: to.toArray(), rotation: [x, y, z, w] }];
      }
      return this.cageOp(dot, to);
    });
  }

  private pinDrag(pin: number, place: Vector3): Drag {
    const { pins } = this.app;
    const before = this.app.state.pins;
    return {
      move: (now) => pins.move(pin, this.viewport.inPlane(now, place).toArray()),
      end: (moved) => (moved ? this.app.pose.commit() : undefined),
      cancel: () => pins.move(pin, before[pin].target),
    };
  }

  /** The control point in bind space: what it lacks to the pointer is added to what it was. */
  private cageOp(dot: number, to: Vector3): Op[] {
    const { frame } = this.app.state;
    if (!frame) return [];
    let first = 0;
    for (let cage = 0; cage < frame.cages.length; ++cage) {
      const count = frame.cages[cage].length / 3;
      if (dot < first + count) {
        const at = 3 * (dot - first);
        const points = (
          frame.pose.cages[cage]?.length ? frame.pose.cages[cage] : this.app.files.restCages[cage]
        ).slice();
        to.toArray().forEach((value, k) => (points[at + k] += value - frame.cages[cage][at + k]));
        return [{ op: 'cage', cage, points }];
      }
      first += count;
    }
    return [];
  }

  private gestureDrag(gesture: Gesture, ops: (pointer: Point2, event: PointerEvent) => Op[]): Drag {
    return {
      move: (pointer, event) => gesture.live(ops(pointer, event)),
      end: (moved) => void (moved ? gesture.end() : undefined),
      cancel: () => void gesture.cancel(),
    };
  }

  private say(text: string, pointer: Point2): void {
    this.app.store.set({ readout: { text, x: pointer.x, y: pointer.y } });
  }
}

export function handlePlaces(handles: Float64Array): number[] {
  const out: number[] = [];
  for (let h = 0; 7 * h < handles.length; ++h) out.push(...handles.subarray(7 * h, 7 * h + 3));
  return out;
}
