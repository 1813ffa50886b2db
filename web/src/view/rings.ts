// SPDX-License-Identifier: Apache-2.0
// Rings that turn things: three about a joint, one at each end of a bone for its twist. Their size on the screen does
// not change, and their far half is faint.
import { DoubleSide, Group, Mesh, Quaternion, ShaderMaterial, TorusGeometry, Color, Vector3 } from 'three';
import { distanceToSegment, project, type Point2, type Projection } from './pick';

export interface Ring {
  id: string;
  centre: Vector3;
  axis: Vector3;
  radius: number /* pixels */;
  colour: string;
  name: string;
}

const VERTEX = /* glsl */ `
out float vFacing;
void main() {
  vec4 centre = modelViewMatrix * vec4(0.0, 0.0, 0.0, 1.0);
  vec4 place = modelViewMatrix * vec4(position, 1.0);
  vFacing = dot(normalize(place.xyz - centre.xyz), normalize(-centre.xyz));
  gl_Position = projectionMatrix * place;
}`;
const FRAGMENT = /* glsl */ `
precision highp float;
in float vFacing;
uniform vec3 colour;
uniform float strength;
out vec4 outColour;
void main() { outColour = vec4(colour, strength * mix(0.16, 1.0, smoothstep(-0.12, 0.02, vFacing))); }`;

const SIDES = 64;

export class RingsView {
  readonly group = new Group();
  private rings: Ring[] = [];
  private readonly meshes = new Map<string, Mesh<TorusGeometry, ShaderMaterial>>();
  active = '';
  hovered = '';

  set(rings: Ring[]): void {
    this.rings = rings;
    const wanted = new Set(rings.map((r) => r.id));
    for (const [id, mesh] of this.meshes) {
      if (wanted.has(id)) continue;
      this.group.remove(mesh);
      mesh.geometry.dispose();
      mesh.material.dispose();
      this.meshes.delete(id);
    }
    for (const ring of rings) if (!this.meshes.has(ring.id)) this.add(ring);
  }

  get all(): readonly Ring[] {
    return this.rings;
  }

  private add(ring: Ring): void {
    const material = new ShaderMaterial({
      vertexShader: VERTEX.replace('out float', 'varying float'),
      fragmentShader: FRAGMENT.replace('in float', 'varying float')
        .replace('out vec4 outColour;', '')
        .replace('outColour', 'gl_FragColor'),
      uniforms: { colour: { value: new Color() }, strength: { value: 1 } },
      transparent: true,
      depthTest: false,
      depthWrite: false,
      side: DoubleSide,
    });
    const mesh = new Mesh(new TorusGeometry(1, 1.5 / ring.radius, 6, 96), material);
    mesh.renderOrder = 20;
    mesh.frustumCulled = false;
    this.meshes.set(ring.id, mesh);
    this.group.add(mesh);
  }

  update(eye: Vector3, unit: number): void {
    for (const ring of this.rings) {
      const mesh = this.meshes.get(ring.id);
      if (!mesh) continue;
      mesh.position.copy(ring.centre);
      mesh.quaternion.copy(new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), ring.axis));
      mesh.scale.setScalar(ring.radius * unit * ring.centre.distanceTo(eye));
      const bright = this.active === ring.id || (!this.active && this.hovered === ring.id);
      const colour = new Color(ring.colour);
      if (bright) colour.lerp(new Color('#ffffff'), 0.35);
      (mesh.material.uniforms.colour.value as Color).copy(colour).convertLinearToSRGB();
      mesh.material.uniforms.strength.value = this.active && !bright ? 0.25 : 0.95;
    }
  }

  /** The ring under the pointer, its near half first. */
  pick(pointer: Point2, view: Projection, eye: Vector3, unit: number, reach: number): Ring | null {
    let best: Ring | null = null;
    let bestDistance = reach;
    for (const ring of this.rings) {
      const distance = ringDistance(ring, pointer, view, eye, unit);
      if (distance < bestDistance) [best, bestDistance] = [ring, distance];
    }
    return best;
  }
}

/** Pixels from the pointer to the near half of a ring. */
function ringDistance(ring: Ring, pointer: Point2, view: Projection, eye: Vector3, unit: number): number {
  const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), ring.axis);
  const radius = ring.radius * unit * ring.centre.distanceTo(eye);
  const toEye = eye.clone().sub(ring.centre).normalize();
  let least = Infinity;
  let last: Point2 | null = null;
  for (let k = 0; k <= SIDES; ++k) {
    const angle = (2 * Math.PI * k) / SIDES;
    const offset = new Vector3(Math.cos(angle), Math.sin(angle), 0).applyQuaternion(turn);
    const near = offset.dot(toEye) > -0.08;
    const p = offset.multiplyScalar(radius).add(ring.centre);
    const screen = near ? project([p.x, p.y, p.z], 0, view) : null;
    if (screen && last) least = Math.min(least, distanceToSegment(pointer, last, screen));
    last = screen;
  }
  return least;
}
