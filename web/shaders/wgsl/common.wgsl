// SPDX-License-Identifier: Apache-2.0
// Made from common.glsl by translate.mjs.
// What all deformers share. The host defines two functions before this file:
//   vec4 sinew_palette(int at)   numbers of the pose, written every frame; texel 0 is the header:
//                                x = 1: a joint is scaled, y: 1 / size of the mesh, z = 1: bones are stretched or twisted along themselves
//   uvec4 sinew_row(int at)      numbers of the vertices, written once; floats are stored as their bits
// Matrices are affine and given by their rows: three texels, the translation in w.

struct SinewVertex {
  position: vec3f,
  normal: vec3f,
}

// A point on its way, and the linear part of all that has moved it, by columns.
struct SinewMap {
  p: vec3f,
  x: vec3f,
  y: vec3f,
  z: vec3f,
}

// What a matrix makes of a point at rest.
fn sinew_rows(a: vec4f, b: vec4f, c: vec4f, p: vec3f) -> SinewMap {
  var map: SinewMap;
  var q: vec4f = vec4f(p, 1.0);
  map.p = vec3f(dot(a, q), dot(b, q), dot(c, q));
  map.x = vec3f(a.x, b.x, c.x);
  map.y = vec3f(a.y, b.y, c.y);
  map.z = vec3f(a.z, b.z, c.z);
  return map;
}

// Normals go through the inverse transpose, as cofactors with the sign of the determinant; where they vanish the normal stays.
fn sinew_normal(map: SinewMap, n: vec3f) -> vec3f {
  var yz: vec3f = cross(map.y, map.z);
  var moved: vec3f = n.x * yz + n.y * cross(map.z, map.x) + n.z * cross(map.x, map.y);
  var squared: f32 = dot(moved, moved);
  if (squared < 1e-30) {
    return n;
  }
  var scale: f32 = inverseSqrt(squared);
  if (dot(map.x, yz) < 0.0) {
    scale = -scale;
  }
  return scale * moved;
}

fn sinew_moved(map: SinewMap, n: vec3f) -> SinewVertex {
  var result: SinewVertex;
  result.position = map.p;
  result.normal = sinew_normal(map, n);
  return result;
}

// Turned by an angle of this cosine and sine about an axis of unit length.
fn sinew_turned(v: vec3f, axis: vec3f, turn: vec2f) -> vec3f {
  return turn.x * v + turn.y * cross(axis, v) + (1.0 - turn.x) * dot(axis, v) * axis;
}

// Cosine and sine within 2e-6 up to three turns: those of shading languages may be off by 5e-4.
fn sinew_cosine_sine(angle: f32) -> vec2f {
  var turns: f32 = floor(angle * 0.159154943 + 0.5);
  var x: f32 = (0.5 * angle - turns * 3.140625) - turns * 9.67653589793e-4;
  var q: f32 = x * x;
  var c: f32 = 1.0 + q * (-0.5 + q * (4.1666667e-2 + q * (-1.3888889e-3 + q * (2.4801587e-5 - q * 2.7557319e-7))));
  var s: f32 = x * (1.0 + q * (-0.16666667 + q * (8.3333333e-3 + q * (-1.9841270e-4 + q * (2.7557319e-6 - q * 2.5052108e-8)))));
  return vec2f(1.0 - 2.0 * s * s, 2.0 * s * c);
}
