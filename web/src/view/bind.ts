// SPDX-License-Identifier: Apache-2.0
// The picture follows the state.
import { Matrix4, Quaternion, Vector3 } from 'three';
import type { App } from '../app';
import { poseable, type State } from '../state';
import type { Tools } from '../tools';
import { limbsOf } from './limbs';
import type { Ring } from './rings';
import type { Skeleton } from './skeletonView';
import type { Viewport } from './viewport';

const AXES: { id: string; axis: Vector3; colour: string; name: string }[] = [
  { id: 'x', axis: new Vector3(1, 0, 0), colour: '#d2493f', name: 'X' },
  { id: 'y', axis: new Vector3(0, 1, 0), colour: '#4c9a3d', name: 'Y' },
  { id: 'z', axis: new Vector3(0, 0, 1), colour: '#3672c8', name: 'Z' },
];

export function bindView(app: App, viewport: Viewport, tools: Tools): void {
  app.picture = {
    paint: (values, range) => {
      viewport.meshes.forEach((mesh, slot) => mesh.heat(values[slot] ?? null, range));
      viewport.invalidate();
    },
    fit: (box) => {
      viewport.place(box);
      viewport.frame(undefined, 'three-quarter');
    },
    place: (box) => viewport.place(box),
    show: (frame) => {
      viewport.meshes[0].update(frame);
      viewport.changed();
    },
  };
  app.store.on(['opened'], ({ opened, show, file }) => {
    if (!opened || !file) return;
    viewport.show(opened, file.bytes);
    viewport.meshes.forEach((mesh) => (mesh.wireframe = show.wire));
  });
  app.store.on(['frame'], ({ frame, tool, pins }) => {
    if (!frame) return;
    if (tool !== 'pin' || pins.length === 0) viewport.adopt(frame);
    app.heat.refreshReference();
  });
  app.store.on(['layout', 'divider'], ({ layout, divider }) => viewport.setLayout(layout, divider));
  app.store.on(['show'], ({ show }) => {
    viewport.meshes.forEach((mesh) => (mesh.wireframe = show.wire));
    viewport.setGround(show.ground);
    viewport.setLooks(show.textures);
  });
  app.store.on(['frame', 'selected', 'hovered', 'show', 'tool', 'heads', 'opened'], (state) =>
    viewport.setSkeleton(skeletonOf(state)),
  );
  app.store.on(['frame', 'selected', 'tool', 'localAxes', 'show'], (state) => {
    viewport.rings.set(ringsOf(state));
    viewport.invalidate();
  });
  app.store.on(['frame', 'tool', 'pins', 'dot', 'hoveredDot', 'opened'], (state) => {
    const places = tools.dots();
    const colour: [number, number, number] = state.tool === 'pin' ? [222, 115, 18] : [255, 246, 222];
    viewport.points.update(
      places.length ? { places, edges: edgesOf(state), selected: state.dot, hovered: state.hoveredDot, colour } : null,
    );
    viewport.invalidate();
  });
}

function skeletonOf({ frame, opened, show, selected, hovered, heads, tool }: Readonly<State>): Skeleton | null {
  if (!frame || !opened || !opened.info.joints.length || !show.skeleton || tool === 'cage' || tool === 'pin')
    return null;
  const joints = opened.info.joints;
  const deforms = joints.map((joint) => joint.deforms);
  const shown = poseable(opened.info);
  if (heads) {
    const children = joints.map((_, j) => j).filter((j) => joints[j].parent >= 0);
    const segments = children.flatMap((j) => [
      ...heads.subarray(3 * joints[j].parent, 3 * joints[j].parent + 3),
      ...heads.subarray(3 * j, 3 * j + 3),
    ]);
    return { segments, boneJoints: children.map((j) => joints[j].parent), heads, deforms, shown, selected, hovered };
  }
  const places = new Float64Array(3 * joints.length);
  joints.forEach((_, j) => places.set(frame.globals.subarray(16 * j + 12, 16 * j + 15), 3 * j));
  const limbs = limbsOf(opened.info, frame);
  return { segments: limbs.segments, boneJoints: limbs.joints, heads: places, deforms, shown, selected, hovered };
}

function ringsOf({ frame, opened, selected, tool, localAxes, show }: Readonly<State>): Ring[] {
  if (!frame || !opened || selected < 0 || !show.skeleton) return [];
  const centre = new Vector3().fromArray(frame.globals, 16 * selected + 12);
  if (tool === 'rotate') {
    const turn = new Quaternion();
    if (localAxes) new Matrix4().fromArray(frame.globals, 16 * selected).decompose(new Vector3(), turn, new Vector3());
    return AXES.map(({ id, axis, colour, name }) => ({
      id,
      centre,
      axis: axis.clone().applyQuaternion(turn),
      radius: 74,
      colour,
      name,
    }));
  }
  const bone = opened.info.bones.findIndex((b) => b.joint === selected);
  if (tool !== 'twist' || bone < 0) return [];
  const head = new Vector3().fromArray(frame.segments, 6 * bone);
  const tail = new Vector3().fromArray(frame.segments, 6 * bone + 3);
  const axis = tail.clone().sub(head).normalize();
  return [
    { id: 'twist-head', centre: head.clone().lerp(tail, 0.06), axis, radius: 52, colour: '#de7312', name: 'start' },
    {
      id: 'twist-tail',
      centre: head.clone().lerp(tail, 0.94),
      axis: axis.clone(),
      radius: 52,
      colour: '#168f74',
      name: 'end',
    },
  ];
}

function edgesOf({ tool, opened }: Readonly<State>): number[] {
  if (tool !== 'cage' || !opened) return [];
  let first = 0;
  return opened.info.cages.flatMap((cage) => {
    const edges = cage.edges.map((i) => i + first);
    first += cage.controls;
    return edges;
  });
}
