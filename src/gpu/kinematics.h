// SPDX-License-Identifier: Apache-2.0
// From a pose to what deformers read of its joints.
#pragma once

#include "gpu/field_layout.h"
#include "gpu/vectors.h"

namespace sinew::gpu {

// --- forward kinematics ---

// The transform of a joint relative to its parent.
SINEW_HD void local_transform(const JointRest& rest, const PoseView& pose, bool is_root, double* out) {
  Quaternion<double> q{rest.rotation[0], rest.rotation[1], rest.rotation[2], rest.rotation[3]};
  if (pose.rotations) {
    const float* r = pose.rotations + 4 * std::int64_t{rest.joint};
    q = {r[0], r[1], r[2], r[3]};
    const double square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    const double scale = square > 0 ? 1 / sqrt(square) : 0;
    q = square > 0 ? Quaternion<double>{scale * q.x, scale * q.y, scale * q.z, scale * q.w}
                   : Quaternion<double>{0, 0, 0, 1};
  }
  double turn[9];
  rotation_rows(q, turn, 3);
  SINEW_UNROLL
  for (int r = 0; r < 3; ++r) {
    SINEW_UNROLL
    for (int c = 0; c < 3; ++c)
      out[4 * r + c] = turn[3 * r] * rest.stretch[c] + turn[3 * r + 1] * rest.stretch[3 + c] +
                       turn[3 * r + 2] * rest.stretch[6 + c];
    out[4 * r + 3] = is_root && pose.translations ? pose.translations[r] : rest.translation[r];
  }
}

// Three steps, each for all joints before the next: their transforms relative to their parents, then, from the
// roots down, in the world, then what moves the skin. transforms: twelve a joint, kLanes apart.
SINEW_HD void load_transform(const double* transforms, std::int32_t joint, double* out) {
  SINEW_UNROLL
  for (int i = 0; i < 12; ++i) out[i] = transforms[(12 * std::int64_t{joint} + i) * kLanes];
}
SINEW_HD void store_transform(const double* from, std::int32_t joint, double* transforms) {
  SINEW_UNROLL
  for (int i = 0; i < 12; ++i) transforms[(12 * std::int64_t{joint} + i) * kLanes] = from[i];
}
SINEW_HD void pose_local(const RigView& rig, const JointRest& rest, const PoseView& pose,
                         double* transforms) {
  double local[12];
  local_transform(rest, pose, rest.joint == rig.root, local);
  if (rest.joint == rig.root && rest.parent < 0 && pose.translations) {  // below others these are moved
    SINEW_UNROLL
    for (int c = 0; c < 3; ++c) local[4 * c + 3] -= static_cast<double>(rig.offset[c]);
  }
  store_transform(local, rest.joint, transforms);
}
SINEW_HD void pose_global(const JointRest& rest, double* transforms) {
  if (rest.parent < 0) return;
  double above[12], local[12], global[12];
  load_transform(transforms, rest.parent, above);
  load_transform(transforms, rest.joint, local);
  multiply(above, local, global);
  store_transform(global, rest.joint, transforms);
}
SINEW_HD void pose_skin(const JointRest& rest, const double* transforms, float* matrices) {
  double global[12], skin[12];
  load_transform(transforms, rest.joint, global);
  multiply(global, rest.inverse_bind, skin);
  SINEW_UNROLL
  for (int i = 0; i < 12; ++i)
    matrices[(12 * std::int64_t{rest.joint} + i) * kLanes] = static_cast<float>(skin[i]);
}
// The matrix behind the last joint's is for vertices that nothing carries.
SINEW_HD void pose_nothing(const RigView& rig, float* matrices) {
  SINEW_UNROLL
  for (int i = 0; i < 12; ++i)
    matrices[(12 * std::int64_t{rig.joints} + i) * kLanes] = i % 5 == 0 ? 1.0f : 0.0f;
}

// --- what deformers read of a joint ---

SINEW_HD void load_matrix(const float* matrices, int joint, double* out) {
  SINEW_UNROLL
  for (int i = 0; i < 12; ++i)
    out[i] = static_cast<double>(matrices[(12 * std::int64_t{joint} + i) * kLanes]);
}

template <int kStride = kLanes>
SINEW_HD void dual_entry(const double* m, float* out) {
  const Quaternion<double> q = quaternion_of(m);
  const Quaternion<double> t{m[3], m[7], m[11], 0}, d = t * q;
  const double numbers[8] = {q.x, q.y, q.z, q.w, d.x / 2, d.y / 2, d.z / 2, d.w / 2};
  SINEW_UNROLL
  for (int i = 0; i < 8; ++i) out[i * kStride] = static_cast<float>(numbers[i]);
}

// The rotation between two joints as seen in the frame of the lower: swing about x and y, twist about z.
struct TurnParts {
  double swing_x, swing_y, twist;
  Quaternion<double> twist_q;  // in bind space
};
SINEW_HD TurnParts turn_of(const Quaternion<double>& q, const double* axes) {
  // axes is row-major; its columns are the frame's.
  const DPoint z{axes[2], axes[5], axes[8]};
  const double sign = q.w < 0 ? -1.0 : 1.0, along = sign * (q.x * z.x + q.y * z.y + q.z * z.z);
  const double w = sign * q.w, length = sqrt(w * w + along * along);
  TurnParts parts;
  const double c = length > 1e-12 ? w / length : 1.0, s = length > 1e-12 ? along / length : 0.0;
  parts.twist_q = {s * z.x, s * z.y, s * z.z, c};
  parts.twist = 2 * atan2(s, c);
  const Quaternion<double> back{-parts.twist_q.x, -parts.twist_q.y, -parts.twist_q.z, c};
  const Quaternion<double> whole{sign * q.x, sign * q.y, sign * q.z, w}, swing = whole * back;
  const double lx = axes[0] * swing.x + axes[3] * swing.y + axes[6] * swing.z;
  const double ly = axes[1] * swing.x + axes[4] * swing.y + axes[7] * swing.z;
  const double sine = sqrt(swing.x * swing.x + swing.y * swing.y + swing.z * swing.z);
  const double scale = sine > 0 ? 2 * atan2(sine, swing.w) / sine : 2.0;
  parts.swing_x = scale * lx;
  parts.swing_y = scale * ly;
  return parts;
}

// below relative to above, both rigid.
SINEW_HD void relative(const double* above, const double* below, double* out) {
  SINEW_UNROLL
  for (int r = 0; r < 3; ++r) SINEW_UNROLL
  for (int c = 0; c < 4; ++c) {
    const double d0 = below[c] - (c == 3 ? above[3] : 0.0), d1 = below[4 + c] - (c == 3 ? above[7] : 0.0),
                 d2 = below[8 + c] - (c == 3 ? above[11] : 0.0);
    out[4 * r + c] = above[r] * d0 + above[4 + r] * d1 + above[8 + r] * d2;
  }
}

// What a joint adds to the one above it.
SINEW_HD void own_motion(const EntryRest& entry, const float* matrices, double* out) {
  double own[12], above[12];
  load_matrix(matrices, entry.joint, own);
  if (entry.above >= 0) {
    load_matrix(matrices, entry.above, above);
    relative(above, own, out);
  } else {
    for (int i = 0; i < 12; ++i) out[i] = own[i];
  }
}

// A joint deformer: y = above r + s move r with r the point in the joint's frame, turned by t of `twist`.
// Twelve numbers each, then half the twist.
inline constexpr int kJointFloats = 25;
SINEW_HD void joint_entry(const EntryRest& entry, const float* matrices, float* out) {
  double below[12], above[12];
  for (int i = 0; i < 12; ++i) below[i] = above[i] = i % 5 == 0 ? 1 : 0;
  if (entry.joint >= 0) load_matrix(matrices, entry.joint, below);
  const bool alone = entry.joint < 0 || entry.above < 0 || entry.blend == EntryBlend::kPlain;
  if (!alone) load_matrix(matrices, entry.above, above);
  double twist = 0;
  const double* a = entry.axes;
  const double place[12] = {a[0], a[1], a[2], entry.origin[0], a[3], a[4], a[5], entry.origin[1],
                            a[6], a[7], a[8], entry.origin[2]};
  double high[12], low[12];
  if (alone) {
    multiply(below, place, low);
    for (int i = 0; i < 12; ++i) high[i] = low[i];
  } else {
    double turned[12];
    relative(above, below, turned);
    if (entry.blend == EntryBlend::kSwingTwist) twist = turn_of(quaternion_of(turned), a).twist;
    multiply(above, place, high);
    const double c = cos(twist), s = sin(twist);  // taken back about z of the frame
    double back[12];
    multiply(below, place, back);
    for (int r = 0; r < 3; ++r) {
      low[4 * r] = c * back[4 * r] - s * back[4 * r + 1];
      low[4 * r + 1] = s * back[4 * r] + c * back[4 * r + 1];
      low[4 * r + 2] = back[4 * r + 2];
      low[4 * r + 3] = back[4 * r + 3];
    }
  }
  for (int i = 0; i < 12; ++i) {
    out[i * kLanes] = static_cast<float>(high[i]);
    out[(12 + i) * kLanes] = static_cast<float>(low[i] - high[i]);
  }
  out[24 * kLanes] = static_cast<float>(twist / 2);
}

// A step of flesh: of a run y = rows x; else y = x' + s rows x', x' being x turned about the joint's axis by t
// of the twist. Twelve numbers, then the twist.
inline constexpr int kFleshFloats = 13;
SINEW_HD void flesh_entry(const EntryRest& entry, const float* matrices, float* out) {
  double whole[12];
  own_motion(entry, matrices, whole);
  if (entry.run != 0) {
    for (int i = 0; i < 12; ++i) out[i * kLanes] = static_cast<float>(whole[i]);
    out[12 * kLanes] = 0;
    return;
  }
  const TurnParts parts = turn_of(quaternion_of(whole), entry.axes);
  const Quaternion<double> back{-parts.twist_q.x, -parts.twist_q.y, -parts.twist_q.z, parts.twist_q.w};
  double untwist[9];
  rotation_rows(back, untwist, 3);
  const double* o = entry.origin;
  for (int r = 0; r < 3; ++r) {
    double swing[3];
    for (int c = 0; c < 3; ++c) {
      swing[c] = whole[4 * r] * untwist[c] + whole[4 * r + 1] * untwist[3 + c] +
                 whole[4 * r + 2] * untwist[6 + c] - (r == c ? 1.0 : 0.0);
      out[(4 * r + c) * kLanes] = static_cast<float>(swing[c]);
    }
    const double shift =
        whole[4 * r] * o[0] + whole[4 * r + 1] * o[1] + whole[4 * r + 2] * o[2] + whole[4 * r + 3] - o[r];
    out[(4 * r + 3) * kLanes] =
        static_cast<float>(shift - swing[0] * o[0] - swing[1] * o[1] - swing[2] * o[2]);
  }
  out[12 * kLanes] = static_cast<float>(parts.twist);
}

// The rotation of a joint by which a field is driven, within the field's range.
struct FieldTurn {
  double direction, angle, twist;  // of the swing, then how far
};
SINEW_HD FieldTurn field_turn(const EntryRest& joint, const float* matrices, double swing, double twist) {
  double whole[12];
  own_motion(joint, matrices, whole);
  const TurnParts parts = turn_of(quaternion_of(whole), joint.axes);
  const double angle = sqrt(parts.swing_x * parts.swing_x + parts.swing_y * parts.swing_y);
  return {angle > 0 ? atan2(parts.swing_y, parts.swing_x) : 0, angle > swing ? swing : angle,
          parts.twist > twist    ? twist
          : parts.twist < -twist ? -twist
                                 : parts.twist};
}

// How a field is driven in one pose of a chunk.
SINEW_HD void field_entry(const RigView& rig, int field, const float* matrices, int pose, float* drives,
                          std::uint32_t* factors) {
  const FieldRest& rest = rig.fields[field];
  const FieldTurn own = field_turn(rig.field_joints[field], matrices, rest.swing, rest.twist);
  const double first = sin(own.angle), rise = 1 - cos(own.angle), both = rise * first, square = rise * rise;
  const double twist = sin(own.twist), lift = 1 - cos(own.twist);
  double numbers[kFunctions] = {
      first,        first,         both,          both,         rise,
      square,       rise,          rise,          square,       square,
      both,         both,          twist,         lift,         0.5 * sin(2 * own.twist),
      lift * lift,  first * twist, first * twist, first * lift, first * lift,
      rise * twist, rise * lift,   both * twist,  both * twist, both * lift,
      both * lift,  rise * twist,  rise * twist,  rise * lift,  rise * lift};
  if (rest.partner >= 0) {
    const FieldTurn other =
        field_turn(rig.field_joints[rest.partner], matrices, rest.partner_swing, rest.partner_twist);
    const double x = sin(other.angle) * cos(other.direction), y = sin(other.angle) * sin(other.direction);
    const double up = 1 - cos(other.angle), w = sin(other.twist), down = 1 - cos(other.twist);
    const double pairs[kFunctions] = {
        first * x,         first * x,         first * y, first * y,  rise * x,     rise * y,
        rise * x,          rise * x,          rise * y,  rise * y,   both * up,    both * up,
        twist * x,         twist * y,         twist * w, twist * up, first * up,   first * up,
        first * w,         first * w,         rise * up, rise * w,   first * down, first * down,
        first * twist * w, first * twist * w, rise * up, rise * up,  rise * w,     rise * w};
    SINEW_UNROLL
    for (int q = 0; q < kFunctions; ++q) numbers[q] = pairs[q];
  }
  float factor[kFunctions];
  SINEW_UNROLL
  for (int q = 0; q < kFunctions; ++q) factor[q] = static_cast<float>(numbers[q]);
  drives[0] = static_cast<float>(own.direction);
  drives[kLanes] = static_cast<float>(own.twist);
  drives[2 * kLanes] = factor[kCubicFactor];
  put_factors(factor, pose, factors);
}

// A bone that stretches and twists: p' = rows p + e stretch; rows, stretch, half the twist at its head and what
// it grows by; and what dual quaternions need of it: where its head is.
inline constexpr int kBoneFloats = 17;
SINEW_HD void bone_entry(const RigView& rig, const EntryRest& entry, const float* matrices,
                         const float* shape, double* rows, double* stretch, double* half) {
  for (int i = 0; i < 12; ++i) rows[i] = i % 5 == 0 ? 1 : 0;
  for (int i = 0; i < 3; ++i) stretch[i] = 0;
  half[0] = half[1] = 0;
  if (entry.joint < 0) return;
  load_matrix(matrices, entry.joint, rows);
  if (shape) {
    half[0] = static_cast<double>(shape[1]) / 2;
    half[1] = (static_cast<double>(shape[2]) - static_cast<double>(shape[1])) / 2;
  }
  const DPoint head0{entry.origin[0], entry.origin[1], entry.origin[2]};
  const DPoint span0 = DPoint{entry.tail[0], entry.tail[1], entry.tail[2]} - head0;
  const DPoint head = transform(rows, head0), along = turn_by(rows, span0);
  DPoint tail = head + (shape ? static_cast<double>(shape[0]) : 1.0) * along;
  if (entry.ends > 0) {
    tail = {0, 0, 0};
    for (int e = entry.first_end; e < entry.first_end + entry.ends; ++e) {
      double other[12];
      load_matrix(matrices, rig.end_joints[e], other);
      const double* h = rig.end_heads + 3 * e;
      tail = tail + (1.0 / entry.ends) * transform(other, DPoint{h[0], h[1], h[2]});
    }
  }
  const DPoint span = tail - head;
  const double length = sqrt(dot(along, along)), posed = sqrt(dot(span, span));
  if (!(length > 0) || !(posed > 1e-9 * length) || !(posed < 1e300)) return;
  const double ratio = posed / length;
  const DPoint off = span - ratio * along;
  if (dot(off, off) > 1e-12 * posed * posed) {  // floats: turned by more than rounding
    const DPoint u = (1 / length) * along, v = (1 / posed) * span, axis = cross(u, v);
    const double c = dot(u, v);
    Quaternion<double> q{axis.x, axis.y, axis.z, 1 + c};
    if (1 + c < 1e-12) {
      const DPoint other = fabs(u.x) < 0.5 ? DPoint{1, 0, 0} : DPoint{0, 1, 0}, side = cross(u, other);
      q = {side.x, side.y, side.z, 0};
    }
    const double scale = 1 / sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
    q = {scale * q.x, scale * q.y, scale * q.z, scale * q.w};
    double turn[12] = {}, old[12], made[12];
    rotation_rows(q, turn, 4);
    for (int i = 0; i < 12; ++i) old[i] = i % 4 == 3 ? 0 : rows[i];
    multiply(turn, old, made);
    const DPoint at = turn_by(made, head0);
    made[3] = head.x - at.x;
    made[7] = head.y - at.y;
    made[11] = head.z - at.z;
    for (int i = 0; i < 12; ++i) rows[i] = made[i];
  }
  const DPoint more = (ratio - 1) * turn_by(rows, span0);
  stretch[0] = more.x;
  stretch[1] = more.y;
  stretch[2] = more.z;
}
// For linear blending: rows from the bone's frame, stretch, half twists.
SINEW_HD void linear_bone_entry(const RigView& rig, const EntryRest& entry, const float* matrices,
                                const float* shape, float* out) {
  double rows[12], stretch[3], half[2], placed[12];
  bone_entry(rig, entry, matrices, shape, rows, stretch, half);
  const double* a = entry.axes;
  const double place[12] = {a[0], a[1], a[2], entry.origin[0], a[3], a[4], a[5], entry.origin[1],
                            a[6], a[7], a[8], entry.origin[2]};
  multiply(rows, place, placed);
  for (int i = 0; i < 12; ++i) out[i * kLanes] = static_cast<float>(placed[i]);
  for (int i = 0; i < 3; ++i) out[(12 + i) * kLanes] = static_cast<float>(stretch[i]);
  for (int i = 0; i < 2; ++i) out[(15 + i) * kLanes] = static_cast<float>(half[i]);
}
// For dual quaternions: the rotation, where the head goes, stretch, half twists.
inline constexpr int kDualBoneFloats = 12;
SINEW_HD void dual_bone_entry(const RigView& rig, const EntryRest& entry, const float* matrices,
                              const float* shape, float* out) {
  double rows[12], stretch[3], half[2];
  bone_entry(rig, entry, matrices, shape, rows, stretch, half);
  const Quaternion<double> q = quaternion_of(rows);
  const DPoint to = transform(rows, DPoint{entry.origin[0], entry.origin[1], entry.origin[2]});
  const double numbers[kDualBoneFloats] = {q.x,  q.y,        q.z,        q.w,        to.x,    to.y,
                                           to.z, stretch[0], stretch[1], stretch[2], half[0], half[1]};
  for (int i = 0; i < kDualBoneFloats; ++i) out[i * kLanes] = static_cast<float>(numbers[i]);
}

}  // namespace sinew::gpu
