// SPDX-License-Identifier: Apache-2.0
// Made from roll.glsl by translate.mjs.
// Roll joints and other helpers that follow a share of another joint's turn (`drivers` of docs/rig_file.md). Once per
// helper and frame, for hosts that pose skeletons on the GPU; quaternions are x, y, z, w.
float4 sinew_quaternion_product(float4 a, float4 b) {
  return float4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

// A share of a rotation of unit length, the shorter way round.
float4 sinew_share(float4 turn, float share) {
  float4 q = turn;
  if (turn.w < 0.0) {
    q = -turn;
  }
  float sine = length(q.xyz);
  float half_angle = share * atan2(sine, q.w);
  if (sine < 1e-7) {
    return float4(share * q.xyz, 1.0);
  }
  float2 part = sinew_cosine_sine(half_angle);
  return float4(part.y / sine * q.xyz, part.x);
}

// turn: of the joint against the one above it, in bind space; axis: along its bone. Swing and twist: the helper's shares.
float4 sinew_roll(float4 turn, float3 axis, float swing, float twist) {
  float along = dot(turn.xyz, axis);
  float length_of = sqrt(turn.w * turn.w + along * along);
  float4 about = float4(0.0, 0.0, 0.0, 1.0);
  if (length_of > 1e-6) {
    about = float4(along / length_of * axis, turn.w / length_of);
  }
  float4 rest = sinew_quaternion_product(turn, float4(-about.xyz, about.w));
  return sinew_quaternion_product(sinew_share(rest, swing), sinew_share(about, twist));
}
