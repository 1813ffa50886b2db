// SPDX-License-Identifier: Apache-2.0
// Object keys (morph targets) before the skeleton: p + sum_k w_k delta_k. The host defines one more function:
//   vec4 sinew_key(int at)   2 texels a key and vertex, key by key: how far position and normal move
// and in the palette, from `weights` on, a texel for each key that is not 0: key, weight.
SinewVertex sinew_keys(int vertex, int vertices, int weights, int count, SinewVertex rest) {
  SinewVertex result;
  result.position = rest.position;
  result.normal = rest.normal;
  for (int k = 0; k < count; k += 1) {
    vec4 key = sinew_palette(weights + k);
    int at = 2 * (int(key.x) * vertices + vertex);
    result.position += key.y * sinew_key(at).xyz;
    result.normal += key.y * sinew_key(at + 1).xyz;
  }
  if (dot(result.normal, result.normal) > 0.0) {
    result.normal = normalize(result.normal);
  }
  return result;
}
