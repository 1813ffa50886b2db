// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/weights/bone_weights.h"

namespace sinew {

/// Options of geodesic_weights().
struct GeodesicOptions {
  int voxels = 0;  ///< cells along the longest side; 0: chosen by mesh and bones, 10 M cells x bones at most
  double power = 4;          ///< w_j ~ d_j^-power
  double negligible = 0.01;  ///< entries below this share are dropped
  const Progress* progress = nullptr;
};

/// The result of geodesic_weights().
struct GeodesicWeights {
  BoneWeights weights;
  std::size_t voxels = 0;         ///< cells of the body
  std::size_t bones_outside = 0;  ///< bones that start from their nearest cell, being outside the body
};

/// Weights from the shortest paths through the voxel grid [dionne2013]: what is near in space but far through
/// the flesh (a hand beside a thigh) gets nothing. Works on any surface: open, torn, inside-out, in pieces; a
/// vertex whose piece no bone reaches is left unbound.
Result<GeodesicWeights> geodesic_weights(const BindInput& input, const GeodesicOptions& options = {});

}  // namespace sinew
