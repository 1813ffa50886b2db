// SPDX-License-Identifier: Apache-2.0
// Dual quaternion skinning, docs/algorithms/dqs.md: scale and shear linearly in the bind pose, then the rigid motions as dual
// quaternions, whose signs follow the first influence.
//   row      one texel an influence, largest weight first, weights that sum to 1: joint, weight
//   palette  header, then 5 texels a joint: rotation and dual part (x, y, z, w), then the scale about the joint

// A point through a dual quaternion of any length.
vec3 sinew_dual_point(vec4 real, vec4 dual, vec3 p) {
  vec3 v = real.xyz;
  vec3 moved = cross(v, cross(v, p) + real.w * p) + real.w * dual.xyz - dual.w * v + cross(v, dual.xyz);
  return p + 2.0 / dot(real, real) * moved;
}

vec3 sinew_dual_vector(vec4 real, vec3 p) {
  vec3 v = real.xyz;
  return p + 2.0 / dot(real, real) * cross(v, cross(v, p) + real.w * p);
}

SinewVertex sinew_dqs(int first, int count, SinewVertex rest) {
  vec4 real = vec4(0.0, 0.0, 0.0, 0.0);
  vec4 dual = vec4(0.0, 0.0, 0.0, 0.0);
  vec4 a = vec4(0.0, 0.0, 0.0, 0.0);
  vec4 b = vec4(0.0, 0.0, 0.0, 0.0);
  vec4 c = vec4(0.0, 0.0, 0.0, 0.0);
  vec4 pivot = vec4(0.0, 0.0, 0.0, 0.0);
  bool scaled = sinew_palette(0).x > 0.5;
  SinewVertex result;
  result.position = rest.position;
  result.normal = rest.normal;
  if (count == 0) {
    return rest;
  }
  for (int k = 0; k < count; k += 1) {
    uvec4 row = sinew_row(first + k);
    int at = 1 + 5 * int(row.x);
    float w = uintBitsToFloat(row.y);
    vec4 q = sinew_palette(at);
    float signed_w = w;
    if (k == 0) {
      pivot = q;
    }
    if (dot(pivot, q) < 0.0) {
      signed_w = -w;
    }
    real += signed_w * q;
    dual += signed_w * sinew_palette(at + 1);
    if (scaled) {
      a += w * sinew_palette(at + 2);
      b += w * sinew_palette(at + 3);
      c += w * sinew_palette(at + 4);
    }
  }
  if (scaled) {
    result = sinew_moved(sinew_rows(a, b, c, rest.position), rest.normal);
  }
  result.position = sinew_dual_point(real, dual, result.position);
  result.normal = sinew_dual_vector(real, result.normal);
  return result;
}
