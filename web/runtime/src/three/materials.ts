// SPDX-License-Identifier: Apache-2.0
// three's own materials with the deformer in place of their skinning: lights, fog, maps and shadows stay as they are.
import { MeshDepthMaterial, MeshDistanceMaterial, RGBADepthPacking, ShaderChunk, type Material, type WebGLProgramParametersWithUniforms } from 'three';
import type { SharedRig } from './shared.js';

const patched = new WeakMap<Material, SharedRig>();
const include = (name: string): string => `#include <${name}>`;
const skinned = (code: string): string => `#ifdef USE_SKINNING\n${code}\n#endif`;

/** Morph targets move what the deformer starts from. */
const morphed = ShaderChunk.morphtarget_vertex.replaceAll('transformed', 'sinewRest');

function code(shared: SharedRig, normal: string): string {
  return `
vec3 sinewRest = position;
${morphed}
SinewVertex rest;
rest.position = sinewRest;
rest.normal = ${normal};
#if defined(SINEW_BIND) && ${shared.passes ? 0 : 1}
rest.position = (bindMatrix * vec4(sinewRest, 1.0)).xyz;
rest.normal = normalize(transpose(inverse(mat3(bindMatrix))) * rest.normal);
#endif
SinewVertex sinewMoved = ${shared.call};`;
}

/** Changes the vertex shader of a material of three. */
function change(shader: WebGLProgramParametersWithUniforms, shared: SharedRig, depthOnly: boolean): void {
  const put = (chunk: string, text: string): void => {
    shader.vertexShader = shader.vertexShader.replaceAll(include(chunk), skinned(text));
  };
  if (shared.evaluator) {
    // Positions and normals come from WebAssembly.
    for (const chunk of ['skinning_pars_vertex', 'skinbase_vertex', 'skinnormal_vertex', 'skinning_vertex']) put(chunk, '');
    return;
  }
  if (!shared.passes) shader.uniforms.sinewRows = { value: shared.rows };
  put('skinning_pars_vertex', shared.declarations);
  put('skinbase_vertex', '');
  if (depthOnly) {
    put('skinnormal_vertex', '');
    put('skinning_vertex', `${code(shared, 'vec3(0.0, 0.0, 1.0)')}\ntransformed = sinewMoved.position;`);
  } else {
    put('skinnormal_vertex', `${code(shared, 'objectNormal')}\nobjectNormal = sinewMoved.normal;`);
    put('skinning_vertex', 'transformed = sinewMoved.position;');
  }
}

/** The material, or a copy where another rig has it already. */
export function patch<T extends Material>(material: T, shared: SharedRig, bound = false): T {
  const known = patched.get(material);
  if (known === shared) return material;
  const own = known ? material.clone() : material;
  patched.set(own, shared);
  const depthOnly = own instanceof MeshDepthMaterial || own instanceof MeshDistanceMaterial;
  // What the user's own changes are told apart by; three would ask the function below for its text.
  const before = own.onBeforeCompile, key = Object.hasOwn(own, 'customProgramCacheKey') ? own.customProgramCacheKey.bind(own) : () => before.toString();
  own.onBeforeCompile = (shader, renderer) => {
    before.call(own, shader, renderer);
    change(shader, shared, depthOnly);
  };
  own.customProgramCacheKey = () => `${key()} sinew ${shared.id}`;
  if (bound) own.defines = { ...own.defines, SINEW_BIND: '' };
  own.needsUpdate = true;
  return own;
}

/** For shadows of lights with a direction, and of point lights. */
export function shadowMaterials(shared: SharedRig, bound: boolean): [MeshDepthMaterial, MeshDistanceMaterial] {
  return [patch(new MeshDepthMaterial({ depthPacking: RGBADepthPacking }), shared, bound), patch(new MeshDistanceMaterial(), shared, bound)];
}
