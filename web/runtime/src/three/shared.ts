// SPDX-License-Identifier: Apache-2.0
// What all meshes of a file share: its rig, the deformer, the rows as a texture, and the code of the shader.
import { DataTexture, FloatType, NearestFilter, RGBAFormat, RGBAIntegerFormat, UnsignedIntType } from 'three';
import { deformerCode, padded, PALETTE_BITS, ROW_BITS } from '../code.js';
import type { Deformer } from '../deformers/deformer.js';
import { SinewError, type Rig } from '../rig.js';
import type { BoneShape } from '../skeleton.js';
import type { Evaluator } from './fallback.js';
import { Pass, passOrder, passReader, passRows, passShader, restTexture } from './pass.js';

let count = 0;

/** Texels that a texture of this side holds. */
export const paletteCapacity = (side: number): number => side << PALETTE_BITS;

export function paletteTexture(texels: number): { palette: Float32Array; texture: DataTexture } {
  const width = 1 << PALETTE_BITS, height = Math.max(1, Math.ceil(texels / width));
  const palette = new Float32Array(4 * width * height);
  const texture = new DataTexture(palette, width, height, RGBAFormat, FloatType);
  texture.needsUpdate = true;
  return { palette, texture };
}

export class SharedRig {
  readonly id = ++count;
  readonly rows: DataTexture | null = null;
  /** Declarations for the vertex shader. */
  readonly declarations: string;
  /** Vertices are made in a pass of their own. */
  readonly passes: boolean = false;
  /** Where the pass makes each vertex. */
  readonly order: Uint32Array = new Uint32Array();
  private readonly passCode: string = '';
  private readonly rests: DataTexture | null = null;

  /** evaluator: WebAssembly instead of the shader. side: of the largest texture. */
  constructor(
    readonly rig: Rig,
    readonly deformer: Deformer,
    readonly shapes: (BoneShape | undefined)[],
    readonly notes: string[],
    readonly evaluator: Evaluator | null,
    side: number,
    passes = false,
  ) {
    if (evaluator) {
      this.declarations = '';
      return;
    }
    const texels = deformer.rows.length / 4, { data, width, height } = padded(deformer.rows, ROW_BITS);
    if (height > side) throw new SinewError(`${deformer.name} needs ${texels} texels for the weights and fields of ${rig.vertices} vertices, and a texture of ${side} rows holds ${width * side}`);
    if (deformer.paletteTexels > paletteCapacity(side)) throw new SinewError(`${deformer.name} needs ${deformer.paletteTexels} texels for ${rig.skeleton.nodes.length} joints, and a texture of ${side} rows holds ${paletteCapacity(side)}`);
    const rows = (this.rows = new DataTexture(data, width, height, RGBAIntegerFormat, UnsignedIntType));
    rows.internalFormat = 'RGBA32UI';
    rows.minFilter = rows.magFilter = NearestFilter;
    rows.needsUpdate = true;
    this.passes = passes && passRows(2 * rig.vertices) <= side;
    if (this.passes) {
      this.order = passOrder(rig, deformer);
      this.rests = restTexture(rig, deformer, this.order);
      this.passCode = passShader(rig, deformer, deformerCode(deformer, 'sinew_first'));
      this.declarations = passReader(rig);
      return;
    }
    this.declarations = `
attribute uvec2 sinewRow;
uniform mat4 bindMatrix;
uniform mat4 bindMatrixInverse;
uniform highp sampler2D boneTexture;
uniform highp usampler2D sinewRows;
#ifdef USE_INSTANCING
#define SINEW_FIRST gl_InstanceID * ${deformer.paletteTexels}
#else
#define SINEW_FIRST 0
#endif
${deformerCode(deformer, 'SINEW_FIRST')}`;
  }

  /** Makes vertices of as many characters as the palette holds; null where materials do that themselves. */
  makePass(palette: DataTexture, characters: number): Pass | null {
    return this.passes ? new Pass(this.passCode, palette, this.rows!, this.rests!, characters * this.rig.vertices) : null;
  }

  /** The call for a vertex at rest. */
  get call(): string {
    return this.passes ? 'sinew_made(int(sinewRow.x), rest)' : this.deformer.call.replace('FIRST', 'int(sinewRow.x)').replace('COUNTS', 'sinewRow.y');
  }

  dispose(): void {
    this.rows?.dispose();
    this.rests?.dispose();
    this.evaluator?.dispose();
  }
}
