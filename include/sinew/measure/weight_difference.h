// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/rig/skin_weights.h"

namespace sinew {

/// How far skin weights lie from a reference, as [xu2020] measures it.
struct WeightDifference {
  double l1 = 0;         ///< mean over the vertices of the sum of |differences|, 0 to 2
  double precision = 1;  ///< of the weights above 1e-4: the share that the reference has too
  double recall = 1;     ///< of the reference's weights above 1e-4: the share that was found
};
/// Both have the same vertices. joint_of: per joint of `weights` that of the reference.
WeightDifference weight_difference(const SkinWeights& weights, const SkinWeights& reference,
                                   std::span<const std::uint32_t> joint_of);

}  // namespace sinew
