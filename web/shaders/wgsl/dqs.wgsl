// SPDX-License-Identifier: Apache-2.0
// Made from dqs.glsl by translate.mjs.
// Dual quaternion skinning, docs/algorithms/dqs.md: scale and shear linearly in the bind pose, then the rigid motions as dual
// quaternions, whose signs follow the first influence.
//   row      one texel an influence, largest weight first, weights that sum to 1: joint, weight
//   palette  header, then 5 texels a joint: rotation and dual part (x, y, z, w), then the scale about the joint

// A point through a dual quaternion of any length.
fn sinew_dual_point(real: vec4f, dual: vec4f, p: vec3f) -> vec3f {
  var v: vec3f = real.xyz;
  var moved: vec3f = cross(v, cross(v, p) + real.w * p) + real.w * dual.xyz - dual.w * v + cross(v, dual.xyz);
  return p + 2.0 / dot(real, real) * moved;
}

fn sinew_dual_vector(real: vec4f, p: vec3f) -> vec3f {
  var v: vec3f = real.xyz;
  return p + 2.0 / dot(real, real) * cross(v, cross(v, p) + real.w * p);
}

fn sinew_dqs(first: i32, count: i32, rest: SinewVertex) -> SinewVertex {
  var real: vec4f = vec4f(0.0, 0.0, 0.0, 0.0);
  var dual: vec4f = vec4f(0.0, 0.0, 0.0, 0.0);
  var a: vec4f = vec4f(0.0, 0.0, 0.0, 0.0);
  var b: vec4f = vec4f(0.0, 0.0, 0.0, 0.0);
  var c: vec4f = vec4f(0.0, 0.0, 0.0, 0.0);
  var pivot: vec4f = vec4f(0.0, 0.0, 0.0, 0.0);
  var scaled: bool = sinew_palette(0).x > 0.5;
  var result: SinewVertex;
  result.position = rest.position;
  result.normal = rest.normal;
  if (count == 0) {
    return rest;
  }
  for (var k: i32 = 0; k < count; k += 1) {
    var row: vec4u = sinew_row(first + k);
    var at: i32 = 1 + 5 * i32(row.x);
    var w: f32 = bitcast<f32>(row.y);
    var q: vec4f = sinew_palette(at);
    var signed_w: f32 = w;
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
