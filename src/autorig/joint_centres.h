// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "autorig/place.h"

namespace sinew::autorig {

// Revision by the motion of the skin between poses of the same vertices: the flesh about the middle of a bone
// moves with it, and where two bones turn against each other the point that both carry to the same place is
// their joint. On the axis of a hinge it is where that comes nearest to the limb's curve. Joints that turn by
// less than 15 degrees in all poses stay. `placed`: one for each joint of the match's template.
void centre_by_motion(const Match& match, std::span<const Vec3> rest,
                      std::span<const std::span<const Vec3>> poses, std::vector<PlacedJoint>& placed);

}  // namespace sinew::autorig
