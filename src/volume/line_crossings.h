// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "volume/cut_grid.h"

namespace sinew {

// Crossings of the surface with the lines of the frame along `axis`.
LineCrossings line_crossings(MeshView surface, const CutFrame& frame, int axis, bool oriented);

}  // namespace sinew
