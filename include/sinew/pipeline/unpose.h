// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinew/pipeline/posed_mesh.h"
#include "sinew/rig/rig.h"

namespace sinew {

struct UnposeReport {
  std::size_t changed = 0;              ///< vertices that were edited
  std::vector<std::uint32_t> singular;  ///< of those: have no rest position there, and stay
  double residual = 0;                  ///< largest distance left, over the size of the mesh
  std::vector<std::string> warnings;
};

/// The rest positions (bind space) that the rig's stack takes to `edited` (world space) in this pose; keys
/// stay on top of them. Exact for stacks of object-space keys, blends of transforms and static cages; others
/// step by step, and the report says how near. kImpossible: a step has no way back (elastic). kBadInput:
/// another number of vertices.
Result<std::vector<Vec3>> unposed(const Rig& rig, const Pose& pose, const DeformChoice& choice,
                                  std::span<const Vec3> edited, UnposeReport& report);

}  // namespace sinew
