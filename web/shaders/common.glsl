// SPDX-License-Identifier: Apache-2.0
// What all deformers share. The host defines two functions before this file:
//   vec4 sinew_palette(int at)   numbers of the pose, written every frame; texel 0 is the header:
//                                x = 1: a joint is scaled, y: 1 / size of the mesh, z = 1: bones are stretched or twisted along themselves
//   uvec4 sinew_row(int at)      numbers of the vertices, written once; floats are stored as their bits
// Matrices are affine and given by their rows: three texels, the translation in w.

struct SinewVertex {
  vec3 position;
  vec3 normal;
};

// A point on its way, and the linear part of all that has moved it, by columns.
struct SinewMap {
  vec3 p;
  vec3 x;
  vec3 y;
  vec3 z;
};

// What a matrix makes of a point at rest.
SinewMap sinew_rows(vec4 a, vec4 b, vec4 c, vec3 p) {
  SinewMap map;
  vec4 q = vec4(p, 1.0);
  map.p = vec3(dot(a, q), dot(b, q), dot(c, q));
  map.x = vec3(a.x, b.x, c.x);
  map.y = vec3(a.y, b.y, c.y);
  map.z = vec3(a.z, b.z, c.z);
  return map;
}

// Normals go through the inverse transpose, as cofactors with the sign of the determinant; where they vanish the normal stays.
vec3 sinew_normal(SinewMap map, vec3 n) {
  vec3 yz = cross(map.y, map.z);
  vec3 moved = n.x * yz + n.y * cross(map.z, map.x) + n.z * cross(map.x, map.y);
  float squared = dot(moved, moved);
  if (squared < 1e-30) {
    return n;
  }
  float scale = inversesqrt(squared);
  if (dot(map.x, yz) < 0.0) {
    scale = -scale;
  }
  return scale * moved;
}

SinewVertex sinew_moved(SinewMap map, vec3 n) {
  SinewVertex result;
  result.position = map.p;
  result.normal = sinew_normal(map, n);
  return result;
}

// Turned by an angle of this cosine and sine about an axis of unit length.
vec3 sinew_turned(vec3 v, vec3 axis, vec2 turn) {
  return turn.x * v + turn.y * cross(axis, v) + (1.0 - turn.x) * dot(axis, v) * axis;
}

// Cosine and sine within 2e-6 up to three turns: those of shading languages may be off by 5e-4.
vec2 sinew_cosine_sine(float angle) {
  float turns = floor(angle * 0.159154943 + 0.5);
  float x = (0.5 * angle - turns * 3.140625) - turns * 9.67653589793e-4;
  float q = x * x;
  float c = 1.0 + q * (-0.5 + q * (4.1666667e-2 + q * (-1.3888889e-3 + q * (2.4801587e-5 - q * 2.7557319e-7))));
  float s = x * (1.0 + q * (-0.16666667 + q * (8.3333333e-3 + q * (-1.9841270e-4 + q * (2.7557319e-6 - q * 2.5052108e-8)))));
  return vec2(1.0 - 2.0 * s * s, 2.0 * s * c);
}
