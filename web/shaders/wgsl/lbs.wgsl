// SPDX-License-Identifier: Apache-2.0
// Made from lbs.glsl by translate.mjs.
// Linear blend skinning, docs/algorithms/lbs.md: p' = (sum_j w_j M_j) p.
//   row      one texel an influence: joint, weight
//   palette  header, then 3 texels a joint: M_j
fn sinew_lbs(first: i32, count: i32, rest: SinewVertex) -> SinewVertex {
  var a: vec4f = vec4f(0.0, 0.0, 0.0, 0.0);
  var b: vec4f = vec4f(0.0, 0.0, 0.0, 0.0);
  var c: vec4f = vec4f(0.0, 0.0, 0.0, 0.0);
  if (count == 0) {
    return rest;
  }
  for (var k: i32 = 0; k < count; k += 1) {
    var row: vec4u = sinew_row(first + k);
    var at: i32 = 1 + 3 * i32(row.x);
    var w: f32 = bitcast<f32>(row.y);
    a += w * sinew_palette(at);
    b += w * sinew_palette(at + 1);
    c += w * sinew_palette(at + 2);
  }
  return sinew_moved(sinew_rows(a, b, c, rest.position), rest.normal);
}
