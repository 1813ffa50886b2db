// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/mesh/weld.h"
#include "sinew/weights/prune.h"

namespace sinew {

/// As prune_weights, for rows of weights that may lose much. Cut off plainly, another joint is missing on
/// either side of each line where two change places, and the skin creases along it. Here a weight fades out
/// before it goes; what is lost goes to joints that are near in the skeleton, which move much alike; and what
/// changes at a vertex is shared with its neighbours, so that the change is smooth while the weights stay as
/// steep as they were. Vertices that are welded get the same row. Where no row loses more than 5 % it is
/// prune_weights. `parents`: per joint the one above it, -1 for none. `weights` has a row for every vertex
/// before welding.
Pruned prune_with_falloff(const SkinWeights& weights, std::span<const int> parents,
                          const WeldedTriangles& welded, int influences);

}  // namespace sinew
