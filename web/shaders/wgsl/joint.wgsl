// SPDX-License-Identifier: Apache-2.0
// Made from joint.glsl by translate.mjs.
// Joint-based deformers, docs/algorithms/joint_based.md: p' = sum_j d_j (above_j + s_j move_j) turn_j(t_j) local_j p, for
// swing-twist, linear, dqs, mix and angle alike: the palette says which.
//   row      one texel an entry: entry, d, s, t
//   palette  header, then 11 texels an entry: local, above and move (3 each), then the turn about z of local: kind (0 none, 1 by its
//            angle, 2 along the chord), half the angle, cos(half) - 1, sin(half); then the two numbers that correct the chord

// Cosine and sine of the share t of a turn.
fn sinew_turn(turn: vec4f, bend: vec4f, t: f32) -> vec2f {
  var h: f32 = t - 0.5;
  var u: f32 = t + t * h * (t - 1.0) * (bend.x + bend.y * h * h);
  var c: f32 = 1.0 + u * turn.z;
  var s: f32 = u * turn.w;
  var scale: f32 = 2.0 / (c * c + s * s);
  if (turn.x > 1.5) {
    return vec2f(1.0 - scale * s * s, scale * s * c);
  }
  return sinew_cosine_sine(2.0 * t * turn.y);
}

// A vector about z.
fn sinew_turned_z(turn: vec2f, v: vec3f) -> vec3f {
  return vec3f(turn.x * v.x - turn.y * v.y, turn.y * v.x + turn.x * v.y, v.z);
}

fn sinew_linear(a: vec4f, b: vec4f, c: vec4f, v: vec3f) -> vec3f {
  return vec3f(dot(a.xyz, v), dot(b.xyz, v), dot(c.xyz, v));
}

fn sinew_joint(first: i32, count: i32, rest: SinewVertex) -> SinewVertex {
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
    var at: i32 = 1 + 11 * i32(row.x);
    var d: f32 = bitcast<f32>(row.y);
    var s: f32 = bitcast<f32>(row.z);
    var la: vec4f = sinew_palette(at);
    var lb: vec4f = sinew_palette(at + 1);
    var lc: vec4f = sinew_palette(at + 2);
    var a: vec4f = d * (sinew_palette(at + 3) + s * sinew_palette(at + 6));
    var b: vec4f = d * (sinew_palette(at + 4) + s * sinew_palette(at + 7));
    var c: vec4f = d * (sinew_palette(at + 5) + s * sinew_palette(at + 8));
    var turn: vec4f = sinew_palette(at + 9);
    var angle: vec2f = vec2f(1.0, 0.0);
    var local: SinewMap = sinew_rows(la, lb, lc, rest.position);
    if (turn.x > 0.5) {
      angle = sinew_turn(turn, sinew_palette(at + 10), bitcast<f32>(row.w));
    }
    sum.p += sinew_linear(a, b, c, sinew_turned_z(angle, local.p)) + vec3f(a.w, b.w, c.w);
    sum.x += sinew_linear(a, b, c, sinew_turned_z(angle, local.x));
    sum.y += sinew_linear(a, b, c, sinew_turned_z(angle, local.y));
    sum.z += sinew_linear(a, b, c, sinew_turned_z(angle, local.z));
  }
  return sinew_moved(sum, rest.normal);
}
