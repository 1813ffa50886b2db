// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deform/palette.h"
#include "deform/streams.h"

namespace sinew {

// Dual quaternion skinning of the groups [begin, end). Normals are rotated. Each quaternion is added with the
// sign that makes it agree with the vertex's first.
void dqs_groups(const SkinTable& table, const Palette<DualEntry>& duals, std::size_t begin, std::size_t end,
                const VertexStreams& streams);

// The same for quaternions that agree already (see signs.h), which is faster.
void aligned_dqs_groups(const SkinTable& table, const Palette<DualEntry>& duals, std::size_t begin,
                        std::size_t end, const VertexStreams& streams);

// The same for bones that stretch. `shares` are weight times endpoint weight, beside the table's weights.
void aligned_dqs_groups(const SkinTable& table, const float* shares, const Palette<StretchedDualEntry>& duals,
                        std::size_t begin, std::size_t end, const VertexStreams& streams);

}  // namespace sinew
