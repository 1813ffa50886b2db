// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "autorig/match.h"

namespace sinew::autorig {

struct PlacedJoint {
  Vec3 head = Vec3::Zero();
  std::optional<Vec3> tail;
  bool present = true;     // false: the body lacks the part (a tail, fingers)
  double degrees = 0;      // how much the limb turns here; 0: placed by the template's lengths
  bool by_motion = false;  // found by how the skin moves between poses
};

// The template's joints in the body, one for each of the template's.
std::vector<PlacedJoint> place_joints(const Match& match);

}  // namespace sinew::autorig
