// SPDX-License-Identifier: Apache-2.0
// What the kernels of joint_kernel.h read in a frame.
#include <cmath>

#include "deform/joint_kernel.h"

namespace sinew {
namespace {

Rows scaled_rows(const Affine3& m, double factor) {
  return rows_of(factor * m.linear(), factor * m.translation());
}

// How a point turns before it is moved.
TurnEntry turn_entry(const JointEntry& entry, const JointMotion& motion, const JointBasedOptions& options) {
  TurnEntry turn;
  if (motion.angle == 0) return turn;
  const bool chord = entry.part == JointPart::kSpherical || options.twist == TwistPower::kFast;
  const double cosine = std::cos(motion.angle / 2);
  turn.kind = chord ? TurnKind::kChord : TurnKind::kSmallAngle;
  turn.half_growth = static_cast<float>(motion.angle / 2);
  turn.chord_cosine = static_cast<float>(cosine - 1);
  turn.chord_sine = static_cast<float>(std::sin(motion.angle / 2));
  // The correction of math's twist_power_fast; quaternions blended with (1 - s, s) have none.
  if (entry.part != JointPart::kSwingTwist) return turn;
  turn.bend0 = static_cast<float>(0.85030 + cosine * (-1.09424 + cosine * 0.25989));
  turn.bend2 = static_cast<float>(1.03854 + cosine * (-2.53102 + cosine * 1.56698));
  return turn;
}

// `turned` is the frame that the turned point comes in; `motion` the bone's, behind its twist.
BoneEntry half_entry(const Affine3& turned, const JointFrame& frame, const Affine3& motion,
                     const PosedBone& bone, double factor) {
  const Affine3 place = Eigen::Translation3d(frame.origin) * Affine3(frame.axes);
  return bone_entry(place.inverse(Eigen::Isometry) * turned, motion * place, factor, bone);
}

}  // namespace

BoneEntry bone_entry(const Affine3& into, const Affine3& out, double factor, const PosedBone& bone) {
  BoneEntry entry{rows_of(into), scaled_rows(out, factor), {}, {}};
  for (Eigen::Index k = 0; k < 3; ++k) entry.stretch[k] = static_cast<float>(factor * bone.stretch[k]);
  if (bone.twist_head == 0 && bone.twist_tail == 0) return entry;
  entry.twist.kind = TurnKind::kAnyAngle;
  entry.twist.half_start = static_cast<float>(bone.twist_head / 2);
  entry.twist.half_growth = static_cast<float>((bone.twist_tail - bone.twist_head) / 2);
  return entry;
}

void fill_shaped_joints(const JointTable& table, const RestBones& rest, const FrameInput& input,
                        const JointBasedOptions& options, Palette<ShapedJointEntry>& palette) noexcept {
  for (std::size_t e = 0; e < table.entries.size(); ++e) {
    const JointEntry& entry = table.entries[e];
    const auto posed = [&](int joint) {
      return joint < 0 ? PosedBone{} : posed_bone(rest, static_cast<std::size_t>(joint), input);
    };
    const auto frame_of = [&](int joint) {
      return joint >= 0 && static_cast<std::size_t>(joint) < rest.frames.size()
                 ? rest.frames[static_cast<std::size_t>(joint)]
                 : JointFrame{};
    };
    const PosedBone own = posed(entry.joint);
    const PosedBone above = entry.part == JointPart::kPlain || entry.parent < 0 ? own : posed(entry.parent);
    const JointMotion motion = joint_motion(entry, above.rigid, own.rigid, options.mix);
    const Affine3 frame = Eigen::Translation3d(entry.frame.origin) * Affine3(motion.axes);
    // The joint's turn is taken back in `below`; a twist about the bone comes behind that, so it must be seen
    // through it.
    const Affine3 back = own.rigid.inverse() * motion.below;
    const int bone_above = entry.part == JointPart::kPlain || entry.parent < 0 ? entry.joint : entry.parent;
    palette[e] = {rows_of(frame.inverse(Eigen::Isometry)), turn_entry(entry, motion, options),
                  half_entry(frame, frame_of(bone_above), motion.above, above, motion.factor),
                  half_entry(back * frame, frame_of(entry.joint), own.rigid, own, motion.factor)};
  }
}

void fill_joints(const JointTable& table, std::span<const Affine3> matrices, const JointBasedOptions& options,
                 Palette<JointPaletteEntry>& palette) noexcept {
  for (std::size_t e = 0; e < table.entries.size(); ++e) {
    const JointEntry& entry = table.entries[e];
    const JointMotion motion = joint_motion(entry, matrices, options.mix);
    const Affine3 frame = Eigen::Translation3d(entry.frame.origin) * Affine3(motion.axes);
    const Mat3 move = motion.below.linear() - motion.above.linear();
    const Vec3 shift = motion.below.translation() - motion.above.translation();
    palette[e] = {rows_of(frame.inverse(Eigen::Isometry)), scaled_rows(motion.above * frame, motion.factor),
                  rows_of(motion.factor * (move * frame.linear()),
                          motion.factor * (move * frame.translation() + shift)),
                  turn_entry(entry, motion, options)};
  }
}

}  // namespace sinew
