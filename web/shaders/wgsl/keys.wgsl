// SPDX-License-Identifier: Apache-2.0
// Made from keys.glsl by translate.mjs.
// Object keys (morph targets) before the skeleton: p + sum_k w_k delta_k. The host defines one more function:
//   vec4 sinew_key(int at)   2 texels a key and vertex, key by key: how far position and normal move
// and in the palette, from `weights` on, a texel for each key that is not 0: key, weight.
fn sinew_keys(vertex: i32, vertices: i32, weights: i32, count: i32, rest: SinewVertex) -> SinewVertex {
  var result: SinewVertex;
  result.position = rest.position;
  result.normal = rest.normal;
  for (var k: i32 = 0; k < count; k += 1) {
    var key: vec4f = sinew_palette(weights + k);
    var at: i32 = 2 * (i32(key.x) * vertices + vertex);
    result.position += key.y * sinew_key(at).xyz;
    result.normal += key.y * sinew_key(at + 1).xyz;
  }
  if (dot(result.normal, result.normal) > 0.0) {
    result.normal = normalize(result.normal);
  }
  return result;
}
