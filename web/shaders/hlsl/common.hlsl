// SPDX-License-Identifier: Apache-2.0
// Made from common.glsl by translate.mjs.
// What all deformers share. The host defines two functions before this file:
//   vec4 sinew_palette(int at)   numbers of the pose, written every frame; texel 0 is the header:
//                                x = 1: a joint is scaled, y: 1 / size of the mesh, z = 1: bones are stretched or twisted along themselves
//   uvec4 sinew_row(int at)      numbers of the vertices, written once; floats are stored as their bits
// Matrices are affine and given by their rows: three texels, the translation in w.

struct SinewVertex {
  float3 position;
  float3 normal;
};

// A point on its way, and the linear part of all that has moved it, by columns.
struct SinewMap {
  float3 p;
  float3 x;
  float3 y;
  float3 z;
};

// What a matrix makes of a point at rest.
SinewMap sinew_rows(float4 a, float4 b, float4 c, float3 p) {
  SinewMap map;
  float4 q = float4(p, 1.0);
  map.p = float3(dot(a, q), dot(b, q), dot(c, q));
  map.x = float3(a.x, b.x, c.x);
  map.y = float3(a.y, b.y, c.y);
  map.z = float3(a.z, b.z, c.z);
  return map;
}

// Normals go through the inverse transpose, as cofactors with the sign of the determinant; where they vanish the normal stays.
float3 sinew_normal(SinewMap map, float3 n) {
  float3 yz = cross(map.y, map.z);
  float3 moved = n.x * yz + n.y * cross(map.z, map.x) + n.z * cross(map.x, map.y);
  float squared = dot(moved, moved);
  if (squared < 1e-30) {
    return n;
  }
  float scale = rsqrt(squared);
  if (dot(map.x, yz) < 0.0) {
    scale = -scale;
  }
  return scale * moved;
}

SinewVertex sinew_moved(SinewMap map, float3 n) {
  SinewVertex result;
  result.position = map.p;
  result.normal = sinew_normal(map, n);
  return result;
}

// Turned by an angle of this cosine and sine about an axis of unit length.
float3 sinew_turned(float3 v, float3 axis, float2 turn) {
  return turn.x * v + turn.y * cross(axis, v) + (1.0 - turn.x) * dot(axis, v) * axis;
}

// Cosine and sine within 2e-6 up to three turns: those of shading languages may be off by 5e-4.
float2 sinew_cosine_sine(float angle) {
  float turns = floor(angle * 0.159154943 + 0.5);
  float x = (0.5 * angle - turns * 3.140625) - turns * 9.67653589793e-4;
  float q = x * x;
  float c = 1.0 + q * (-0.5 + q * (4.1666667e-2 + q * (-1.3888889e-3 + q * (2.4801587e-5 - q * 2.7557319e-7))));
  float s = x * (1.0 + q * (-0.16666667 + q * (8.3333333e-3 + q * (-1.9841270e-4 + q * (2.7557319e-6 - q * 2.5052108e-8)))));
  return float2(1.0 - 2.0 * s * s, 2.0 * s * c);
}

float2 sinew_halves(uint word) {
  return float2(f16tof32(word & 0xffffu), f16tof32(word >> 16u));
}
