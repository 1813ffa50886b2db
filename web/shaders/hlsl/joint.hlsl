// SPDX-License-Identifier: Apache-2.0
// Made from joint.glsl by translate.mjs.
// Joint-based deformers, docs/algorithms/joint_based.md: p' = sum_j d_j (above_j + s_j move_j) turn_j(t_j) local_j p, for
// swing-twist, linear, dqs, mix and angle alike: the palette says which.
//   row      one texel an entry: entry, d, s, t
//   palette  header, then 11 texels an entry: local, above and move (3 each), then the turn about z of local: kind (0 none, 1 by its
//            angle, 2 along the chord), half the angle, cos(half) - 1, sin(half); then the two numbers that correct the chord

// Cosine and sine of the share t of a turn.
float2 sinew_turn(float4 turn, float4 bend, float t) {
  float h = t - 0.5;
  float u = t + t * h * (t - 1.0) * (bend.x + bend.y * h * h);
  float c = 1.0 + u * turn.z;
  float s = u * turn.w;
  float scale = 2.0 / (c * c + s * s);
  if (turn.x > 1.5) {
    return float2(1.0 - scale * s * s, scale * s * c);
  }
  return sinew_cosine_sine(2.0 * t * turn.y);
}

// A vector about z.
float3 sinew_turned_z(float2 turn, float3 v) {
  return float3(turn.x * v.x - turn.y * v.y, turn.y * v.x + turn.x * v.y, v.z);
}

float3 sinew_linear(float4 a, float4 b, float4 c, float3 v) {
  return float3(dot(a.xyz, v), dot(b.xyz, v), dot(c.xyz, v));
}

SinewVertex sinew_joint(int first, int count, SinewVertex rest) {
  SinewMap sum;
  sum.p = float3(0.0, 0.0, 0.0);
  sum.x = float3(0.0, 0.0, 0.0);
  sum.y = float3(0.0, 0.0, 0.0);
  sum.z = float3(0.0, 0.0, 0.0);
  if (count == 0) {
    return rest;
  }
  for (int k = 0; k < count; k += 1) {
    uint4 row = sinew_row(first + k);
    int at = 1 + 11 * int(row.x);
    float d = asfloat(row.y);
    float s = asfloat(row.z);
    float4 la = sinew_palette(at);
    float4 lb = sinew_palette(at + 1);
    float4 lc = sinew_palette(at + 2);
    float4 a = d * (sinew_palette(at + 3) + s * sinew_palette(at + 6));
    float4 b = d * (sinew_palette(at + 4) + s * sinew_palette(at + 7));
    float4 c = d * (sinew_palette(at + 5) + s * sinew_palette(at + 8));
    float4 turn = sinew_palette(at + 9);
    float2 angle = float2(1.0, 0.0);
    SinewMap local = sinew_rows(la, lb, lc, rest.position);
    if (turn.x > 0.5) {
      angle = sinew_turn(turn, sinew_palette(at + 10), asfloat(row.w));
    }
    sum.p += sinew_linear(a, b, c, sinew_turned_z(angle, local.p)) + float3(a.w, b.w, c.w);
    sum.x += sinew_linear(a, b, c, sinew_turned_z(angle, local.x));
    sum.y += sinew_linear(a, b, c, sinew_turned_z(angle, local.y));
    sum.z += sinew_linear(a, b, c, sinew_turned_z(angle, local.z));
  }
  return sinew_moved(sum, rest.normal);
}
