// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "sinew/volume/lattice_set.h"
#include "volume/span_matrix.h"

namespace sinew {

// Cells twice as wide: each that holds a member.
LatticeSet coarsen_cells(const LatticeSet& cells);

// P' A P with trilinear P from the corners of coarsened cells, whose rows at held vertices are empty. Entries
// of A reach two vertices far at most, and so do those of the result. Rows that must come out as the one
// before are recognised by what they are made of, not computed.
SpanMatrix galerkin(const LatticeSet& fine, const SpanMatrix& A, std::span<const std::uint8_t> held,
                    const LatticeSet& coarse);

}  // namespace sinew
