// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/volume/voxel_grid.h"

namespace sinew {

// Where a way through the body starts: at the centre of a cell, with what was already gone.
struct GeodesicSeed {
  std::uint32_t cell = 0;
  double distance = 0;
};

// The shortest way from any seed to the centre of every cell, stepping through the body from cell to cell (26
// neighbours); infinity where no way leads. Steps of three kinds make a straight line up to 13 % too long.
// O(cells log cells).
std::vector<float> geodesic_distances(const VoxelGrid& grid, std::span<const GeodesicSeed> seeds);

}  // namespace sinew
