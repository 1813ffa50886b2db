// SPDX-License-Identifier: Apache-2.0
import { Box3, BufferAttribute, Matrix4, Mesh, SkinnedMesh, Sphere, Vector3, type BufferGeometry, type Intersection, type Material, type Object3D, type Raycaster, type WebGLRenderer } from 'three';
import { transform } from '../math.js';
import type { Part } from '../rig.js';
import { patch, shadowMaterials } from './materials.js';
import { spaceOf, type SinewSkeleton } from './pose.js';
import type { SharedRig } from './shared.js';

/** Deformers other than linear blending may leave the spheres of their joints by this much. */
const MARGIN = 1.25;
const point = new Vector3(), box = new Box3();

/** Where vertices go on the CPU, one at a time and once per pose: for rays and boxes. */
export class VertexCache {
  private readonly six = new Float64Array(6);
  private places: Float32Array | null = null;
  private stamps: Uint32Array | null = null;

  constructor(private readonly shared: SharedRig, private readonly part: Part) {}

  /** rest: before its bind space. stamp: of the pose, above 0. */
  place(i: number, rest: Vector3, palette: Float32Array, first: number, stamp: number): Vector3 {
    const { rig, deformer } = this.shared;
    const places = (this.places ??= new Float32Array(3 * this.part.count)), stamps = (this.stamps ??= new Uint32Array(this.part.count));
    if (stamps[i] !== stamp) {
      stamps[i] = stamp;
      this.six.set(transform(this.part.toBind, [rest.x, rest.y, rest.z]));
      for (let c = 0; c < 3; ++c) this.six[3 + c] = rig.normals[3 * (this.part.first + i) + c];
      deformer.move(palette, first, this.part.first + i, this.six);
      for (let c = 0; c < 3; ++c) places[3 * i + c] = this.six[c];
    }
    return rest.fromArray(places, 3 * i);
  }
}

/** Radius around each joint's head of the vertices that it carries. */
function reaches(shared: SharedRig, part: Part): Float32Array {
  const { skin, positions, skeleton } = shared.rig, out = new Float32Array(skeleton.nodes.length).fill(-1);
  for (let i = part.first; i < part.first + part.count; ++i)
    for (let e = skin.offsets[i]; e < skin.offsets[i + 1]; ++e) {
      const j = skin.joints[e], bind = skeleton.bind[j];
      out[j] = Math.max(out[j], Math.hypot(positions[3 * i] - bind[3], positions[3 * i + 1] - bind[7], positions[3 * i + 2] - bind[11]));
    }
  return out;
}

/** The sphere around the spheres of the joints. */
export function poseSphere(shared: SharedRig, part: Part, matrices: Float64Array[], cache: { reaches?: Float32Array }, out: Sphere): Sphere {
  cache.reaches ??= reaches(shared, part);
  box.makeEmpty();
  for (let j = 0; j < matrices.length; ++j) {
    if (cache.reaches[j] < 0) continue;
    const m = matrices[j], bind = shared.rig.skeleton.bind[j], at = transform(m, [bind[3], bind[7], bind[11]]);
    const scale = Math.sqrt(Math.max(m[0] ** 2 + m[4] ** 2 + m[8] ** 2, m[1] ** 2 + m[5] ** 2 + m[9] ** 2, m[2] ** 2 + m[6] ** 2 + m[10] ** 2)), r = MARGIN * scale * cache.reaches[j];
    box.expandByPoint(point.set(at[0] - r, at[1] - r, at[2] - r)).expandByPoint(point.set(at[0] + r, at[1] + r, at[2] + r));
  }
  return box.getBoundingSphere(out);
}

/** The rows of a part as an attribute. */
export function withRows(geometry: BufferGeometry, shared: SharedRig, part: Part): BufferGeometry {
  const own = geometry.clone();
  own.userData = geometry.userData;
  if (shared.passes) own.setAttribute('sinewRow', new BufferAttribute(Uint32Array.from({ length: 2 * part.count }, (_, k) => (k % 2 ? 0 : shared.order[part.first + k / 2])), 2));
  else if (!shared.evaluator) own.setAttribute('sinewRow', new BufferAttribute(shared.deformer.vertexRows.slice(2 * part.first, 2 * (part.first + part.count)), 2));
  // Derived tangents follow the deformation; stored ones would not.
  own.deleteAttribute('tangent');
  return own;
}

export const isBound = (part: Part): boolean => part.toBind.some((v, k) => Math.abs(v - (k % 5 === 0 ? 1 : 0)) > 1e-12);

/** A skinned mesh that a deformer of sinew moves, in the vertex shader or, where that cannot be, by WebAssembly. */
export class SinewMesh extends SkinnedMesh {
  readonly isSinewMesh = true;
  declare skeleton: SinewSkeleton;
  /** Of the file. */
  shared!: SharedRig;
  part!: Part;
  private cache!: VertexCache;
  private readonly bounds: { reaches?: Float32Array } = {};
  declare private own: Material | Material[];
  private readonly sphere = new Sphere();
  private stampOfKeys = 0;
  private stamp = 1;
  private stampVersion = -1;

