// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/skeleton/humanoid.h"

namespace sinew {

/// How programs call the joints of a humanoid: mixamo (as the built-in templates: Hips, LeftArm), mixamorig (the
/// same behind "mixamorig:"), unreal (the mannequin: pelvis, upperarm_l), unity (Humanoid: Hips, LeftUpperArm),
/// godot (SkeletonProfileHumanoid), vrm (VRM 1.0: hips, leftUpperArm), rigify (the deform joints of its human:
/// spine, upper_arm.L).
std::span<const char* const> convention_names();
/// "mixamo, mixamorig, … or rigify": for help and messages.
std::string convention_list();
/// kUsage: no such convention.
Result<void> check_convention(std::string_view name);

/// The name of a humanoid's joint as VRM 1.0 has it.
std::string vrm_bone_name(HumanJoint joint);

/// Names for all joints of a skeleton.
struct JointNames {
  std::vector<std::string> names;      ///< per joint: the convention's, or its own
  std::vector<std::string> unmatched;  ///< joints that deform and have no name in it
  std::size_t matched = 0;
};

/// The joints of `human`, called as a convention does. Spines and necks of any number of joints are numbered where
/// the convention numbers them; else the first, the middle and the last have names. Joints that have none keep
/// theirs, with "_" behind it where another has it now. Fails as check_convention.
Result<JointNames> joint_names(const Skeleton& skeleton, const Humanoid& human, std::string_view convention);

/// Renames the joints of the humanoid in a skeleton; `globals` are its joints at rest. A skeleton that is no
/// humanoid keeps its names. Fails as joint_names.
Result<JointNames> rename_joints(Skeleton& skeleton, std::span<const Affine3> globals,
                                 std::string_view convention);

}  // namespace sinew
