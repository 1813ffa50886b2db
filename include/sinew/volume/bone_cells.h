// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/mesh/index_lists.h"
#include "sinew/skeleton/skeleton.h"
#include "sinew/volume/voxel_grid.h"

namespace sinew {

// The cells that bones cross: those whose closed box meets the segment. Their grid vertices move with the
// bone.
struct BoneCells {
  IndexLists cells;  // per bone, ascending; never empty in a grid with cells
  std::vector<std::uint8_t>
      outside;  // per bone: 1 where it meets no cell and the cell nearest to it stands in
  std::size_t outside_count = 0;
};
BoneCells bone_cells(const VoxelGrid& grid, std::span<const Bone> bones);

// The cell of each point (a joint, say).
struct PointCells {
  std::vector<std::uint32_t> cell;
  std::vector<std::uint8_t> outside;  // per point: 1 where it lies in no cell and the nearest one stands in
  std::size_t outside_count = 0;
  // Points that share a cell with an earlier one, as (earlier, later): refine, or treat the two as one.
  std::vector<std::array<std::uint32_t, 2>> shared;
};
PointCells point_cells(const VoxelGrid& grid, std::span<const Vec3> points);

}  // namespace sinew
