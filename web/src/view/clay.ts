// SPDX-License-Identifier: Apache-2.0
// The clay of every picture of sinew (src/render/shade.cpp): three soft lights that hang on the camera, so that every
// view is lit alike, and a broad sheen in which dents and creases show first.
import { DataTexture, DoubleSide, GLSL3, LinearFilter, RGBAFormat, ShaderMaterial, UnsignedByteType } from 'three';
import { heatTable } from './colourMap';

const VERTEX = /* glsl */ `
in float heat;
centroid out vec3 vNormal;
out float vHeat;
void main() {
  vNormal = normalMatrix * normal;
  vHeat = heat;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = /* glsl */ `
precision highp float;
centroid in vec3 vNormal;
in float vHeat;
out vec4 outColour;
uniform sampler2D heatMap;
uniform float heated;
uniform float dim;
vec3 linear(vec3 c) { return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), step(0.04045, c)); }
vec3 srgb(vec3 c) { return mix(c * 12.92, 1.055 * pow(max(c, vec3(0.0)), vec3(1.0 / 2.4)) - 0.055, step(0.0031308, c)); }
float received(vec3 n, vec3 light, float wrap) { return max(0.0, (dot(n, normalize(light)) + wrap) / (1.0 + wrap)); }
void main() {
  vec3 n = normalize(vNormal) * (gl_FrontFacing ? 1.0 : -1.0);
  float tone = 0.90 * received(n, vec3(-0.46, 0.60, 0.66), 0.12) + 0.17 * received(n, vec3(0.86, 0.02, 0.51), 0.35) +
               0.34 * received(n, vec3(0.45, 0.30, -0.84), 0.05) + 0.09 + (0.5 + 0.5 * n.y) * 0.11;
  vec3 colour;
  if (heated > 0.5) {
    vec3 albedo = vHeat < -0.5 ? vec3(158.0 / 255.0) : texture(heatMap, vec2((clamp(vHeat, 0.0, 1.0) * 255.0 + 0.5) / 256.0, 0.5)).rgb;
    colour = linear(albedo) * (0.62 * tone + 0.42);
  } else {
    vec3 albedo = linear(gl_FrontFacing ? vec3(203.0 / 255.0) : vec3(168.0, 134.0, 112.0) / 255.0);
    float sheen = max(0.0, dot(n, normalize(normalize(vec3(-0.46, 0.60, 0.66)) + vec3(0.0, 0.0, 1.0))));
    colour = (albedo * tone + 0.07 * pow(sheen, 16.0)) * mix(vec3(0.94, 0.98, 1.07), vec3(1.03, 1.0, 0.96), min(tone, 1.0));
  }
  outColour = vec4(srgb(colour * dim), 1.0);
}`;

function heatTexture(): DataTexture {
  const texture = new DataTexture(heatTable(), 256, 1, RGBAFormat, UnsignedByteType);
  texture.magFilter = texture.minFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

export function clayMaterial(): ShaderMaterial {
  return new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    side: DoubleSide,
    uniforms: { heatMap: { value: heatTexture() }, heated: { value: 0 }, dim: { value: 1 } },
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
}
