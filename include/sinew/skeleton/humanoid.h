// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// The joints of a humanoid, as VRM 1.0, Unity and Godot list them. Right follows left at once; the joints of
/// a finger follow each other.
enum class HumanJoint : std::uint8_t {
  kHips,
  kSpine,
  kChest,
  kUpperChest,
  kNeck,
  kHead,
  kJaw,
  kLeftEye,
  kRightEye,
  kLeftUpperLeg,
  kRightUpperLeg,
  kLeftLowerLeg,
  kRightLowerLeg,
  kLeftFoot,
  kRightFoot,
  kLeftToes,
  kRightToes,
  kLeftShoulder,
  kRightShoulder,
  kLeftUpperArm,
  kRightUpperArm,
  kLeftLowerArm,
  kRightLowerArm,
  kLeftHand,
  kRightHand,
  kLeftThumb1,
  kLeftThumb2,
  kLeftThumb3,
  kLeftIndex1,
  kLeftIndex2,
  kLeftIndex3,
  kLeftMiddle1,
  kLeftMiddle2,
  kLeftMiddle3,
  kLeftRing1,
  kLeftRing2,
  kLeftRing3,
  kLeftLittle1,
  kLeftLittle2,
  kLeftLittle3,
  kRightThumb1,
  kRightThumb2,
  kRightThumb3,
  kRightIndex1,
  kRightIndex2,
  kRightIndex3,
  kRightMiddle1,
  kRightMiddle2,
  kRightMiddle3,
  kRightRing1,
  kRightRing2,
  kRightRing3,
  kRightLittle1,
  kRightLittle2,
  kRightLittle3,
};
inline constexpr std::size_t kHumanJoints = 55;

/// The same joint of the other side: 0 left, 1 right. `left` is a joint of the left.
HumanJoint on_side(HumanJoint left, int side);
/// The joint of a finger: finger 0 (thumb) to 4 (little), bone 0 to 2.
HumanJoint finger_joint(int side, int finger, int bone);

/// Which joints of a skeleton are which of a humanoid.
struct Humanoid {
  std::array<int, kHumanJoints> joints;  ///< indices into the skeleton; -1: has none
  /// From above the hips to the joint that carries the arms, and from above that to below the head; of any
  /// number. Spine, chest and upper chest are the first three, of more the first, the middle and the last; the neck is the
  /// first of the others.
  std::vector<int> spine, neck;
  /// Columns: the body's left, up and front at rest, along axes of the world where they are near to them.
  Mat3 axes = Mat3::Identity();
  std::size_t by_name = 0;  ///< joints that their names told; the others were told by hierarchy and place

  Humanoid() { joints.fill(-1); }
  int operator[](HumanJoint joint) const { return joints[static_cast<std::size_t>(joint)]; }
  int& operator[](HumanJoint joint) { return joints[static_cast<std::size_t>(joint)]; }
  std::size_t count() const;  ///< how many it has
};

/// The humanoid in a skeleton: by joint names as CMU, MakeHuman, Mixamo, Unreal, Unity, VRM, Rigify, Godot, 3ds
/// Max and others write them, then, where names say nothing, by hierarchy and place: legs are the lowest pair
/// of like limbs, arms the longest pair above. `globals` are the joints at rest, in any posture in which the
/// head is above the hips. nullopt where there are no two legs, no two arms or no head above them. O(joints
/// squared).
std::optional<Humanoid> find_humanoid(const Skeleton& skeleton, std::span<const Affine3> globals);

}  // namespace sinew
