// SPDX-License-Identifier: Apache-2.0
// Linear blend skinning, docs/algorithms/lbs.md: p' = (sum_j w_j M_j) p.
//   row      one texel an influence: joint, weight
//   palette  header, then 3 texels a joint: M_j
SinewVertex sinew_lbs(int first, int count, SinewVertex rest) {
  vec4 a = vec4(0.0, 0.0, 0.0, 0.0);
  vec4 b = vec4(0.0, 0.0, 0.0, 0.0);
  vec4 c = vec4(0.0, 0.0, 0.0, 0.0);
  if (count == 0) {
    return rest;
  }
  for (int k = 0; k < count; k += 1) {
    uvec4 row = sinew_row(first + k);
    int at = 1 + 3 * int(row.x);
    float w = uintBitsToFloat(row.y);
    a += w * sinew_palette(at);
    b += w * sinew_palette(at + 1);
    c += w * sinew_palette(at + 2);
  }
  return sinew_moved(sinew_rows(a, b, c, rest.position), rest.normal);
}
