// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/grid_laplacian.h"

#include <array>
#include <vector>

namespace sinew {
namespace {

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

// How many cells share the edge from a vertex in each of the six directions -z, -y, -x, +x, +y, +z, read from
// the cells around it.
std::array<int, 6> edge_shares(const LatticeSet& cells, const Vec3i& v) {
  std::array<int, 6> shares{};
  for (int k = 0; k < 8; ++k) {
    const Vec3i step((k & 1) - 1, ((k >> 1) & 1) - 1, (k >> 2) - 1);
    if (!cells.contains(v + step)) continue;
    for (int axis = 0; axis < 3; ++axis)
      ++shares[static_cast<std::size_t>(step[axis] < 0 ? 2 - axis : 3 + axis)];
  }
  return shares;
}

constexpr std::array<std::array<int, 3>, 6> kSteps{
    {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

}  // namespace

RowMatrix grid_stiffness(const VoxelGrid& grid) {
  const LatticeSet& vertices = grid.vertices();
  const auto n = static_cast<Eigen::Index>(vertices.size());
  RowMatrix matrix(n, n);
  matrix.reserve(Eigen::VectorXi::Constant(n, 7));
  for (const LatticeSet::Run& run : vertices.runs()) {
    Vec3i v = vertices.run_start(run);
    for (std::uint32_t i = run.first; v.x() < run.end; ++v.x(), ++i) {
      const std::array<int, 6> shares = edge_shares(grid.cells(), v);
      double sum = 0;
      for (const int share : shares) sum += share;
      const double scale = grid.cell_size() / 4;
      const auto row = static_cast<Eigen::Index>(i);
      for (std::size_t k = 0; k < 6; ++k) {
        if (k == 3) matrix.insert(row, row) = scale * sum;
        if (shares[k] == 0) continue;
        const std::uint32_t other = vertices.find(v + Vec3i(kSteps[k][0], kSteps[k][1], kSteps[k][2]));
        matrix.insert(row, static_cast<Eigen::Index>(other)) = -scale * shares[k];
      }
    }
  }
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
