// SPDX-License-Identifier: Apache-2.0
// Many poses of one character in one draw a part: the palettes stand one behind the other in one texture.
import { Group, InstancedMesh, Matrix4, Mesh, Sphere, Vector3, type DataTexture, type Intersection, type Material, type Object3D, type Raycaster, type Texture, type WebGLRenderer } from 'three';
import { SinewError, type Part } from '../rig.js';
import { patch, shadowMaterials } from './materials.js';
import { isBound, poseSphere, VertexCache, type SinewMesh } from './mesh.js';
import { PASS_BITS, type Pass } from './pass.js';
import type { SinewSkeleton } from './pose.js';
import { paletteCapacity, paletteTexture, type SharedRig } from './shared.js';

const passCapacity = 1 << PASS_BITS;

/** What a draw needs of a skeleton. */
interface CrowdPalette {
  palette: Float32Array;
  texture: DataTexture;
  pass: Pass | null;
  /** What materials read. */
  boneTexture: Texture;
  version: number;
  update(): void;
}

/** One character of a crowd, for rays. */
class Probe extends Mesh {
  constructor(private readonly crowd: CrowdMesh, private readonly cache: VertexCache) {
    super(crowd.geometry, crowd.material);
  }
  first = 0;
  stamp = 0;

  override getVertexPosition(index: number, target: Vector3): Vector3 {
    target.fromBufferAttribute(this.geometry.getAttribute('position'), index);
    return this.cache.place(index, target, this.crowd.skeleton.palette, this.first, this.stamp);
  }
}

class CrowdMesh extends InstancedMesh {
  readonly isSkinnedMesh = true;
  readonly bindMatrix = new Matrix4();
  readonly bindMatrixInverse = new Matrix4();
  readonly skeleton: CrowdPalette;
  readonly spheres: Sphere[];
  private readonly probe: Probe;
  private stamps = 0;
  declare private own: Material;

  constructor(mesh: SinewMesh, count: number, skeleton: CrowdPalette, private readonly shared: SharedRig, readonly part: Part) {
    super(mesh.geometry, mesh.material as Material, count);
    this.skeleton = skeleton;
    this.bindMatrix.copy(mesh.bindMatrix);
    this.material = mesh.material as Material;
    [this.customDepthMaterial, this.customDistanceMaterial] = shadowMaterials(shared, isBound(part));
    this.castShadow = mesh.castShadow;
    this.receiveShadow = mesh.receiveShadow;
    this.frustumCulled = false; // somebody of a crowd is nearly always in view
    this.spheres = Array.from({ length: count }, () => new Sphere());
    this.probe = new Probe(this, new VertexCache(shared, part));
  }

  // Any material of three that is put here runs the deformer.
  // @ts-expect-error an accessor where three has a property
  override get material(): Material {
    return this.own;
  }
  override set material(material: Material) {
    this.own = this.shared ? patch(material, this.shared, isBound(this.part)) : material;
  }

  override onBeforeRender(renderer: WebGLRenderer): void {
    this.skeleton.pass?.run(renderer, this.skeleton.version);
  }

  override onBeforeShadow(renderer: WebGLRenderer): void {
    this.skeleton.pass?.run(renderer, this.skeleton.version);
  }

  override raycast(raycaster: Raycaster, intersects: Intersection[]): void {
    const local = new Matrix4(), sphere = new Sphere(), hits: Intersection[] = [];
    for (let i = 0; i < this.count; ++i) {
      this.getMatrixAt(i, local);
      this.probe.matrixWorld.multiplyMatrices(this.matrixWorld, local);
      if (!raycaster.ray.intersectsSphere(sphere.copy(this.spheres[i]).applyMatrix4(this.probe.matrixWorld))) continue;
      this.probe.first = i * this.shared.deformer.paletteTexels;
      this.probe.stamp = ++this.stamps;
      this.probe.geometry.boundingSphere = this.spheres[i];
      Mesh.prototype.raycast.call(this.probe, raycaster, hits);
      for (const hit of hits) intersects.push({ ...hit, instanceId: i, object: this });
      hits.length = 0;
    }
    this.probe.geometry.boundingSphere = null;
  }
}

/** A crowd of the character in `source`, a scene of the loader: pose the source, put it into a place of the crowd, and so on.
 *
 *    crowd.setMatrixAt(i, matrix);
 *    mixer.setTime(t); crowd.setPoseAt(i);
 */
export class SinewCrowd extends Group {
  readonly places: number;
  private readonly parts: { mesh: SinewMesh; crowd: CrowdMesh }[] = [];
  private readonly skeleton: SinewSkeleton;
  private readonly together: CrowdPalette;
  private readonly bounds: { reaches?: Float32Array }[] = [];

  /** side: of the largest texture. */
  constructor(readonly source: Object3D, count: number, side = 4096) {
    super();
    this.places = count;
    const meshes: SinewMesh[] = [];
    source.traverse((object) => { if ((object as SinewMesh).isSinewMesh) meshes.push(object as SinewMesh); });
    if (meshes.length === 0) throw new SinewError('the object has no mesh of sinew: load it with the plugin of GLTFLoader');
    const { shared } = meshes[0];
    if (meshes.some((mesh) => mesh.shared !== shared)) throw new SinewError('the object has meshes of several files');
    if (shared.evaluator) throw new SinewError(`${meshes[0].deformer} does not run in a shader: ${shared.notes.join('; ')}`);
    const texels = count * shared.deformer.paletteTexels;
    const made = shared.passes ? Math.floor((side * passCapacity) / shared.rig.vertices) : Infinity, room = Math.min(made, Math.floor(paletteCapacity(side) / shared.deformer.paletteTexels));
    if (count > room) throw new SinewError(`a texture of ${side} rows holds ${room} poses of ${shared.deformer.name} on this skeleton, not ${count}: use several crowds`);
    this.skeleton = meshes[0].skeleton;
    const { palette, texture } = paletteTexture(texels);
    const pass = shared.makePass(texture, count);
    this.together = { palette, texture, pass, boneTexture: pass?.target.texture ?? texture, version: 0, update: () => undefined };
    for (const mesh of meshes) {
      const crowd = new CrowdMesh(mesh, count, this.together, shared, mesh.part);
      this.parts.push({ mesh, crowd });
      this.bounds.push({});
      this.add(crowd);
    }
    for (let i = 0; i < count; ++i) this.setPoseAt(i);
  }

  /** Place i stands as the source stands now. */
  setPoseAt(i: number): void {
    this.source.updateMatrixWorld(true);
    this.skeleton.update();
    const { shared } = this.skeleton, texels = shared.deformer.paletteTexels;
    this.together.palette.set(this.skeleton.palette.subarray(0, 4 * texels), 4 * texels * i);
    this.together.texture.needsUpdate = true;
    ++this.together.version;
    this.parts.forEach(({ mesh, crowd }, k) => {
      poseSphere(shared, mesh.part, this.skeleton.matrices, this.bounds[k], crowd.spheres[i]);
      if (mesh.morphTargetInfluences?.length) {
        crowd.setMorphAt(i, mesh as never);
        crowd.morphTexture!.needsUpdate = true;
      }
    });
  }

  setMatrixAt(i: number, matrix: Matrix4): void {
    for (const { crowd } of this.parts) {
      crowd.setMatrixAt(i, matrix);
      crowd.instanceMatrix.needsUpdate = true;
    }
  }

  override dispose(): void {
    this.together.texture.dispose();
    this.together.pass?.dispose();
    for (const { crowd } of this.parts) crowd.dispose();
  }
}
