// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "sinew/core/result.h"
#include "sinew/rig/skin_weights.h"

namespace sinew {

/// Puts painted weights back after a new solve: rows of locked vertices and columns of locked joints are taken
/// from `painted` unchanged, and what they leave of 1 is shared among the row's other joints in the new
/// proportions. Rows keep at most `influences` entries, locked ones first. kImpossible: locked weights of a
/// row sum to more than 1, or locked joints leave a rest that no other joint takes. Sizes: a flag a vertex, a
/// flag a joint (either may be empty: nothing locked).
Result<SkinWeights> apply_locks(const SkinWeights& solved, const SkinWeights& painted,
                                std::span<const std::uint8_t> locked_vertices,
                                std::span<const std::uint8_t> locked_joints, int influences);

}  // namespace sinew
