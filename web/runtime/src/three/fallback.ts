// SPDX-License-Identifier: Apache-2.0
// Stacks that no shader runs: WebAssembly poses the rig, and its vertices become the attributes of the meshes.
import type { BufferAttribute, Object3D } from 'three';
import type { Module, Session } from '../core/sinew.js';
import type { Json } from '../gltf.js';
import { SinewError, type Part } from '../rig.js';
import { spaceOf, type SinewSkeleton } from './pose.js';
import type { SinewMesh } from './mesh.js';

/** Nodes in the order in which the library numbers joints: bones, then all others that carry one of them or a mesh. */
function jointNodes(json: Json, bones: number[]): number[] {
  const nodes: Json[] = json.nodes, parentOf = new Array<number>(nodes.length).fill(-1), wanted = new Set<number>();
  nodes.forEach((node, n) => (node.children ?? []).forEach((child: number) => { parentOf[child] = n; }));
  const want = (node: number): void => { for (let at = node; at >= 0 && !wanted.has(at); at = parentOf[at]) wanted.add(at); };
  for (const skin of json.skins ?? []) skin.joints.forEach(want);
  nodes.forEach((node, n) => { if (node.mesh !== undefined) want(n); });
  return [...bones, ...nodes.keys()].filter((n, at, all) => (at < bones.length || wanted.has(n)) && all.indexOf(n) === at);
}

/** A binary glTF of a document and its buffers, without pictures. */
export function toGlb(json: Json, buffers: ArrayBuffer[]): Uint8Array {
  const copy = structuredClone(json), starts: number[] = [];
  let length = 0;
  for (const buffer of buffers) {
    starts.push(length);
    length += Math.ceil(buffer.byteLength / 4) * 4;
  }
  for (const view of copy.bufferViews ?? []) {
    view.byteOffset = (view.byteOffset ?? 0) + starts[view.buffer];
    view.buffer = 0;
  }
  copy.buffers = [{ byteLength: length }];
  for (const key of ['images', 'textures', 'samplers', 'materials']) delete copy[key];
  for (const mesh of copy.meshes ?? []) for (const primitive of mesh.primitives) delete primitive.material;
  let text = new TextEncoder().encode(JSON.stringify(copy));
  if (text.length % 4) text = new Uint8Array([...text, ...new Array(4 - (text.length % 4)).fill(32)]);
  const out = new Uint8Array(12 + 8 + text.length + 8 + length), view = new DataView(out.buffer);
  [0x46546c67, 2, out.length, text.length, 0x4e4f534a].forEach((word, k) => view.setUint32(4 * k, word, true));
  out.set(text, 20);
  view.setUint32(20 + text.length, length, true);
  view.setUint32(24 + text.length, 0x004e4942, true);
  buffers.forEach((buffer, k) => out.set(new Uint8Array(buffer), 28 + text.length + starts[k]));
  return out;
}

/** One session serves all copies of a file, one after the other. */
export class Evaluator {
  readonly name: string;
  private readonly nodes: number[];
  private readonly keys: string[];
  private readonly objects = new WeakMap<Object3D, (Object3D | undefined)[]>();
  private readonly last = new WeakMap<SinewSkeleton, { sum: string; version: number }>();
  private versions = 0;

  constructor(private readonly session: Session, json: Json, bones: number[], deformer: string | undefined) {
    const settings = session.storedDeformer();
    session.setDeformer(0, deformer ? { ...settings, deformer } : settings);
    this.name = deformer ?? settings.deformer;
    this.nodes = jointNodes(json, bones);
    const info = session.info();
    this.keys = info.keys.map((key) => key.name);
    if (info.joints.length < this.nodes.length) throw new SinewError('the library reads other joints from this file');
  }

  static open(module: Module, json: Json, buffers: ArrayBuffer[], bones: number[], deformer?: string): Evaluator {
    return new Evaluator(module.open(toGlb(json, buffers), 'rig.glb'), json, bones, deformer);
  }

  /** Vertices of this pose into all meshes of the character; the number of the pose. */
  update(skeleton: SinewSkeleton, moved: boolean): number {
    const space = spaceOf(skeleton.bones[0]);
    let found = this.objects.get(space);
    const meshes: SinewMesh[] = [];
    const at = new Map<number, Object3D>();
    space.traverse((object) => {
      if (object.userData.sinewNode !== undefined) at.set(object.userData.sinewNode, object);
      if ((object as SinewMesh).isSinewMesh && (object as SinewMesh).skeleton === skeleton) meshes.push(object as SinewMesh);
    });
    if (!found) this.objects.set(space, (found = this.nodes.map((node) => at.get(node))));
    const weights = this.keys.map((name) => {
      for (const mesh of meshes) {
        const k = mesh.morphTargetDictionary?.[name];
        if (k !== undefined) return mesh.morphTargetInfluences![k];
      }
      return 0;
    });
    const sum = weights.join(), last = this.last.get(skeleton);
    if (!moved && last?.sum === sum) return last.version;
    const pose = this.session.pose();
    found.forEach((object, j) => {
      if (!object) return;
      const e = object.matrix.elements;
      for (let r = 0; r < 3; ++r) for (let c = 0; c < 4; ++c) pose.locals[12 * j + 4 * r + c] = e[4 * c + r];
    });
    skeleton.boneShapes.forEach((shape, j) => shape && pose.shapes.set([shape.stretch, shape.twistHead, shape.twistTail], 3 * j));
    pose.keys.set(weights);
    this.session.setPose(pose);
    const frame = this.session.evaluate(0);
    for (const mesh of meshes) write(mesh, mesh.part, frame.positions, frame.normals);
    this.last.set(skeleton, { sum, version: ++this.versions });
    return this.versions;
  }

  dispose(): void {
    this.session.delete();
  }
}

function write(mesh: SinewMesh, part: Part, positions: Float32Array, normals: Float32Array): void {
  for (const [name, from] of [['position', positions], ['normal', normals]] as const) {
    const attribute = mesh.geometry.getAttribute(name) as BufferAttribute | undefined;
    if (!attribute) continue;
    (attribute.array as Float32Array).set(from.subarray(3 * part.first, 3 * (part.first + part.count)));
    attribute.needsUpdate = true;
  }
}
