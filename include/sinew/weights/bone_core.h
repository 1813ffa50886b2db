// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/mesh/poly_mesh.h"
#include "sinew/skeleton/skeleton.h"
#include "sinew/volume/handles.h"

namespace sinew {

/// What holds the body: a handle for every bone. A bone that nothing hangs on and that is not much longer than
/// the flesh around it is thick, a head above all, holds more than its segment: from its head further segments
/// go towards the surface, all around, half of the way where it is short and less where it is longer. The bone
/// alone is a thin rod, and what lies around it, the face, would take over only a part of its twist.
/// surface: of which the grid is made; where it is empty, distances are those to the end of the grid.
std::vector<Handle> handles_with_cores(const VoxelGrid& grid, MeshView surface, std::span<const Bone> bones,
                                       std::span<const int> parents);

}  // namespace sinew
