// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/skeleton/pose.h"

namespace sinew {

/// Joints that are drawn to where they shall be, so that bones stretch. `bind` are the joints' global
/// transforms in bind space, where a bone has its rest length; pose.bones is made where the pose has none.

/// Sets a bone's length over its rest length: what lies at its end moves along the bone, without scale, as far
/// as the factor differs from the one that the pose has. kUsage: a joint without a bone, a factor outside (0,
/// 1e6]. kImpossible: a bone without length.
Result<void> stretch_bone(const Skeleton& skeleton, std::span<const Affine3> bind, std::size_t joint,
                          double factor, Pose& pose);

/// Moves a joint's head to `place`, world: the bone that ends there turns about its own head by the least
/// angle and stretches; all that lies beyond is carried along, turned with the bone and not scaled. A joint
/// that ends no bone alone (a root, the legs of a pelvis, whose bone ends between them) moves by itself.
/// kUsage: a place that is not finite. kImpossible: what lies above the joint is scaled to nothing. The pose
/// is unchanged on failure.
Result<void> drag_joint(const Skeleton& skeleton, std::span<const Affine3> bind, std::size_t joint,
                        const Vec3& place, Pose& pose);

}  // namespace sinew
