// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/mesh/weld.h"
#include "sinew/rig/skin_weights.h"

namespace sinew {

/// Options of smooth_weights().
struct SmoothOptions {
  int rounds = 1;
  double amount = 0.5;  ///< how far a row moves to the mean of its neighbours in a round, 0 to 1
  std::span<const double> where = {};  ///< per welded vertex, times the amount; empty: everywhere alike
};

/// Averages every row with those of the neighbours across edges, on welded vertices, so that seams stay
/// closed. Rows that summed to 1 go on doing so; rows gain joints, so prune afterwards. `weights` has a row
/// for every vertex before welding.
SkinWeights smooth_weights(const SkinWeights& weights, const WeldedTriangles& welded,
                           const SmoothOptions& options = {});

}  // namespace sinew
