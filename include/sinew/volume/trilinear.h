// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/volume/voxel_grid.h"

namespace sinew {

/// The transfer T from grid vertices to points: trilinear in the cell that holds a point (for a point outside
/// the body: in the nearest cell, the point moved into it). Reproduces linear functions inside.
struct TrilinearWeights {
  std::vector<std::array<std::uint32_t, 8>> vertices;  ///< per point
  std::vector<std::array<double, 8>> weights;          ///< sum to 1
  std::size_t outside = 0;                             ///< points that no cell holds
};
TrilinearWeights trilinear_weights(const VoxelGrid& grid, std::span<const Vec3> points);

/// A row a point: sum of weights * rows of `values` (a row a grid vertex).
Eigen::MatrixXd interpolate(const TrilinearWeights& transfer, const Eigen::MatrixXd& values);

}  // namespace sinew
