// SPDX-License-Identifier: Apache-2.0
#include "weights/grid_handles.h"

namespace sinew {
HeldGrid hold_handles(const VoxelGrid& grid, const HandleMap& handles) {
  HeldGrid held;
  held.fixed.assign(grid.vertex_count(), 1);
  held.start = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(grid.vertex_count()),
                                     static_cast<Eigen::Index>(handles.cells.size()));
  const LatticeComponents parts = connected_components(grid.cells());
  std::vector<std::uint8_t> reached(parts.count, 0);
  const auto corners = grid.all_cell_vertices();
  for (std::size_t c = 0; c < corners.size(); ++c)
    for (const std::uint32_t v : corners[c])
      if (handles.of_vertex[v] >= 0) reached[parts.of_member[c]] = 1;
  for (std::size_t c = 0; c < corners.size(); ++c)
    if (reached[parts.of_member[c]])
      for (const std::uint32_t v : corners[c]) held.fixed[v] = 0;
  for (std::size_t v = 0; v < held.fixed.size(); ++v) {
    held.unreached += held.fixed[v];
    if (const int owner = handles.of_vertex[v]; owner >= 0) {
      held.fixed[v] = 1;
      held.start(static_cast<Eigen::Index>(v), owner) = 1;
    }
  }
  return held;
}

}  // namespace sinew
