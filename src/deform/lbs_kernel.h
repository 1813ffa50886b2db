// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deform/palette.h"
#include "deform/streams.h"

namespace sinew {

// Linear blend skinning of the groups [begin, end) with the matrix rows of fill_rows.
void lbs_groups(const SkinTable& table, const Palette& rows, std::size_t begin, std::size_t end,
                const VertexStreams& streams);

}  // namespace sinew
