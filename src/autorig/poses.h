// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "autorig/place.h"

namespace sinew::autorig {

// Revision by another pose of the same vertices: a joint at which a limb turns more there than in the rest
// pose goes to the ring that turns; what that ring is in the rest pose its vertices tell. `placed` and
// `other` have one element for each joint of the template.
void refine_from_pose(std::span<const Vec3> rest, std::span<const Vec3> posed, const Match& posed_match,
                      const std::vector<PlacedJoint>& other, std::vector<PlacedJoint>& placed);

}  // namespace sinew::autorig
