// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/grid_laplacian.h"

#include "volume/edge_shares.h"

namespace sinew {
namespace {

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

}  // namespace

RowMatrix grid_stiffness(const VoxelGrid& grid) {
  const auto n = static_cast<Eigen::Index>(grid.vertex_count());
  RowMatrix matrix(n, n);
  matrix.reserve(Eigen::VectorXi::Constant(n, 7));
  for_each_edge_row(grid, [&](std::uint32_t i, bool, const EdgeRow& edges) {
    const auto row = static_cast<Eigen::Index>(i);
    for (std::size_t k = 0; k < 6; ++k) {
      if (k == 3) matrix.insert(row, row) = edges.diagonal;
      if (edges.neighbours[k] != kNoIndex)
        matrix.insert(row, static_cast<Eigen::Index>(edges.neighbours[k])) = -edges.weights[k];
    }
  });
  matrix.makeCompressed();
  return matrix;
}

Eigen::VectorXd grid_masses(const VoxelGrid& grid) {
  const double share = grid.cell_size() * grid.cell_size() * grid.cell_size() / 8;
  Eigen::VectorXd masses = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(grid.vertex_count()));
  for (const auto& corners : grid.all_cell_vertices())
    for (const std::uint32_t corner : corners) masses[static_cast<Eigen::Index>(corner)] += share;
  return masses;
}

RowMatrix grid_bilaplacian(const VoxelGrid& grid) {
  const RowMatrix stiffness = grid_stiffness(grid);
  const RowMatrix scaled = grid_masses(grid).cwiseInverse().asDiagonal() * stiffness;
  return stiffness * scaled;
}

}  // namespace sinew
