// SPDX-License-Identifier: Apache-2.0
import {
  BufferAttribute,
  BufferGeometry,
  DynamicDrawUsage,
  GLBufferAttribute,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Material,
  Mesh,
  type ShaderMaterial,
  Sphere,
  Vector3,
} from 'three';
import type { Opened, SlotFrame } from '../protocol';
import { clayMaterial } from './clay';
import type { GpuDeformer } from './gpuDeformer';
import type { LooksView } from './looks';

type Materials = Material | Material[];

/** The mesh of one slot, with its edges. Takes the arrays of a frame as they are. */
export class MeshView {
  readonly group = new Group();
  private readonly material: ShaderMaterial = clayMaterial();
  private readonly wireMaterial = new LineBasicMaterial({ color: 0x1d242b, transparent: true, opacity: 0.28 });
  private mesh: Mesh<BufferGeometry, Materials> | null = null;
  private wire: LineSegments | null = null;
  private dressed: Material[] = [];
  private materials = true;
  private heated = false;
  private gpu: GpuDeformer | null = null;
  /** What frames with vertices write to, while the graphics card does not. */
  private own: Record<'position' | 'normal', BufferAttribute> | null = null;

  show(opened: Opened): void {
    this.clear();
    const geometry = new BufferGeometry();
    const vertices = opened.rest.length / 3;
    this.own = { position: dynamic(opened.rest.slice(), 3), normal: dynamic(new Float32Array(3 * vertices), 3) };
    geometry.setAttribute('position', this.own.position);
    geometry.setAttribute('normal', this.own.normal);
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
    this.mesh = this.wire = this.gpu = this.own = null;
    this.dressed = [];
  }

  /** What the file says of colours. The materials stay the caller's. */
  dress(looks: LooksView): void {
    if (!this.mesh) return;
    const { geometry } = this.mesh;
    geometry.setIndex(new BufferAttribute(looks.triangles, 1));
    geometry.setAttribute('uv', new BufferAttribute(looks.texcoords[0], 2));
    geometry.setAttribute('uv1', new BufferAttribute(looks.texcoords[1], 2));
    if (looks.colours) geometry.setAttribute('color', new BufferAttribute(looks.colours, 3));
    looks.groups.forEach(({ start, count, material }) => geometry.addGroup(start, count, material));
    this.dressed = looks.materials;
    this.wireframe = this.wire?.visible ?? false;
    this.choose();
  }

  /** As the file says, where it says something; else clay. */
  set looks(on: boolean) {
    this.materials = on;
    this.choose();
  }

  private choose(): void {
    const dressed = this.materials && !this.heated && this.dressed.length > 0;
    if (this.mesh) this.mesh.material = dressed ? this.dressed : this.material;
  }

  update(frame: SlotFrame): void {
    if (!this.mesh || !this.own) return;
    this.leave();
    put(this.own.position, frame.positions);
    put(this.own.normal, frame.normals);
  }

  /** Vertices are those that the graphics card has made. */
  follow(gpu: GpuDeformer): void {
    if (!this.mesh || this.gpu === gpu) return;
    this.gpu = gpu;
    const attribute = (buffer: WebGLBuffer): GLBufferAttribute =>
      new GLBufferAttribute(buffer, WebGL2RenderingContext.FLOAT, 3, 4, gpu.count);
    this.draw(attribute(gpu.position), attribute(gpu.normal));
  }

  /** Back to the vertices of the last frame that had any. */
  leave(): void {
    if (this.gpu && this.own) this.draw(this.own.position, this.own.normal);
    this.gpu = null;
  }

  private draw(position: BufferAttribute | GLBufferAttribute, normal: BufferAttribute | GLBufferAttribute): void {
    this.mesh?.geometry.setAttribute('position', position as BufferAttribute);
    this.mesh?.geometry.setAttribute('normal', normal as BufferAttribute);
    this.wire?.geometry.setAttribute('position', position as BufferAttribute);
  }

  get positions(): Float32Array | null {
    return this.gpu ? this.gpu.positions() : ((this.own?.position.array as Float32Array | undefined) ?? null);
  }

  get normals(): Float32Array | null {
    return this.gpu ? this.gpu.normals() : ((this.own?.normal.array as Float32Array | undefined) ?? null);
  }

  /** Values over `range` a vertex, NaN: none; null: plain clay. */
  heat(values: Float32Array | null, range = 1): void {
    this.material.uniforms.heated.value = values ? 1 : 0;
    this.heated = values !== null;
    this.choose();
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
    for (const material of [this.material, ...this.dressed])
      Object.assign(material, { polygonOffset: on, polygonOffsetFactor: 1, polygonOffsetUnits: 1 });
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
