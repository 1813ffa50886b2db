// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

// Triangles that close the soup: a cone over each loop of edges that are run along more often one way than
// the other, from the middle of the loop. New vertices are appended to positions. Every chain of edges left
// open by triangles is made of such loops, so the result is always closed; a flat piece is closed by its own
// reverse and holds nothing.
std::vector<Triangle> cap_loops(std::vector<Vec3>& positions, std::span<const Triangle> triangles);

}  // namespace sinew
