// SPDX-License-Identifier: Apache-2.0
// Deformers that read much per vertex run once per vertex and frame, in a pass of their own, and the shaders of materials read
// the result: pictures, shadows and triangles that share a vertex cost nothing more. A texel holds the position and the
// normal, the latter on an octahedron of 2 x 16 bits.
import { BufferGeometry, Camera, DataTexture, GLSL3, Mesh, NearestFilter, NoBlending, RawShaderMaterial, RGBAIntegerFormat, UnsignedIntType, Vector4, WebGLRenderTarget, type WebGLRenderer } from 'three';
import type { Rig } from '../rig.js';
import type { Deformer } from '../deformers/deformer.js';

export const PASS_BITS = 10;
const width = 1 << PASS_BITS;
const camera = new Camera(), viewport = new Vector4();

/** Rows of a texture; those of vertices are taken two by two. */
export const passRows = (texels: number): number => 2 * Math.max(1, Math.ceil(texels / (2 * width)));

/** Where a number lies: four in a row are a square of texels, which graphics cards run together. */
const place = (at: string): string => `ivec2((${at} >> 1) & ${width - 1}, ((${at} >> ${PASS_BITS + 1}) << 1) | (${at} & 1))`;

/** Where the pass makes each vertex. */
export function passOrder(rig: Rig, deformer: Deformer): Uint32Array {
  const at = new Uint32Array(rig.vertices);
  for (let k = 0; k < rig.vertices; ++k) at[deformer.order?.[k] ?? k] = k;
  return at;
}

/** Positions and normals at rest, and where the rows of each vertex are. */
export function restTexture(rig: Rig, deformer: Deformer, order: Uint32Array): DataTexture {
  const words = new Uint32Array(4 * width * passRows(2 * rig.vertices)), floats = new Float32Array(words.buffer);
  for (let i = 0; i < rig.vertices; ++i) {
    const to = 8 * order[i];
    for (let c = 0; c < 3; ++c) {
      floats[to + c] = rig.positions[3 * i + c];
      floats[to + 4 + c] = rig.normals[3 * i + c];
    }
    words[to + 3] = deformer.vertexRows[2 * i];
    words[to + 7] = deformer.vertexRows[2 * i + 1];
  }
  const texture = new DataTexture(words, width, passRows(2 * rig.vertices), RGBAIntegerFormat, UnsignedIntType);
  texture.internalFormat = 'RGBA32UI';
  texture.minFilter = texture.magFilter = NearestFilter;
  texture.needsUpdate = true;
  return texture;
}

/** functions: those that read the palette and the rows, and the deformer. */
export function passShader(rig: Rig, deformer: Deformer, functions: string): string {
  return `precision highp float;
precision highp int;
uniform highp sampler2D boneTexture;
uniform highp usampler2D sinewRows;
uniform highp usampler2D sinewRests;
layout(location = 0) out highp uvec4 made;
int sinew_first;
${functions}
uvec4 restTexel(int at) {
  return texelFetch(sinewRests, ivec2(at & ${width - 1}, at >> ${PASS_BITS}), 0);
}
void main() {
  int line = int(gl_FragCoord.y);
  int at = (line >> 1) * ${2 * width} + 2 * int(gl_FragCoord.x) + (line & 1);
  int character = at / ${rig.vertices};
  int vertex = at - character * ${rig.vertices};
  sinew_first = character * ${deformer.paletteTexels};
  uvec4 a = restTexel(2 * vertex);
  uvec4 b = restTexel(2 * vertex + 1);
  SinewVertex rest;
  rest.position = uintBitsToFloat(a.xyz);
  rest.normal = uintBitsToFloat(b.xyz);
  SinewVertex moved = ${deformer.call.replace('FIRST', 'int(a.w)').replace('COUNTS', 'b.w')};
  vec3 n = moved.normal / (abs(moved.normal.x) + abs(moved.normal.y) + abs(moved.normal.z) + 1e-30);
  vec2 side = vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0);
  vec2 folded = n.z < 0.0 ? (1.0 - abs(n.yx)) * side : n.xy;
  made = uvec4(floatBitsToUint(moved.position), packSnorm2x16(folded));
}`;
}

/** What materials read instead; the attribute has the vertex's number. */
export function passReader(rig: Rig): string {
  return `
attribute uvec2 sinewRow;
uniform mat4 bindMatrix;
uniform mat4 bindMatrixInverse;
uniform highp usampler2D boneTexture;
struct SinewVertex {
  vec3 position;
  vec3 normal;
};
SinewVertex sinew_made(int at, SinewVertex rest) {
#ifdef USE_INSTANCING
  at += gl_InstanceID * ${rig.vertices};
#endif
  uvec4 texel = texelFetch(boneTexture, ${place('at')}, 0);
  vec2 folded = unpackSnorm2x16(texel.w);
  vec3 n = vec3(folded, 1.0 - abs(folded.x) - abs(folded.y));
  vec2 side = vec2(n.x < 0.0 ? -1.0 : 1.0, n.y < 0.0 ? -1.0 : 1.0);
  if (n.z < 0.0) n.xy = (1.0 - abs(n.yx)) * side;
  rest.position = uintBitsToFloat(texel.xyz);
  rest.normal = normalize(n);
  return rest;
}`;
}

/** One pass: a triangle over a texture with a texel per vertex and character. */
export class Pass {
  readonly target: WebGLRenderTarget;
  private readonly quad: Mesh<BufferGeometry, RawShaderMaterial>;
  private readonly done = new WeakMap<WebGLRenderer, number>();

  constructor(fragmentShader: string, palette: DataTexture, rows: DataTexture, rests: DataTexture, texels: number) {
    this.target = new WebGLRenderTarget(width, passRows(texels), { format: RGBAIntegerFormat, type: UnsignedIntType, internalFormat: 'RGBA32UI', minFilter: NearestFilter, magFilter: NearestFilter, depthBuffer: false });
    const geometry = new BufferGeometry(); // without attributes: three would upload them before a frame alone
    geometry.setDrawRange(0, 3);
    const material = new RawShaderMaterial({
      glslVersion: GLSL3,
      uniforms: { boneTexture: { value: palette }, sinewRows: { value: rows }, sinewRests: { value: rests } },
      vertexShader: 'void main() {\n  gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0);\n}',
      fragmentShader,
      blending: NoBlending,
      depthTest: false,
      depthWrite: false,
    });
    this.quad = new Mesh(geometry, material);
  }

  /** Within a frame of the renderer; does nothing where this pose is made already. */
  run(renderer: WebGLRenderer, version: number): void {
    const made = renderer.properties.get(this.target) as { __webglFramebuffer?: unknown };
    if (this.done.get(renderer) === version && made.__webglFramebuffer) return; // it is gone where the context was lost
    this.done.set(renderer, version);
    const target = renderer.getRenderTarget(), face = renderer.getActiveCubeFace(), level = renderer.getActiveMipmapLevel();
    renderer.getCurrentViewport(viewport);
    renderer.setRenderTarget(this.target);
    renderer.renderBufferDirect(camera, null as never, this.quad.geometry, this.quad.material, this.quad, null as never);
    renderer.setRenderTarget(target, face, level);
    renderer.state.viewport(viewport);
  }

  dispose(): void {
    this.target.dispose();
    this.quad.geometry.dispose();
    this.quad.material.dispose();
  }
}