  constructor(geometry?: BufferGeometry, material?: Material | Material[], shared?: SharedRig, part?: Part, skeleton?: SinewSkeleton) {
    super(geometry, material);
    if (shared && part && skeleton) this.take(shared, part, skeleton);
  }

  private take(shared: SharedRig, part: Part, skeleton: SinewSkeleton): void {
    this.shared = shared;
    this.part = part;
    this.cache = new VertexCache(shared, part);
    const m = part.toBind;
    this.bind(skeleton, new Matrix4().set(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], 0, 0, 0, 1));
    this.material = this.material;
    [this.customDepthMaterial, this.customDistanceMaterial] = shadowMaterials(shared, isBound(part));
  }

  /** The name of its deformer, as the command line has it. */
  get deformer(): string {
    return this.shared.evaluator?.name ?? this.shared.deformer.name;
  }

  get runsOn(): 'shader' | 'webassembly' {
    return this.shared.evaluator ? 'webassembly' : 'shader';
  }

  // Any material of three that is put here runs the deformer.
  // @ts-expect-error an accessor where three has a property
  override get material(): Material | Material[] {
    return this.own;
  }
  override set material(material: Material | Material[]) {
    if (!this.shared || !material) this.own = material;
    else if (Array.isArray(material)) this.own = material.map((one) => patch(one, this.shared, isBound(this.part)));
    else this.own = patch(material, this.shared, isBound(this.part));
  }

  // Of the pose as it is, so that nothing is culled that moved into view.
  // @ts-expect-error an accessor where three has a property
  override get boundingSphere(): Sphere {
    if (!this.shared) return null as unknown as Sphere;
    this.skeleton.update();
    return poseSphere(this.shared, this.part, this.skeleton.matrices, this.bounds, this.sphere);
  }
  override set boundingSphere(_: Sphere) {
    // follows the pose
  }

  override computeBoundingSphere(): void {
    // follows the pose
  }

  /** The node of a skinned mesh does not move it: it lies in the space of its file. */
  private lie(): void {
    if (this.shared) this.matrixWorld.copy(spaceOf(this).matrixWorld);
  }

  override updateMatrixWorld(force?: boolean): void {
    super.updateMatrixWorld(force);
    this.lie();
  }

  override updateWorldMatrix(updateParents: boolean, updateChildren: boolean): void {
    super.updateWorldMatrix(updateParents, updateChildren);
    this.lie();
  }

  /** Keys that bones drive, in this pose. */
  private drive(): void {
    if (!this.shared.rig.drivers || !this.morphTargetInfluences || !this.morphTargetDictionary) return;
    for (const [name, weight] of this.skeleton.drivenKeys) {
      const at = this.morphTargetDictionary[name];
      if (at !== undefined) this.morphTargetInfluences[at] = weight;
    }
  }

  override onBeforeRender(renderer: WebGLRenderer): void {
    if (!this.shared) return;
    this.drive();
    this.skeleton.prepare(renderer);
  }

  override onBeforeShadow(renderer: WebGLRenderer): void {
    this.onBeforeRender(renderer);
  }

  override getVertexPosition(index: number, target: Vector3): Vector3 {
    if (!this.shared) return super.getVertexPosition(index, target);
    if (this.shared.evaluator) return target.fromBufferAttribute(this.geometry.getAttribute('position'), index);
    if (this.skeleton.version === 0) {
      this.skeleton.update();
      this.drive();
    }
    let keys = 0;
    for (let k = 0, list = this.morphTargetInfluences ?? []; k < list.length; ++k) keys += (k + 1.618) * list[k];
    if (this.skeleton.version !== this.stampVersion || keys !== this.stampOfKeys) {
      this.stampVersion = this.skeleton.version;
      this.stampOfKeys = keys;
      ++this.stamp;
    }
    Mesh.prototype.getVertexPosition.call(this, index, target);
    return this.cache.place(index, target, this.skeleton.palette, 0, this.stamp);
  }

  override raycast(raycaster: Raycaster, intersects: Intersection[]): void {
    if (this.shared) {
      this.skeleton.update();
      this.drive();
    }
    this.boundingBox = null as never; // of another pose
    super.raycast(raycaster, intersects);
  }

  override copy(source: Object3D, recursive?: boolean): this {
    super.copy(source as SinewMesh, recursive);
    const other = source as SinewMesh;
    if (other.shared?.evaluator) this.geometry = this.geometry.clone(); // its vertices are those of its own pose
    if (other.shared) this.take(other.shared, other.part, other.skeleton);
    return this;
  }
}
