// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "sinew/weights/bone_weights.h"

namespace sinew {

/// Weights of a voxel method know nothing finer than a cell: fingers that lie side by side melt together on
/// the grid of a whole body. Here every group of bones shorter than four cells (the fingers of a hand) is
/// solved again on the piece of surface around it alone, with a grid as fine as that piece affords, together
/// with the bone that carries the group. What the coarse weights gave to these bones is shared anew by the
/// finer ones, fading out towards the rim of the piece; weights of all other bones stay. Rows keep their sums.
///
/// `cell`: side of the coarse grid's cells. `solve` makes weights of a piece (its bones in the order given)
/// and says how large its cells were; a piece that cannot be solved, or not finer, is left as it was.
struct PatchWeights {
  BoneWeights weights;
  double cell = 0;
};
using SolvePatch = std::function<Result<PatchWeights>(const BindInput& piece)>;

struct RefineReport {
  std::size_t patches = 0;
  std::vector<std::uint8_t> refined;  ///< per bone
};
/// How much each surface vertex lies among bones too short for a grid of such cells: 1 at them, 0 far from
/// them or where refine_short_bones would leave the coarse weights. Sizes: surface vertices.
std::vector<float> short_bone_amounts(const BindInput& input, double cell);

/// Fails only where it was cancelled.
Result<RefineReport> refine_short_bones(const BindInput& input, double cell, const SolvePatch& solve,
                                        BoneWeights& weights);

}  // namespace sinew
