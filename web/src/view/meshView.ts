// SPDX-License-Identifier: Apache-2.0
import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  Group,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  type ShaderMaterial,
  Sphere,
  Vector3,
} from 'three';
import type { Opened, SlotFrame } from '../protocol';
import { clayMaterial, texturedMaterial } from './clay';
import type { LooksView } from './looks';

type Materials = ShaderMaterial | ShaderMaterial[];

/** The mesh of one slot, with its edges. Takes the arrays of a frame as they are. */
export class MeshView {
  readonly group = new Group();
  private readonly material: ShaderMaterial = clayMaterial();
  private readonly wireMaterial = new LineBasicMaterial({ color: 0x1d242b, transparent: true, opacity: 0.28 });
  private mesh: Mesh<BufferGeometry, Materials> | null = null;
  private wire: LineSegments | null = null;
  private textured: ShaderMaterial[] = [];
  private materials = true;

  show(opened: Opened): void {
    this.clear();
    const geometry = new BufferGeometry();
    const vertices = opened.rest.length / 3;
    geometry.setAttribute('position', dynamic(opened.rest.slice(), 3));
    geometry.setAttribute('normal', dynamic(new Float32Array(3 * vertices), 3));
    geometry.setAttribute('heat', dynamic(new Float32Array(vertices), 1));
    geometry.setIndex(new BufferAttribute(opened.triangles, 1));
    // Never culled: its bounds change with every pose.
    geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
    this.mesh = new Mesh(geometry, this.material as Materials);
    this.choose();
    this.mesh.frustumCulled = false;
    const edges = new BufferGeometry();
    edges.setAttribute('position', geometry.getAttribute('position'));
    edges.setIndex(new BufferAttribute(opened.edges, 1));
    edges.boundingSphere = geometry.boundingSphere;
    this.wire = new LineSegments(edges, this.wireMaterial);
    this.wire.frustumCulled = false;
    this.wire.visible = false;
    this.group.add(this.mesh, this.wire);
  }

  clear(): void {
    this.mesh?.geometry.dispose();
    this.wire?.geometry.dispose();
    this.group.clear();
    this.mesh = this.wire = null;
    this.textured.forEach((material) => material.dispose());
    this.textured = [];
  }

  /** What the file says of colours. */
  dress(looks: LooksView): void {
    if (!this.mesh) return;
    const { geometry } = this.mesh;
    geometry.setIndex(new BufferAttribute(looks.triangles, 1));
    geometry.setAttribute('uv', new BufferAttribute(looks.texcoords, 2));
    geometry.setAttribute('color', new BufferAttribute(looks.colours, 3));
    looks.groups.forEach(({ start, count, material }) => geometry.addGroup(start, count, material));
    this.textured = looks.pictures.map((picture, k) => texturedMaterial(this.material, picture, looks.factors[k]));
    this.textured.forEach((material) => (material.polygonOffset = this.material.polygonOffset));
    this.choose();
  }

  /** As the file says, where it says something; else clay. */
  set looks(on: boolean) {
    this.materials = on;
    this.choose();
  }

  private choose(): void {
    if (this.mesh) this.mesh.material = this.materials && this.textured.length ? this.textured : this.material;
  }

  update(frame: SlotFrame): void {
    if (!this.mesh) return;
    put(this.mesh.geometry.getAttribute('position') as BufferAttribute, frame.positions);
    put(this.mesh.geometry.getAttribute('normal') as BufferAttribute, frame.normals);
  }

  get positions(): Float32Array | null {
    return this.mesh ? (this.mesh.geometry.getAttribute('position').array as Float32Array) : null;
  }

  /** Values over `range` a vertex, NaN: none; null: plain clay. */
  heat(values: Float32Array | null, range = 1): void {
    this.material.uniforms.heated.value = values ? 1 : 0;
    if (!values || !this.mesh) return;
    const attribute = this.mesh.geometry.getAttribute('heat') as BufferAttribute;
    const target = attribute.array as Float32Array;
    const scale = range > 0 ? 1 / range : 0;
    for (let i = 0; i < target.length; ++i) target[i] = Number.isNaN(values[i]) ? -1 : values[i] * scale;
    attribute.needsUpdate = true;
  }

  theme(dim: number, wire: number): void {
    this.material.uniforms.dim.value = dim;
    this.wireMaterial.color.setHex(wire);
  }

  set wireframe(on: boolean) {
    if (this.wire) this.wire.visible = on;
    // Edges over the surface must not fight with it; without them, an offset would let backs through at the outline.
    [this.material, ...this.textured].forEach((material) => (material.polygonOffset = on));
  }
}

function dynamic(array: Float32Array, size: number): BufferAttribute {
  const attribute = new BufferAttribute(array, size);
  attribute.setUsage(DynamicDrawUsage);
  return attribute;
}

function put(attribute: BufferAttribute, array: Float32Array): void {
  attribute.array = array;
  attribute.needsUpdate = true;
}
