// SPDX-License-Identifier: Apache-2.0
// Bones as slim octahedra and joints as discs, drawn over the mesh (as src/render/skeleton_overlay.cpp draws them).
import {
  BufferAttribute,
  BufferGeometry,
  type Camera,
  DoubleSide,
  GLSL3,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  Points,
  ShaderMaterial,
  Sphere,
  Vector3,
} from 'three';
import { linearOf } from './colours';

export interface Skeleton {
  /** 6 a bone. */
  segments: ArrayLike<number>;
  /** Which joint each bone hangs on. */
  boneJoints: number[];
  /** 3 a joint. */
  heads: ArrayLike<number>;
  /** Joints that move no skin are drawn small. */
  deforms: boolean[];
  shown: boolean[];
  selected: number;
  hovered: number;
}
interface Palette {
  lit: number[];
  dark: number[];
  ink: number[];
  joint: number[];
  accent: number[];
  accentDark: number[];
}

const WAIST = 0.16;
const POINT_VERTEX = /* glsl */ `
in vec3 colour;
in float size;
out vec3 vColour;
out float vSize;
uniform float ratio;
void main() {
  vColour = colour;
  vSize = size * ratio;
  gl_PointSize = vSize;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
const POINT_FRAGMENT = /* glsl */ `
precision highp float;
in vec3 vColour;
in float vSize;
out vec4 outColour;
uniform vec3 ink;
void main() {
  float r = length(gl_PointCoord - 0.5) * vSize;
  float edge = 0.5 * vSize - 0.5;
  float alpha = 1.0 - smoothstep(edge - 1.0, edge, r);
  if (alpha <= 0.0) discard;
  outColour = vec4(mix(vColour, ink, smoothstep(edge * 0.74 - 1.0, edge * 0.74, r)), alpha);
}`;

export function discMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: POINT_VERTEX,
    fragmentShader: POINT_FRAGMENT,
    depthTest: false,
    depthWrite: false,
    transparent: true,
    uniforms: { ratio: { value: 1 }, ink: { value: new Vector3(0.18, 0.14, 0.11) } },
  });
}

export class SkeletonView {
  readonly group = new Group();
  private readonly faces = overlay(
    new Mesh(
      new BufferGeometry(),
      new MeshBasicMaterial({
        vertexColors: true,
        side: DoubleSide,
        transparent: true,
        opacity: 0.86,
        depthTest: false,
        depthWrite: false,
      }),
    ),
    1,
  );
  private readonly lines = overlay(
    new LineSegments(
      new BufferGeometry(),
      new LineBasicMaterial({
        color: 0x2e241c,
        transparent: true,
        opacity: 0.6,
        depthTest: false,
        depthWrite: false,
      }),
    ),
    2,
  );
  readonly discs = discMaterial();
  private readonly points = overlay(new Points(new BufferGeometry(), this.discs), 3);
  private palette: Palette = {
    lit: [255, 246, 222],
    dark: [226, 200, 150],
    ink: [46, 36, 28],
    joint: [196, 66, 28],
    accent: [74, 140, 214],
    accentDark: [36, 92, 160],
  };

  constructor() {
    this.group.add(this.faces, this.lines, this.points);
  }

  /** `unit`: world length of a pixel at distance 1. */
  update(skeleton: Skeleton, camera: Camera, unit: number): void {
    const eye = new Vector3().setFromMatrixPosition(camera.matrixWorld);
    this.drawBones(skeleton, eye, unit);
    this.drawJoints(skeleton, eye, unit);
  }

  private drawBones(skeleton: Skeleton, eye: Vector3, unit: number): void {
    const bones = skeleton.boneJoints
      .map((joint, b) => {
        const head = new Vector3().fromArray(skeleton.segments as number[], 6 * b);
        const tail = new Vector3().fromArray(skeleton.segments as number[], 6 * b + 3);
        return { joint, head, tail, away: head.distanceTo(eye) + tail.distanceTo(eye) };
      })
      .sort((a, b) => b.away - a.away);
    const positions: number[] = [],
      colours: number[] = [],
      edges: number[] = [];
    for (const bone of bones) this.drawBone(bone, skeleton, eye, unit, positions, colours, edges);
    fill(this.faces.geometry, positions, colours);
    fill(this.lines.geometry, edges, null);
  }

  private drawBone(
    bone: { joint: number; head: Vector3; tail: Vector3; away: number },
    skeleton: Skeleton,
    eye: Vector3,
    unit: number,
    positions: number[],
    colours: number[],
    edges: number[],
  ): void {
    const { head, tail } = bone;
    const axis = tail.clone().sub(head);
    const length = axis.length();
    if (!(length > 0)) return;
    axis.divideScalar(length);
    const pixel = unit * bone.away * 0.5;
    const half = Math.min(0.5 * WAIST * length, 7 * pixel);
    const toEye = eye.clone().sub(head).normalize();
    // One corner of the waist towards the viewer: the ridge between a lit and a shaded side runs down the middle.
    const side = axis.clone().cross(toEye);
    if (side.lengthSq() < 1e-12) side.set(1, 0, 0).addScaledVector(axis, -axis.x);
    side.normalize();
    const front = side.clone().cross(axis);
    const waist = head.clone().addScaledVector(axis, Math.min(WAIST * length, 2 * half));
    const corner = (s: Vector3, f: number) => waist.clone().addScaledVector(s, f * half);
    const ring = [corner(side, 1), corner(front, 1), corner(side, -1), corner(front, -1)];
    const chosen = bone.joint === skeleton.selected;
    const hovered = bone.joint === skeleton.hovered;
    const light = linearOf(chosen ? this.palette.accent : hovered ? [255, 255, 255] : this.palette.lit);
    const shade = linearOf(chosen ? this.palette.accentDark : hovered ? this.palette.lit : this.palette.dark);
    for (const end of [head, tail]) {
      for (let k = 0; k < 4; ++k) {
        const a = ring[k],
          b = ring[(k + 1) % 4];
        const centre = end.clone().add(a).add(b).divideScalar(3);
        const normal = a.clone().sub(end).cross(b.clone().sub(end)).normalize();
        if (normal.dot(centre.clone().sub(waist)) < 0) normal.negate();
        if (normal.dot(eye.clone().sub(centre)) <= 0) continue;
        for (const p of [end, a, b]) {
          positions.push(p.x, p.y, p.z);
          colours.push(...(normal.dot(side) > 0 ? shade : light));
        }
        for (const [p, q] of [
          [end, a],
          [end, b],
          [a, b],
        ])
          edges.push(p.x, p.y, p.z, q.x, q.y, q.z);
      }
    }
  }

  private drawJoints(skeleton: Skeleton, eye: Vector3, unit: number): void {
    const positions: number[] = [],
      colours: number[] = [],
      sizes: number[] = [];
    const longest = new Map<number, number>();
    skeleton.boneJoints.forEach((joint, b) => {
      const s = skeleton.segments,
        at = 6 * b;
      const length = Math.hypot(s[at + 3] - s[at], s[at + 4] - s[at + 1], s[at + 5] - s[at + 2]);
      longest.set(joint, Math.max(length, longest.get(joint) ?? 0));
    });
    for (let j = 0; 3 * j < skeleton.heads.length; ++j) {
      if (!skeleton.shown[j]) continue;
      const p = new Vector3().fromArray(skeleton.heads as number[], 3 * j);
      // Small joints on small bones, or a hand becomes one blot.
      const pixels = (longest.get(j) ?? 0) / (unit * p.distanceTo(eye));
      const chosen = j === skeleton.selected,
        hovered = j === skeleton.hovered;
      const size = !skeleton.deforms[j] ? 7 : Math.min(11, Math.max(6.5, pixels / 5));
      positions.push(p.x, p.y, p.z);
      colours.push(...(chosen ? this.palette.accent : this.palette.joint).map((c) => c / 255));
      sizes.push(chosen ? 15 : hovered ? size + 4 : size);
    }
    fillPoints(this.points.geometry, positions, colours, sizes);
  }
}

function overlay<T extends Mesh | LineSegments | Points>(object: T, order: number): T {
  object.frustumCulled = false;
  object.renderOrder = 10 + order;
  return object;
}

/** Buffers grow and are kept; what is not used is not drawn. */
export function fill(geometry: BufferGeometry, positions: number[], colours: number[] | null): void {
  write(geometry, 'position', positions, 3);
  if (colours) write(geometry, 'color', colours, 3);
  geometry.setDrawRange(0, positions.length / 3);
  geometry.boundingSphere ??= new Sphere(new Vector3(), Infinity);
}

export function fillPoints(geometry: BufferGeometry, positions: number[], colours: number[], sizes: number[]): void {
  fill(geometry, positions, null);
  write(geometry, 'colour', colours, 3);
  write(geometry, 'size', sizes, 1);
}

function write(geometry: BufferGeometry, name: string, values: number[], size: number): void {
  const old = geometry.getAttribute(name) as BufferAttribute | undefined;
  if (!old || old.array.length < values.length) {
    const array = new Float32Array(Math.max(96, Math.ceil((1.5 * values.length) / size) * size));
    array.set(values);
    geometry.deleteAttribute(name);
    geometry.setAttribute(name, new BufferAttribute(array, size));
    return;
  }
  (old.array as Float32Array).set(values);
  old.needsUpdate = true;
}
