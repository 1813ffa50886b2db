// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "sinew/rig/rig.h"

namespace sinew {

// The part of a rig's flesh that moves a piece of it. vertices: of the whole, per vertex of the piece; joints: of the
// whole, per joint of the piece, the first of which moves everything; parents: of the whole and of the piece.
Flesh flesh_of_piece(const Flesh& flesh, std::span<const std::uint32_t> vertices,
                     std::span<const std::size_t> joints, std::span<const int> whole_parents,
                     std::span<const int> parents);

}  // namespace sinew
