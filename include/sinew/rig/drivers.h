// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/math/types.h"
#include "sinew/rig/composed_joints.h"
#include "sinew/rig/turn_functions.h"

namespace sinew {

/// A number as a sum of turn functions of one joint's rotation.
using TurnMix = std::array<float, kTurnFunctions>;
double mixed(const TurnMix& mix, const TurnValues& values);

/// How a helper joint follows another one's rotation. `joint` is that one: a bone, as of bones_of.
/// A share of its turn about its head, where the helper hangs on the joint above it: a roll joint has a share
/// of the twist alone. Or, where there are mixes, any function of it: a rotation vector, and how far the
/// helper's centre moves, in bind space, before the helper's parent carries it.
struct HelperDriver {
  std::uint32_t joint = 0;
  double swing = 0, twist = 0;  ///< shares, 0 to 1
  std::vector<TurnMix> mixes;   ///< six, or none
  Vec3 centre = Vec3::Zero();   ///< of the mixes, bind space
};

/// What the helper does before its parent: rigid, the identity where the joint is as in the bind pose. `frame`
/// and `move` are those of the joint that drives it.
Affine3 helper_move(const HelperDriver& driver, const JointFrame& frame, const JointMove& move,
                    const MotionRange& range);

/// How a morph target follows the rotation of one joint.
struct MorphDriver {
  std::uint32_t joint = 0;
  TurnMix mix{};
};
/// 0 to 1: programs cut other weights off, Blender at its sliders and Unity where it clamps blend shapes.
double morph_weight(const MorphDriver& driver, const TurnValues& values);
double morph_weight(const MorphDriver& driver, const JointMove& move, const MotionRange& range);

/// A helper joint or a shape key of a rig, and what it follows.
struct DrivenHelper {
  std::uint32_t joint = 0, parent = 0;  ///< of the skeleton
  HelperDriver driver;
};
struct DrivenKey {
  std::uint32_t key = 0;  ///< of the rig
  MorphDriver driver;
};
struct Drivers {
  std::vector<DrivenHelper> helpers;
  std::vector<DrivenKey> keys;
  MotionRange range;  ///< that they were made for; beyond it they stay as at its border

  bool empty() const { return helpers.empty() && keys.empty(); }
};

struct Pose;
struct Rig;
/// Sets helpers and driven keys of a pose as the rig's drivers say; all other joints are as the pose has them.
/// Sizes of the pose: those of the rig.
void run_drivers(const Rig& rig, Pose& pose);

/// Rotation vector and shift of `centre`: what mixes are fitted to, and back.
Eigen::Matrix<double, 6, 1> move_numbers(const Affine3& move, const Vec3& centre);
Affine3 move_of_numbers(const Eigen::Matrix<double, 6, 1>& numbers, const Vec3& centre);

}  // namespace sinew
