// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "sinew/volume/voxel_grid.h"

namespace sinew {

// A row of the stiffness matrix: weights of the edges to the neighbours at -z, -y, -x, +x, +y, +z.
struct EdgeRow {
  std::array<std::uint32_t, 6> neighbours;  // kNoIndex where no edge leads
  std::array<double, 6> weights;
  double diagonal;
};

// body(vertex, whether it is the first of its run, row) for all vertices in order. Each cell around an edge
// adds a quarter of the cell size to its weight.
template <class Body>
void for_each_edge_row(const VoxelGrid& grid, Body&& body) {
  constexpr std::array<std::array<int, 3>, 6> kSteps{
      {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const LatticeSet &vertices = grid.vertices(), &cells = grid.cells();
  for (const LatticeSet::Run& run : vertices.runs()) {
    Vec3i v = vertices.run_start(run);
    for (std::uint32_t i = run.first; v.x() < run.end; ++v.x(), ++i) {
      std::array<int, 6> shares{};
      int sum = 0;
      for (int k = 0; k < 8; ++k) {
        const Vec3i step((k & 1) - 1, ((k >> 1) & 1) - 1, (k >> 2) - 1);
        if (!cells.contains(v + step)) continue;
        for (int axis = 0; axis < 3; ++axis)
          ++shares[static_cast<std::size_t>(step[axis] < 0 ? 2 - axis : 3 + axis)];
        sum += 3;
      }
      EdgeRow row;
      for (std::size_t k = 0; k < 6; ++k) {
        row.weights[k] = grid.cell_size() / 4 * shares[k];
        row.neighbours[k] =
            shares[k] > 0 ? vertices.find(v + Vec3i(kSteps[k][0], kSteps[k][1], kSteps[k][2])) : kNoIndex;
      }
      row.diagonal = grid.cell_size() / 4 * sum;
      body(i, i == run.first, row);
    }
  }
}

}  // namespace sinew
