// SPDX-License-Identifier: Apache-2.0
// Bones that stretch and twist, docs/algorithms/stretch.md. Uses dqs.glsl and joint.glsl.
//   row      one texel an influence: joint, weight, endpoint weight of the stretch, of the twist. For sinew_stretch_dqs the
//            largest weight comes first and weights sum to 1.
//   palette of sinew_stretch_lbs: header, then 8 texels a joint: into the bone's frame (z along it), out of it (3 each), stretch,
//            half the twist at the head and how much half of it grows to the tail
//   palette of sinew_stretch_dqs: header, then 10 texels a joint: rotation, rotation times the bone's direction, dual parts of both,
//            dual parts of the stretch of both, the twist as above, then the scale about the joint (3)
SinewVertex sinew_stretch_lbs(int first, int count, SinewVertex rest) {
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
    int at = 1 + 8 * int(row.x);
    float w = uintBitsToFloat(row.y);
    SinewMap local = sinew_rows(sinew_palette(at), sinew_palette(at + 1), sinew_palette(at + 2), rest.position);
    vec4 a = w * sinew_palette(at + 3);
    vec4 b = w * sinew_palette(at + 4);
    vec4 c = w * sinew_palette(at + 5);
    vec4 stretch = sinew_palette(at + 6);
    vec4 twist = sinew_palette(at + 7);
    vec2 turn = sinew_cosine_sine(2.0 * (twist.x + uintBitsToFloat(row.w) * twist.y));
    sum.p += sinew_linear(a, b, c, sinew_turned_z(turn, local.p)) + vec3(a.w, b.w, c.w) + w * uintBitsToFloat(row.z) * stretch.xyz;
    sum.x += sinew_linear(a, b, c, sinew_turned_z(turn, local.x));
    sum.y += sinew_linear(a, b, c, sinew_turned_z(turn, local.y));
    sum.z += sinew_linear(a, b, c, sinew_turned_z(turn, local.z));
  }
  return sinew_moved(sum, rest.normal);
}

SinewVertex sinew_stretch_dqs(int first, int count, SinewVertex rest) {
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
    int at = 1 + 10 * int(row.x);
    float w = uintBitsToFloat(row.y);
    float e = uintBitsToFloat(row.z);
    vec4 twist = sinew_palette(at + 6);
    vec2 turn = sinew_cosine_sine(twist.x + uintBitsToFloat(row.w) * twist.y);
    vec4 q = turn.x * sinew_palette(at) + turn.y * sinew_palette(at + 1);
    vec4 along = turn.x * (sinew_palette(at + 2) + e * sinew_palette(at + 4)) + turn.y * (sinew_palette(at + 3) + e * sinew_palette(at + 5));
    float signed_w = w;
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
