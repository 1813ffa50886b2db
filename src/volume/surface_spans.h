// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/mesh/poly_mesh.h"
#include "volume/lattice_frame.h"

namespace sinew {

// The cells that hold surface, as intervals of x on each row y + ny * z: disjoint, ascending. A cell is half
// open; what lies on the far side of the lattice belongs to the last cell. Triangles that share an edge or a
// vertex share a cell there. positions are in lattice coordinates.
RowItems<LatticeSet::Interval> surface_spans(std::span<const Vec3> positions,
                                             std::span<const Triangle> triangles, const Vec3i& dims);

}  // namespace sinew
