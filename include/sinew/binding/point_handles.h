// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// What to do: the parameters of make_point_handles().
struct PointHandlesRequest {
  int voxels = 0;            ///< cells along the longest side of the solid voxel grid; 0: chosen by the mesh
  bool tips = true;          ///< also at the free ends of bones, where the last joint would end otherwise
  double threshold = 1e-3;   ///< weights below are dropped
  std::vector<Vec3> points;  ///< handles at these places (bind space) instead of the joints
  const Progress* progress = nullptr;
};

/// What make_point_handles() did.
struct PointHandlesReport {
  double seconds = 0;
  std::size_t voxels = 0;  ///< grid vertices
  std::vector<std::string> warnings;
};

/// Gives rig.points: handles at the deforming joints, each moving with its joint, and point-handle bounded
/// biharmonic weights. kImpossible: no joint deforms and no points are given. kBadInput: no usable triangle.
Result<PointHandlesReport> make_point_handles(Rig& rig, const PointHandlesRequest& request = {});

}  // namespace sinew
