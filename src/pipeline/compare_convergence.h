// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pipeline/compare_arena.h"

namespace sinew {

// Of the joint that moves most of the body against the rest, which has the most to settle. The weights' steps
// minimise the sum over all rotations; so do those over positions, of which every rotation has its own.
Result<Convergence> compare_convergence(const Arena& arena, const Progress* progress);

}  // namespace sinew
