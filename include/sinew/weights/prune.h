// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/rig/skin_weights.h"

namespace sinew {

struct Pruned {
  SkinWeights weights;
  double error = 0;  // largest sum of weights cut from a row, before it was normalised again
};

// Keeps the `influences` largest weights of every row (at least 1) and makes rows sum to 1 again; empty rows
// stay empty.
Pruned prune_weights(const SkinWeights& weights, int influences);

}  // namespace sinew
