// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/subgrid.h"

namespace sinew {

SubGrid select_cells(const VoxelGrid& grid, std::span<const std::uint8_t> keep) {
  const LatticeSet& cells = grid.cells();
  std::vector<std::uint32_t> offsets(1, 0);
  std::vector<LatticeSet::Interval> intervals;
  offsets.reserve(cells.row_count() + 1);
  for (int z = 0; z < cells.dims().z(); ++z)
    for (int y = 0; y < cells.dims().y(); ++y) {
      for (const LatticeSet::Run& run : cells.row(y, z))
        for (std::int32_t x = run.begin; x < run.end; ++x)
          if (keep[run.first + static_cast<std::uint32_t>(x - run.begin)]) intervals.push_back({x, x + 1});
      offsets.push_back(static_cast<std::uint32_t>(intervals.size()));
    }
  SubGrid result{
      VoxelGrid(grid.origin(), grid.cell_size(), LatticeSet(cells.dims(), offsets, intervals)), {}, {}};
  for (std::uint32_t c = 0; c < keep.size(); ++c)
    if (keep[c]) result.cells.push_back(c);
  const LatticeSet& vertices = result.grid.vertices();
  result.vertices.reserve(vertices.size());
  for (const LatticeSet::Run& run : vertices.runs()) {
    Vec3i v = vertices.run_start(run);
    for (; v.x() < run.end; ++v.x()) result.vertices.push_back(grid.vertices().find(v));
  }
  return result;
}

}  // namespace sinew
