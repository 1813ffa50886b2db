// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/coarse_grid.h"

#include "volume/coarsen.h"
#include "volume/grid_kernels.h"
#include "volume/lanes.h"

namespace sinew {

VoxelGrid coarse_grid(const VoxelGrid& grid) {
  return VoxelGrid(grid.origin(), 2 * grid.cell_size(), coarsen_cells(grid.cells()));
}

Eigen::MatrixXd from_coarse(const VoxelGrid& grid, const VoxelGrid& coarse, const Eigen::MatrixXd& values) {
  constexpr std::size_t L = 2;
  const std::vector<std::uint8_t> none(grid.vertex_count(), 0);
  const GridTransfer P = make_transfer(grid.vertices(), coarse.vertices(), none);
  Eigen::MatrixXd result(static_cast<Eigen::Index>(grid.vertex_count()), values.cols());
  for (Eigen::Index first = 0; first < values.cols(); first += static_cast<Eigen::Index>(L)) {
    const std::vector<double> from = load_block<L>(values, first);
    std::vector<double> to(grid.vertex_count() * L, 0.0);
    prolong_add<L, double>(P, from.data(), static_cast<const double*>(nullptr), to.data());
    store_block<L>(to, first, result);
  }
  return result;
}

}  // namespace sinew
