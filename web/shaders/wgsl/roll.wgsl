// SPDX-License-Identifier: Apache-2.0
// Made from roll.glsl by translate.mjs.
// Roll joints and other helpers that follow a share of another joint's turn (`drivers` of docs/rig_file.md). Once per
// helper and frame, for hosts that pose skeletons on the GPU; quaternions are x, y, z, w.
fn sinew_quaternion_product(a: vec4f, b: vec4f) -> vec4f {
  return vec4f(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

// A share of a rotation of unit length, the shorter way round.
fn sinew_share(turn: vec4f, share: f32) -> vec4f {
  var q: vec4f = turn;
  if (turn.w < 0.0) {
    q = -turn;
  }
  var sine: f32 = length(q.xyz);
  var half_angle: f32 = share * atan2(sine, q.w);
  if (sine < 1e-7) {
    return vec4f(share * q.xyz, 1.0);
  }
  var part: vec2f = sinew_cosine_sine(half_angle);
  return vec4f(part.y / sine * q.xyz, part.x);
}

// turn: of the joint against the one above it, in bind space; axis: along its bone. Swing and twist: the helper's shares.
fn sinew_roll(turn: vec4f, axis: vec3f, swing: f32, twist: f32) -> vec4f {
  var along: f32 = dot(turn.xyz, axis);
  var length_of: f32 = sqrt(turn.w * turn.w + along * along);
  var about: vec4f = vec4f(0.0, 0.0, 0.0, 1.0);
  if (length_of > 1e-6) {
    about = vec4f(along / length_of * axis, turn.w / length_of);
  }
  var rest: vec4f = sinew_quaternion_product(turn, vec4f(-about.xyz, about.w));
  return sinew_quaternion_product(sinew_share(rest, swing), sinew_share(about, twist));
}
