// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "sinew/mesh/poly_mesh.h"
#include "volume/lattice_frame.h"

namespace sinew {

// A line through cell centres meets a triangle.
struct Crossing {
  double at;          // lattice coordinate along the line
  std::int32_t sign;  // +1: the triangle faces along the line (it leaves the body), -1: it enters
  float cosine;       // of the angle between line and normal, >= 0
};

// All crossings of the lines along `axis`, sorted along each line. Line (j, k) runs through the cell centres
// with coordinate j along (axis + 1) % 3 and k along (axis + 2) % 3 and has row j + dims[(axis + 1) % 3] * k:
// for axis 0 the rows of a LatticeSet. positions are in lattice coordinates. On a closed soup the signs of
// every line sum to 0 whatever the rounding: edges decide, and both their triangles see the same decision.
RowItems<Crossing> scan_lines(std::span<const Vec3> positions, std::span<const Triangle> triangles,
                              const Vec3i& dims, int axis);

}  // namespace sinew
