// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "sinew/volume/voxel_grid.h"

namespace sinew {

/// The stiffness matrix of the grid, vertex by vertex: each of the 12 edges of each cell adds cell_size / 4
/// between its ends, so that an edge inside the body weighs cell_size and u' L u is the integral of |grad
/// u|^2. Constants give 0; linear functions give 0 at every vertex inside.
Eigen::SparseMatrix<double, Eigen::RowMajor> grid_stiffness(const VoxelGrid& grid);

/// The share of the body's volume at each vertex: an eighth of each of its cells.
Eigen::VectorXd grid_masses(const VoxelGrid& grid);

/// L M^-1 L: the quadratic form of biharmonic weights, all rows kept.
Eigen::SparseMatrix<double, Eigen::RowMajor> grid_bilaplacian(const VoxelGrid& grid);

}  // namespace sinew
