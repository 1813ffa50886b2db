// SPDX-License-Identifier: Apache-2.0
// The shader code of a deformer: the snippets of web/shaders behind functions that read its two textures.
import common from '../../shaders/common.glsl';
import dqs from '../../shaders/dqs.glsl';
import flesh from '../../shaders/flesh.glsl';
import joint from '../../shaders/joint.glsl';
import lbs from '../../shaders/lbs.glsl';
import stretch from '../../shaders/stretch.glsl';
import type { Deformer } from './deformers/deformer.js';

const SNIPPETS: Record<string, string> = { dqs, flesh, joint, lbs, stretch };
/** Texels in a row of either texture, as powers of 2. */
export const ROW_BITS = 11, PALETTE_BITS = 9;

/** Reads the samplers boneTexture and sinewRows. first: an expression, the palette's first texel. */
export function deformerCode(deformer: Deformer, first: string): string {
  let code = [common, ...deformer.shaders.map((name) => SNIPPETS[name])].join('\n');
  for (const [name, value] of Object.entries(deformer.constants ?? {})) code = code.replace(new RegExp(`${name} = \\d+`), `${name} = ${value}`);
  return `
vec4 sinew_palette(int at) {
  int place = ${first} + at;
  return texelFetch(boneTexture, ivec2(place & ${(1 << PALETTE_BITS) - 1}, place >> ${PALETTE_BITS}), 0);
}
uvec4 sinew_row(int at) {
  return texelFetch(sinewRows, ivec2(at & ${(1 << ROW_BITS) - 1}, at >> ${ROW_BITS}), 0);
}
${code}`;
}

/** Numbers that fill whole rows of a texture. */
export function padded<T extends Uint32Array | Float32Array>(numbers: T, bits: number): { data: T; width: number; height: number } {
  const width = 1 << bits, height = Math.max(1, Math.ceil(numbers.length / 4 / width));
  const data = new (numbers.constructor as new (length: number) => T)(4 * width * height);
  data.set(numbers);
  return { data, width, height };
}
