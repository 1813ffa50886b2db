// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>

#include "sinew/volume/voxel_grid.h"

namespace sinew {

/// The same body of cells twice as wide: each that holds a cell of `grid`. Grid vertex v of the result is
/// vertex 2 v of `grid`, where that is one.
VoxelGrid coarse_grid(const VoxelGrid& grid);

/// Values at the vertices of coarse_grid(grid), a row each, carried to those of `grid`: trilinear.
Eigen::MatrixXd from_coarse(const VoxelGrid& grid, const VoxelGrid& coarse, const Eigen::MatrixXd& values);

}  // namespace sinew
