// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "sinew/volume/lattice_set.h"
#include "volume/csr.h"

namespace sinew {

// Cells twice as wide: each that holds a member.
LatticeSet coarsen_cells(const LatticeSet& cells);

// Trilinear interpolation from the corners of coarsened cells to the fine vertices; rows of fixed vertices
// are empty.
Interpolation3 interpolate_trilinear(const LatticeSet& fine, const LatticeSet& coarse,
                                     std::span<const std::uint8_t> fixed);

}  // namespace sinew
