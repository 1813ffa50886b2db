// SPDX-License-Identifier: Apache-2.0
// Made from lbs.glsl by translate.mjs.
// Linear blend skinning, docs/algorithms/lbs.md: p' = (sum_j w_j M_j) p.
//   row      one texel an influence: joint, weight
//   palette  header, then 3 texels a joint: M_j
SinewVertex sinew_lbs(int first, int count, SinewVertex rest) {
  float4 a = float4(0.0, 0.0, 0.0, 0.0);
  float4 b = float4(0.0, 0.0, 0.0, 0.0);
  float4 c = float4(0.0, 0.0, 0.0, 0.0);
  if (count == 0) {
    return rest;
  }
  for (int k = 0; k < count; k += 1) {
    uint4 row = sinew_row(first + k);
    int at = 1 + 3 * int(row.x);
    float w = asfloat(row.y);
    a += w * sinew_palette(at);
    b += w * sinew_palette(at + 1);
    c += w * sinew_palette(at + 2);
  }
  return sinew_moved(sinew_rows(a, b, c, rest.position), rest.normal);
}
