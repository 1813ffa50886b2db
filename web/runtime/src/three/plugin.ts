// SPDX-License-Identifier: Apache-2.0
// The plugin of three's GLTFLoader: reads SINEW_rig and puts a SinewMesh in place of every skinned mesh.
import type { Bone, BufferAttribute, Group, InterleavedBufferAttribute, Material, MeshStandardMaterial, Object3D, SkinnedMesh } from 'three';
import type { GLTF, GLTFLoaderPlugin, GLTFParser } from 'three/addons/loaders/GLTFLoader.js';
import { makeDeformer, shaderDeformer } from '../deformers/index.js';
import { extensionOf, readRig, stackOf, storedShapes, type Accessor, type Json } from '../gltf.js';
import { SinewError, type Rig } from '../rig.js';
import type { Module } from '../core/sinew.js';
import { Evaluator } from './fallback.js';
import { SinewMesh, withRows } from './mesh.js';
import { SinewSkeleton } from './pose.js';
import { SharedRig } from './shared.js';

export interface SinewOptions {
  /** Instead of what the file says: lbs, dqs, swing-twist, joint-dqs, stretch-lbs, stretch-dqs or flesh. */
  deformer?: string;
  /** The library in WebAssembly, for stacks that no shader runs: () => import('@sinew/web/core').then((core) => core.default()) */
  core?: () => Promise<Module>;
  /** Make vertices in a pass of their own instead of in the shaders of materials [flesh without keys]. */
  pass?: boolean;
  /** Rows of the largest texture that may be used [4096]. */
  maxTextureSize?: number;
  /** What is other than asked for, a sentence each; without it console.warn. */
  onNote?: (note: string) => void;
}

/** In `gltf.userData.sinew`. */
export interface SinewInfo {
  /** Null: nothing in the file is skinned. */
  deformer: string | null;
  runsOn: 'shader' | 'webassembly' | null;
  notes: string[];
}

class Plugin implements GLTFLoaderPlugin {
  readonly name = 'SINEW_rig';
  private rig: Rig | null = null;

  constructor(private readonly parser: GLTFParser, private readonly options: SinewOptions) {}

  // Before three normalises weights in place.
  async beforeRoot(): Promise<void> {
    this.rig = await readRig({ json: this.parser.json, accessor: (index) => this.accessor(index), view: (index) => this.view(index) });
  }

  private async view(index: number): Promise<Uint8Array> {
    try {
      return new Uint8Array(await this.parser.getDependency('bufferView', index));
    } catch (error) {
      throw new SinewError(`bufferViews[${index}] cannot be read: ${(error as Error).message}`);
    }
  }

  private async accessor(index: number): Promise<Accessor> {
    const count = (this.parser.json as Json).accessors?.length ?? 0;
    if (!(Number.isInteger(index) && index >= 0 && index < count)) throw new SinewError(`accessors[${index}] does not exist`);
    let attribute: BufferAttribute | InterleavedBufferAttribute;
    try {
      attribute = await this.parser.getDependency('accessor', index);
    } catch (error) {
      throw new SinewError(`accessors[${index}] cannot be read: ${(error as Error).message}`);
    }
    const { itemSize: width, count: elements, normalized } = attribute;
    if (!normalized && !('isInterleavedBufferAttribute' in attribute)) return { numbers: attribute.array.slice(), width, count: elements };
    const numbers = new Float32Array(width * elements);
    for (let i = 0; i < elements; ++i) for (let c = 0; c < width; ++c) numbers[width * i + c] = attribute.getComponent(i, c);
    return { numbers, width, count: elements };
  }

  async afterRoot(gltf: GLTF): Promise<void> {
    const notes: string[] = [], info: SinewInfo = { deformer: null, runsOn: null, notes };
    gltf.userData.sinew = info;
    if (this.rig) {
      const shared = await this.share(this.rig, notes);
      info.deformer = shared.evaluator?.name ?? shared.deformer.name;
      info.runsOn = shared.evaluator ? 'webassembly' : 'shader';
      for (const scene of gltf.scenes) this.replace(scene, shared);
    }
    for (const note of notes) (this.options.onNote ?? ((text: string) => console.warn(`sinew: ${text}`)))(note);
  }

