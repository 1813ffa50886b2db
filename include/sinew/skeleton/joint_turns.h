// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/skeleton/pose.h"

namespace sinew {

/// What hands do to a joint, in world space. The pose must have as many locals as the skeleton has joints.

/// Turns a joint about its head, on top of what the pose has; all below it is carried along. `turn` needs no
/// unit length. kUsage: a turn that is zero or not finite. kImpossible: what lies above the joint is scaled to
/// nothing.
Result<void> rotate_joint(const Skeleton& skeleton, std::size_t joint, const Quat& turn, Pose& pose);

/// Puts the joint's head at `place`; its axes stay, and all below it is carried along. Fails as rotate_joint
/// does.
Result<void> place_joint(const Skeleton& skeleton, std::size_t joint, const Vec3& place, Pose& pose);

/// Which degrees rotate_joint needs to bring the joint from rest to where the pose has it: x and z in (-180,
/// 180], y in
/// [-90, 90]; of the many that do where y is 90 degrees the one with z = 0. Scale counts for nothing.
Vec3 joint_angles(const Skeleton& skeleton, std::size_t joint, const Pose& pose);

/// The joint's rest axes, turned by these degrees as rotate_joint does; its place in its parent stays.
void set_joint_angles(const Skeleton& skeleton, std::size_t joint, const Vec3& degrees, Pose& pose);

}  // namespace sinew
