// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/volume/voxel_grid.h"

namespace sinew {

/// Some cells of a grid as a grid of their own, on the same lattice.
struct SubGrid {
  VoxelGrid grid;
  std::vector<std::uint32_t> vertices;  ///< per vertex: its index in the whole grid
  std::vector<std::uint32_t> cells;     ///< the same per cell
};
SubGrid select_cells(const VoxelGrid& grid, std::span<const std::uint8_t> keep);

}  // namespace sinew
