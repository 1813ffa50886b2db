// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deform/palette.h"
#include "deform/streams.h"

namespace sinew {

// Dual quaternion skinning of the groups [begin, end) with the dual quaternions of fill_rigid. Normals are
// rotated.
void dqs_groups(const SkinTable& table, const Palette& duals, std::size_t begin, std::size_t end,
                const VertexStreams& streams);

}  // namespace sinew
