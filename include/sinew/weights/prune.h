// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/rig/skin_weights.h"

namespace sinew {

/// The result of prune_weights().
struct Pruned {
  SkinWeights weights;
  double error = 0;  ///< largest sum of weights cut from a row, before it was normalised again
};

/// Keeps the `influences` largest weights of every row (at least 1) and makes rows sum to 1 again; empty rows
/// stay empty.
Pruned prune_weights(const SkinWeights& weights, int influences);

/// What a joint lost where it lost most, and at how many vertices it lost more than `little`.
struct JointLoss {
  std::uint32_t joint = 0;
  double largest = 0;
  std::size_t vertices = 0;
};
/// The joints that lost more than `little` of a row, largest first. Rows as they were (of any sum) and are.
std::vector<JointLoss> joint_losses(const SkinWeights& before, const SkinWeights& after,
                                    std::size_t joint_count, double little = 0.05);

}  // namespace sinew
