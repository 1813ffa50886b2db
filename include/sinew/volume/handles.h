// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/skeleton/skeleton.h"
#include "sinew/volume/voxel_grid.h"

namespace sinew {

/// Segments from a head to each of its ends, as a bone has them, or (the head its own end) a point.
struct Handle {
  Handle(const Vec3& from, const Vec3& to) : head(from), ends{to} {}
  explicit Handle(const Vec3& point) : Handle(point, point) {}
  explicit Handle(const Bone& bone);
  Vec3 head;
  std::vector<Vec3> ends;
};
std::vector<Handle> handles_of(std::span<const Bone> bones);

/// The cells of the body whose closed box meets a segment of the handle, ascending, each once. What lies on
/// the border of a cell but for rounding counts as on it, so that moving body and handle together changes
/// nothing.
std::vector<std::uint32_t> cells_crossed(const VoxelGrid& grid, const Handle& handle);

/// Which grid vertices the handles hold.
struct HandleMap {
  std::vector<int> of_vertex;                     ///< per grid vertex: its handle, or -1: free
  std::vector<std::vector<std::uint32_t>> cells;  ///< per handle: the cells it crosses, or its nearest cell
  std::size_t outside = 0;                        ///< handles that cross no cell and took the nearest one
  std::vector<std::size_t>
      merged;  ///< handles that hold no vertex of their own, all being shared with others
};

/// A vertex of cells of one handle only belongs to it, however many of its segments meet there; one shared by
/// cells of several handles that move differently is free. A handle all of whose vertices are shared keeps
/// those nearest to its middle, so that none is lost; it is listed in `merged`.
HandleMap map_handles(const VoxelGrid& grid, std::span<const Handle> handles);

}  // namespace sinew
