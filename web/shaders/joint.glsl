// SPDX-License-Identifier: Apache-2.0
// Joint-based deformers, docs/algorithms/joint_based.md: p' = sum_j d_j (above_j + s_j move_j) turn_j(t_j) local_j p, for
// swing-twist, linear, dqs, mix and angle alike: the palette says which.
//   row      one texel an entry: entry, d, s, t
//   palette  header, then 11 texels an entry: local, above and move (3 each), then the turn about z of local: kind (0 none, 1 by its
//            angle, 2 along the chord), half the angle, cos(half) - 1, sin(half); then the two numbers that correct the chord

// Cosine and sine of the share t of a turn.
vec2 sinew_turn(vec4 turn, vec4 bend, float t) {
  float h = t - 0.5;
  float u = t + t * h * (t - 1.0) * (bend.x + bend.y * h * h);
  float c = 1.0 + u * turn.z;
  float s = u * turn.w;
  float scale = 2.0 / (c * c + s * s);
  if (turn.x > 1.5) {
    return vec2(1.0 - scale * s * s, scale * s * c);
  }
  return sinew_cosine_sine(2.0 * t * turn.y);
}

// A vector about z.
vec3 sinew_turned_z(vec2 turn, vec3 v) {
  return vec3(turn.x * v.x - turn.y * v.y, turn.y * v.x + turn.x * v.y, v.z);
}

vec3 sinew_linear(vec4 a, vec4 b, vec4 c, vec3 v) {
  return vec3(dot(a.xyz, v), dot(b.xyz, v), dot(c.xyz, v));
}

SinewVertex sinew_joint(int first, int count, SinewVertex rest) {
  SinewMap sum;
  sum.p = vec3(0.0, 0.0, 0.0);
  sum.x = vec3(0.0, 0.0, 0.0);
  sum.y = vec3(0.0, 0.0, 0.0);
  sum.z = vec3(0.0, 0.0, 0.0);
  if (count == 0) {
    return rest;
  }
  for (int k = 0; k < count; k += 1) {
    uvec4 row = sinew_row(first + k);
    int at = 1 + 11 * int(row.x);
    float d = uintBitsToFloat(row.y);
    float s = uintBitsToFloat(row.z);
    vec4 la = sinew_palette(at);
    vec4 lb = sinew_palette(at + 1);
    vec4 lc = sinew_palette(at + 2);
    vec4 a = d * (sinew_palette(at + 3) + s * sinew_palette(at + 6));
    vec4 b = d * (sinew_palette(at + 4) + s * sinew_palette(at + 7));
    vec4 c = d * (sinew_palette(at + 5) + s * sinew_palette(at + 8));
    vec4 turn = sinew_palette(at + 9);
    vec2 angle = vec2(1.0, 0.0);
    SinewMap local = sinew_rows(la, lb, lc, rest.position);
    if (turn.x > 0.5) {
      angle = sinew_turn(turn, sinew_palette(at + 10), uintBitsToFloat(row.w));
    }
    sum.p += sinew_linear(a, b, c, sinew_turned_z(angle, local.p)) + vec3(a.w, b.w, c.w);
    sum.x += sinew_linear(a, b, c, sinew_turned_z(angle, local.x));
    sum.y += sinew_linear(a, b, c, sinew_turned_z(angle, local.y));
    sum.z += sinew_linear(a, b, c, sinew_turned_z(angle, local.z));
  }
  return sinew_moved(sum, rest.normal);
}