  /** By the shader; else by WebAssembly; else as linear blending. */
  private async share(rig: Rig, notes: string[]): Promise<SharedRig> {
    const { json } = this.parser as { json: Json }, side = this.options.maxTextureSize ?? 4096, shapes = storedShapes(json, rig.skeleton), ours = extensionOf(json);
    const make = (name: string, settings = {}): SharedRig => new SharedRig(rig, makeDeformer(rig, name, settings), shapes, notes, null, side, passes(name));
    // Keys move vertices before the deformer, in the shader of the material.
    const keyed = (json.meshes ?? []).some((mesh: Json) => mesh.primitives?.some((primitive: Json) => primitive.targets?.length));
    const passes = (name: string): boolean => !keyed && (this.options.pass ?? name === 'flesh');
    if (!ours && !this.options.deformer) {
      notes.push('the file has no data of sinew (SINEW_rig): linear blend skinning');
      return make('lbs');
    }
    const stack = stackOf(json).map((entry) => (entry.step === 'skeleton' && this.options.deformer ? { ...entry, deformer: this.options.deformer } : entry));
    const wanted = shaderDeformer(stack, ours);
    let reason: string;
    if ('reason' in wanted) reason = wanted.reason;
    else {
      const shaped = shapes.some(Boolean) && (wanted.name === 'swing-twist' || wanted.name === 'joint-dqs');
      reason = shaped ? `bones of the file are stretched or twisted, which ${wanted.name} does not do in a shader` : '';
      if (wanted.name === 'flesh' && !rig.flesh) reason = 'its flesh belongs to another mesh or version';
      if (!reason)
        try {
          return make(wanted.name, wanted.settings);
        } catch (error) {
          if (!(error instanceof SinewError)) throw error;
          reason = error.message;
        }
    }
    if (this.options.core) {
      notes.push(`${reason}: by WebAssembly, not in the shader`);
      return new SharedRig(rig, makeDeformer(rig, 'lbs'), shapes, notes, await this.evaluator(rig), side);
    }
    notes.push(`${reason}: linear blend skinning instead; give the plugin \`core\` to run it by WebAssembly`);
    return make('lbs');
  }

  private async evaluator(rig: Rig): Promise<Evaluator> {
    const json = this.parser.json as Json;
    const buffers = await Promise.all((json.buffers ?? []).map((_: Json, index: number) => this.parser.getDependency('buffer', index))) as ArrayBuffer[];
    const module = await this.options.core!();
    return Evaluator.open(module, json, buffers, rig.skeleton.nodes.slice(0, rig.skeleton.bones), this.options.deformer);
  }

  private replace(scene: Group, shared: SharedRig): void {
    const { associations } = this.parser, at = new Map<number, Object3D>(), found: SkinnedMesh[] = [];
    scene.userData.sinewSpace = true;
    scene.traverse((object) => {
      const node = associations.get(object)?.nodes;
      if (node !== undefined) {
        at.set(node, object);
        object.userData.sinewNode = node;
      }
      if ((object as SkinnedMesh).isSkinnedMesh) found.push(object as SkinnedMesh);
    });
    if (found.length === 0) return;
    const bones = shared.rig.skeleton.nodes.map((node) => at.get(node) as Bone);
    if (bones.some((bone) => !bone)) throw new SinewError('joints of the skin are not in the scene that shows the mesh');
    const skeleton = new SinewSkeleton(shared, bones);
    for (const mesh of found) this.replaceMesh(mesh, shared, skeleton);
  }

  private replaceMesh(mesh: SkinnedMesh, shared: SharedRig, skeleton: SinewSkeleton): void {
    const { associations } = this.parser, of = associations.get(mesh), node = of?.nodes ?? associations.get(mesh.parent!)?.nodes;
    const part = shared.rig.parts.find((one) => one.node === node && one.primitive === ((of as Json)?.primitives ?? 0));
    if (!part || part.skin < 0) return;
    const tangents = mesh.geometry.hasAttribute('tangent'), material = mesh.material as Material;
    const geometry = withRows(mesh.geometry, shared, part);
    const made = new SinewMesh(geometry, tangents ? underived(material) : material, shared, part, skeleton);
    const { morphTargetInfluences, morphTargetDictionary } = mesh;
    made.uuid = mesh.uuid;
    made.name = mesh.name;
    made.userData = mesh.userData;
    made.visible = mesh.visible;
    mesh.updateMatrix();
    mesh.matrix.decompose(made.position, made.quaternion, made.scale);
    made.morphTargetInfluences = morphTargetInfluences;
    made.morphTargetDictionary = morphTargetDictionary;
    if (shared.evaluator) geometry.morphAttributes = {};
    for (const child of [...mesh.children]) made.add(child);
    const parent = mesh.parent!;
    parent.children[parent.children.indexOf(mesh)] = made;
    made.parent = parent;
    mesh.parent = null;
    if (of) associations.set(made, of);
  }
}

/** three's loader turns the green of normal maps where it has no tangents. */
function underived(material: Material): Material {
  const own = material.clone() as MeshStandardMaterial;
  if (own.normalScale) own.normalScale.y *= -1;
  return own;
}

/** For GLTFLoader.register: skinned meshes of files by sinew deform as in sinew.
 *
 *    const gltf = await new GLTFLoader().register(sinewRig()).loadAsync('body.glb');
 */
export function sinewRig(options: SinewOptions = {}): (parser: GLTFParser) => GLTFLoaderPlugin {
  return (parser) => new Plugin(parser, options);
}
