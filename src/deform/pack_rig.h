// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "deform/skin_table.h"
#include "sinew/rig/rig.h"

namespace sinew {

// The rig's weights packed. kBadInput where weights, mesh, skeleton and inverse binds do not fit together;
// else fails as pack_skin does.
Result<SkinTable> pack_rig(const Rig& rig, RowSums sums);

}  // namespace sinew
