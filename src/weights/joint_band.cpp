// SPDX-License-Identifier: Apache-2.0
#include "weights/joint_band.h"

#include <algorithm>

namespace sinew::weights_detail {

JointBand joint_band(const VoxelGrid& grid, const HandleMap& handles, std::span<const std::uint8_t> below,
                     const Eigen::MatrixXd& harmonic, std::span<const std::uint8_t> reached, double cut) {
  JointBand band;
  std::vector<std::uint8_t> free(grid.vertex_count(), 0);
  band.whole.setZero(harmonic.rows());
  for (std::size_t v = 0; v < grid.vertex_count(); ++v) {
    const auto i = static_cast<Eigen::Index>(v);
    double sum = 0;
    for (std::size_t b = 0; b < below.size(); ++b)
      if (below[b]) sum += harmonic(i, static_cast<Eigen::Index>(b));
    double& w = band.whole[i];
    w = std::clamp(sum, 0.0, 1.0);
    if (const int owner = handles.of_vertex[v]; owner >= 0)
      w = below[static_cast<std::size_t>(owner)] ? 1 : 0;
    else if (!reached[v])
      w = 0;
    else if (std::min(w, 1 - w) < cut)
      w = w > 0.5 ? 1 : 0;
    else
      free[v] = 1;
  }
  std::vector<std::uint8_t> keep(grid.cell_count(), 0);
  const auto corners = grid.all_cell_vertices();
  bool any = false;
  for (std::size_t c = 0; c < corners.size(); ++c) {
    keep[c] =
        std::any_of(corners[c].begin(), corners[c].end(), [&](std::uint32_t v) { return free[v] != 0; });
    any = any || keep[c];
  }
  if (!any) return band;
  band.part = select_cells(grid, keep);
  band.start.resize(static_cast<Eigen::Index>(band.part.vertices.size()));
  for (std::size_t v = 0; v < band.part.vertices.size(); ++v) {
    band.start[static_cast<Eigen::Index>(v)] = band.whole[band.part.vertices[v]];
    band.fixed.push_back(!free[band.part.vertices[v]]);
  }
  return band;
}

}  // namespace sinew::weights_detail
