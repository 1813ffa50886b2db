// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/binding/surface.h"
#include "sinew/rig/rig.h"
#include "sinew/weights/flesh.h"

namespace sinew {

// Per vertex, row by row, what the joints of composed weights carry of it.
struct CarriedShares {
  std::vector<double> swing, twist;
};
CarriedShares shares_of(const ComposedWeights& weights, std::size_t vertex, std::span<const int> parents);

// The flesh that a rig stores, at the vertices of a solid voxel grid. Files hold nothing of what lies within: there it is
// `within`, flesh of this grid, and what both differ by at the faces is carried into the body, where it is harmonic.
// joint_of_vertex: of ElasticSetup.
Result<Flesh> stored_flesh_on_grid(const Rig& rig, const Surface& surface, const VoxelGrid& grid,
                                   std::span<const int> joint_of_vertex, const GridFlesh& within);

// The part of a rig's flesh that moves a piece of it. vertices: of the whole, per vertex of the piece; joints: of the
// whole, per joint of the piece, the first of which moves everything; parents: of the whole and of the piece.
Flesh flesh_of_piece(const Flesh& flesh, std::span<const std::uint32_t> vertices,
                     std::span<const std::size_t> joints, std::span<const int> whole_parents,
                     std::span<const int> parents);

}  // namespace sinew
