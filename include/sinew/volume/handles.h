// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/volume/voxel_grid.h"

namespace sinew {

// A bone, or (head = tail) a point.
struct Handle {
  Vec3 head, tail;
};

// The cells of the body whose closed box meets the segment, ascending, each once.
std::vector<std::uint32_t> cells_crossed(const VoxelGrid& grid, const Handle& handle);

// Which grid vertices the handles hold.
struct HandleMap {
  std::vector<int> of_vertex;                     // per grid vertex: its handle, or -1: free
  std::vector<std::vector<std::uint32_t>> cells;  // per handle: the cells it crosses, or its nearest cell
  std::size_t outside = 0;                        // handles that cross no cell and took the nearest one
  std::vector<std::size_t> merged;  // handles that hold no vertex of their own, all being shared with others
};

// A vertex of cells of one handle only belongs to it; one shared by cells of several handles that move
// differently is free. A handle all of whose vertices are shared keeps those nearest to its middle, so that
// none is lost; it is listed in `merged`.
HandleMap map_handles(const VoxelGrid& grid, std::span<const Handle> handles);

}  // namespace sinew
