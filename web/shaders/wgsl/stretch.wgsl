// SPDX-License-Identifier: Apache-2.0
// Made from stretch.glsl by translate.mjs.
// Bones that stretch and twist, docs/algorithms/stretch.md. Uses dqs.glsl and joint.glsl.
//   row      one texel an influence: joint, weight, endpoint weight of the stretch, of the twist. For sinew_stretch_dqs the
//            largest weight comes first and weights sum to 1.
//   palette of sinew_stretch_lbs: header, then 8 texels a joint: into the bone's frame (z along it), out of it (3 each), stretch,
//            half the twist at the head and how much half of it grows to the tail
//   palette of sinew_stretch_dqs: header, then 10 texels a joint: rotation, rotation times the bone's direction, dual parts of both,
//            dual parts of the stretch of both, the twist as above, then the scale about the joint (3)
fn sinew_stretch_lbs(first: i32, count: i32, rest: SinewVertex) -> SinewVertex {
  var sum: SinewMap;
  sum.p = vec3f(0.0, 0.0, 0.0);
  sum.x = vec3f(0.0, 0.0, 0.0);
  sum.y = vec3f(0.0, 0.0, 0.0);
  sum.z = vec3f(0.0, 0.0, 0.0);
  if (count == 0) {
    return rest;
  }
  for (var k: i32 = 0; k < count; k += 1) {
    var row: vec4u = sinew_row(first + k);
    var at: i32 = 1 + 8 * i32(row.x);
    var w: f32 = bitcast<f32>(row.y);
    var local: SinewMap = sinew_rows(sinew_palette(at), sinew_palette(at + 1), sinew_palette(at + 2), rest.position);
    var a: vec4f = w * sinew_palette(at + 3);
    var b: vec4f = w * sinew_palette(at + 4);
    var c: vec4f = w * sinew_palette(at + 5);
    var stretch: vec4f = sinew_palette(at + 6);
    var twist: vec4f = sinew_palette(at + 7);
    var turn: vec2f = sinew_cosine_sine(2.0 * (twist.x + bitcast<f32>(row.w) * twist.y));
    sum.p += sinew_linear(a, b, c, sinew_turned_z(turn, local.p)) + vec3f(a.w, b.w, c.w) + w * bitcast<f32>(row.z) * stretch.xyz;
    sum.x += sinew_linear(a, b, c, sinew_turned_z(turn, local.x));
    sum.y += sinew_linear(a, b, c, sinew_turned_z(turn, local.y));
    sum.z += sinew_linear(a, b, c, sinew_turned_z(turn, local.z));
  }
  return sinew_moved(sum, rest.normal);
}

fn sinew_stretch_dqs(first: i32, count: i32, rest: SinewVertex) -> SinewVertex {
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
    var at: i32 = 1 + 10 * i32(row.x);
    var w: f32 = bitcast<f32>(row.y);
    var e: f32 = bitcast<f32>(row.z);
    var twist: vec4f = sinew_palette(at + 6);
    var turn: vec2f = sinew_cosine_sine(twist.x + bitcast<f32>(row.w) * twist.y);
    var q: vec4f = turn.x * sinew_palette(at) + turn.y * sinew_palette(at + 1);
    var along: vec4f = turn.x * (sinew_palette(at + 2) + e * sinew_palette(at + 4)) + turn.y * (sinew_palette(at + 3) + e * sinew_palette(at + 5));
    var signed_w: f32 = w;
    if (k == 0) {
      pivot = q;
    }
    if (dot(pivot, q) < 0.0) {
      signed_w = -w;
    }
    real += signed_w * q;
    dual += signed_w * along;
    if (scaled) {
      a += w * sinew_palette(at + 7);
      b += w * sinew_palette(at + 8);
      c += w * sinew_palette(at + 9);
    }
  }
  if (scaled) {
    result = sinew_moved(sinew_rows(a, b, c, rest.position), rest.normal);
  }
  result.position = sinew_dual_point(real, dual, result.position);
  result.normal = sinew_dual_vector(real, result.normal);
  return result;
}
