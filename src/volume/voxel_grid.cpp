// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/voxel_grid.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "sinew/core/parallel.h"

namespace sinew {

VoxelGrid::VoxelGrid(const Vec3& origin, double cell_size, LatticeSet cells)
    : origin_(origin), cell_size_(cell_size), cells_(std::move(cells)), vertices_(corners_of_cells(cells_)) {
  assert(cell_size > 0);
}

std::array<std::uint32_t, 8> VoxelGrid::cell_vertices(const Vec3i& cell) const {
  std::array<std::uint32_t, 8> out;
  for (int k = 0; k < 4; ++k) {
    const std::uint32_t low = vertices_.find(cell.x(), cell.y() + k % 2, cell.z() + k / 2);
    assert(low != kNoIndex);
    out[static_cast<std::size_t>(2 * k)] = low;
    out[static_cast<std::size_t>(2 * k + 1)] = low + 1;  // both ends of a cell lie in one run
  }
  return out;
}

std::vector<std::array<std::uint32_t, 8>> VoxelGrid::all_cell_vertices() const {
  std::vector<std::array<std::uint32_t, 8>> out(cell_count());
  const auto runs = cells_.runs();
  parallel_for(runs.size(), 1 << 10, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      // Along a run all corners move on by one.
      std::array<std::uint32_t, 8> corners = cell_vertices(cells_.run_start(runs[r]));
      for (int x = runs[r].begin; x < runs[r].end; ++x) {
        out[runs[r].first + static_cast<std::uint32_t>(x - runs[r].begin)] = corners;
        for (std::uint32_t& corner : corners) ++corner;
      }
    }
  });
  return out;
}

std::array<std::uint32_t, 6> VoxelGrid::side_neighbours(const Vec3i& c) const {
  return {cells_.find(c.x() - 1, c.y(), c.z()), cells_.find(c.x() + 1, c.y(), c.z()),
          cells_.find(c.x(), c.y() - 1, c.z()), cells_.find(c.x(), c.y() + 1, c.z()),
          cells_.find(c.x(), c.y(), c.z() - 1), cells_.find(c.x(), c.y(), c.z() + 1)};
}

Vec3i VoxelGrid::lattice_cell(const Vec3& point) const {
  Vec3i cell;
  for (int axis = 0; axis < 3; ++axis) {
    double along = (point[axis] - origin_[axis]) / cell_size_;
    const double last = cells_.dims()[axis];
    // The sides of the lattice close it, give or take the rounding of the mesh's own bounding box.
    if (along < 0 && along > -1e-6) along = 0;
    if (along >= last && along < last + 1e-6) along = last - 0.5;
    cell[axis] =
        static_cast<int>(std::floor(std::clamp(along, -1.0, last + 1)));  // far away points stay within int
  }
  return cell;
}

std::uint32_t VoxelGrid::cell_at(const Vec3& point) const {
  return point.allFinite() ? cells_.find(lattice_cell(point)) : kNoIndex;
}

std::uint32_t VoxelGrid::nearest_cell(const Vec3& point) const {
  const std::uint32_t holding = cell_at(point);
  if (holding != kNoIndex || !point.allFinite()) return holding;
  const Vec3 p = (point - origin_) / cell_size_;
  double best = std::numeric_limits<double>::infinity();
  std::uint32_t nearest = kNoIndex;
  for (const LatticeSet::Run& run : cells_.runs()) {
    const Vec3i start = cells_.run_start(run);
    const Vec3 low = start.cast<double>(), high(run.end, low.y() + 1, low.z() + 1);
    const double squared = (low - p).cwiseMax(p - high).cwiseMax(0).squaredNorm();
    if (squared >= best) continue;
    best = squared;
    const int x = std::clamp(static_cast<int>(std::floor(std::clamp(p.x(), low.x(), high.x()))), run.begin,
                             run.end - 1);
    nearest = run.first + static_cast<std::uint32_t>(x - run.begin);
  }
  return nearest;
}

}  // namespace sinew
