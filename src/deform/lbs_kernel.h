// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deform/palette.h"
#include "deform/streams.h"

namespace sinew {

// Linear blend skinning of the groups [begin, end) with the matrix rows of fill_rows.
void lbs_groups(const SkinTable& table, const Palette<MatrixEntry>& rows, std::size_t begin, std::size_t end,
                const VertexStreams& streams);

// The same with the stretches of the entries, each times its share. `shares` are weight times endpoint
// weight, beside the table's weights.
void stretch_groups(const SkinTable& table, const float* shares, const Palette<MatrixEntry>& rows,
                    std::size_t begin, std::size_t end, const VertexStreams& streams);

}  // namespace sinew
