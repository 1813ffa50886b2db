// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "autorig/body_graph.h"

namespace sinew::autorig {

// Distances along the surface from one vertex by fast marching across triangles; infinity where no way leads.
// A few per cent too long near the source and across obtuse corners, never shorter than the straight line by
// more than rounding on flat parts. O(n log n).
std::vector<double> march_distances(const BodyGraph& surface, std::uint32_t source);

}  // namespace sinew::autorig
