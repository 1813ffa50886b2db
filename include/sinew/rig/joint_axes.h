// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/rig/rig.h"

namespace sinew {

/// Other axes for joints that stay where they are: in every pose the transform of joint j is followed by
/// turns[j]. Rest and bind pose, tails and clips (tangents too) change so that the skin does not; drivers need
/// nothing. Joints with a scale that is not the same along all axes, at rest or in a clip, keep their axes, since
/// parts of a node cannot say it otherwise: they are returned. Pose spaces are not turned: there must be none.
/// O(joints + keys).
std::vector<std::size_t> turn_joint_axes(Rig& rig, std::span<const Quat> turns);

}  // namespace sinew
