// SPDX-License-Identifier: Apache-2.0
// The skeleton of a character in three: reads the bones once per frame and fills the palette, which three hands to the
// shader as the bone texture.
import { Bone, Matrix4, Skeleton, type DataTexture, type Object3D, type WebGLRenderer } from 'three';
import { runDrivers } from '../drivers.js';
import { identity, multiply } from '../math.js';
import { SinewError } from '../rig.js';
import type { BoneShape } from '../skeleton.js';
import type { Pass } from './pass.js';
import { paletteTexture, type SharedRig } from './shared.js';

const inverse = new Matrix4(), product = new Matrix4();

/** The space of the file that an object belongs to: where its scenes lie. */
export function spaceOf(object: Object3D): Object3D {
  let top = object;
  for (let at: Object3D | null = object; at; at = at.parent) {
    if (at.userData.sinewSpace) return at;
    top = at;
  }
  return top;
}

function toRows(out: Float64Array, m: Matrix4): Float64Array {
  const e = m.elements;
  for (let r = 0; r < 3; ++r) for (let c = 0; c < 4; ++c) out[4 * r + c] = e[4 * c + r];
  return out;
}

export class SinewSkeleton extends Skeleton {
  readonly matrices: Float64Array[];
  readonly palette: Float32Array;
  private readonly paletteTexture: DataTexture;
  private readonly pass: Pass | null;
  /** Grows with every pose that differs from the one before. */
  version = 0;
  /** Weights of keys that bones drive, by name. */
  drivenKeys = new Map<string, number>();
  private readonly last: Float64Array;
  private readonly world = identity();
  private shapes: (BoneShape | undefined)[];
  private shaped: boolean;
  private stale = true;

  constructor(readonly shared: SharedRig, bones: Bone[], boneInverses?: Matrix4[]) {
    const { skeleton } = shared.rig;
    super(bones, boneInverses ?? skeleton.inverseBind.map((m) => new Matrix4().set(m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8], m[9], m[10], m[11], 0, 0, 0, 1)));
    const { palette, texture } = paletteTexture(shared.evaluator ? 1 : shared.deformer.paletteTexels);
    this.palette = palette;
    this.paletteTexture = texture;
    this.pass = shared.makePass(texture, 1);
    this.boneTexture = (this.pass?.target.texture as DataTexture | undefined) ?? texture;
    this.matrices = skeleton.nodes.map(identity);
    this.last = new Float64Array(12 * skeleton.nodes.length);
    this.shapes = [...shared.shapes];
    this.shaped = this.shapes.some(Boolean);
  }

  /** Stretches and twists a bone along itself: length over rest length, radians at head and tail. */
  setShape(bone: string, shape: BoneShape | undefined): void {
    const j = this.shared.rig.skeleton.names.indexOf(bone);
    if (j < 0) throw new SinewError(`there is no joint '${bone}'`);
    if (shape && !this.shared.evaluator && !['flesh', 'stretch-lbs', 'stretch-dqs'].includes(this.shared.deformer.name)) throw new SinewError(`${this.shared.deformer.name} does not stretch or twist bones in a shader`);
    this.shapes[j] = shape;
    this.shaped = this.shapes.some(Boolean);
    this.stale = true;
  }

  get boneShapes(): readonly (BoneShape | undefined)[] {
    return this.shapes;
  }

  /** three calls it once per frame. */
  override update(): void {
    const { rig, deformer, evaluator } = this.shared, { skeleton } = rig;
    inverse.copy(spaceOf(this.bones[0]).matrixWorld).invert();
    let moved = this.stale;
    for (let j = 0; j < this.bones.length; ++j) {
      toRows(this.world, product.multiplyMatrices(inverse, this.bones[j].matrixWorld));
      multiply(this.matrices[j], this.world, skeleton.inverseBind[j]);
    }
    if (rig.drivers) {
      const above = (joint: number): Float64Array => this.matrices[this.bones.indexOf(this.bones[joint].parent as Bone)] ?? identity();
      this.drivenKeys = runDrivers(rig, this.matrices, above);
    }
    for (let j = 0; j < this.bones.length; ++j)
      for (let k = 0; k < 12; ++k) {
        if (this.last[12 * j + k] === this.matrices[j][k]) continue;
        this.last[12 * j + k] = this.matrices[j][k];
        moved = true;
      }
    if (evaluator) {
      this.version = evaluator.update(this, moved);
      this.stale = false;
      return;
    }
    if (!moved) return;
    this.stale = false;
    ++this.version;
    deformer.fill({ matrices: this.matrices, shapes: this.shaped ? this.shapes : undefined }, this.palette, 0);
    this.paletteTexture.needsUpdate = true;
  }

  /** Before a draw. */
  prepare(renderer: WebGLRenderer): void {
    this.pass?.run(renderer, this.version);
  }

  override dispose(): void {
    this.pass?.dispose();
    this.paletteTexture.dispose();
  }

  override computeBoneTexture(): this {
    return this;
  }

  override clone(): this {
    return new SinewSkeleton(this.shared, this.bones, this.boneInverses) as this;
  }
}
