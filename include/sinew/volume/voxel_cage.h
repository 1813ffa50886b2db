// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/core/progress.h"
#include "sinew/core/result.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// Options of voxel_cage().
struct VoxelCageOptions {
  int controls = 200;  ///< about as many control points at most
  const Progress* progress = nullptr;
};

/// A coarse closed mesh of quads around any mesh, for newcomers to start from: the sides of the cells of a
/// coarse solid voxel grid, blown up a little and pulled smooth as far as the mesh stays inside. The corners
/// of all triangles with an extent lie inside. kBadInput: no usable triangle. kUsage: fewer than 8 control
/// points.
Result<PolyMesh> voxel_cage(MeshView mesh, const VoxelCageOptions& options = {});

}  // namespace sinew
