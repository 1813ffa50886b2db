// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/autorig/iso_curves.h"

namespace sinew::autorig {

// The size of a mesh: squares of lengths must stay far below what numbers hold.
inline constexpr double kLargest = 1e15;

// Iso-curves, and for a mesh with texture seams which vertex stands for each on them.
struct QuadRings {
  IsoCurves curves;
  std::vector<std::uint32_t> same;  // per vertex, or empty: each for itself
};
Result<QuadRings> quad_rings(const PolyMesh& mesh, const IsoCurveOptions& options = {});

}  // namespace sinew::autorig
