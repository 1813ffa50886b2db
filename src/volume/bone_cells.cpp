// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/bone_cells.h"

#include <algorithm>
#include <unordered_map>

#include "volume/convex_rows.h"

namespace sinew {
namespace {

// Boxes are closed: a bone that runs along a side meets the cells on both.
constexpr double kSlack = 1e-9;

// The part of a segment within the lattice's closed box; false where there is none.
bool clip_to_lattice(std::array<Vec3, 2>& ends, const Vec3i& dims) {
  const Vec3 from = ends[0], along = ends[1] - ends[0];
  double begin = 0, end = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const double low = -kSlack - from[axis], high = dims[axis] + kSlack - from[axis];
    if (along[axis] == 0) {
      if (low > 0 || high < 0) return false;
      continue;
    }
    begin = std::max(begin, std::min(low / along[axis], high / along[axis]));
    end = std::min(end, std::max(low / along[axis], high / along[axis]));
  }
  ends = {from + begin * along, from + end * along};
  return begin <= end;
}

void append_crossed(const VoxelGrid& grid, const Bone& bone, std::vector<std::uint32_t>& out) {
  const LatticeSet& cells = grid.cells();
  std::array<Vec3, 2> ends{(bone.head - grid.origin()) / grid.cell_size(),
                           (bone.tail - grid.origin()) / grid.cell_size()};
  if (!ends[0].allFinite() || !ends[1].allFinite() || !clip_to_lattice(ends, cells.dims())) return;
  visit_convex_rows(ends, cells.dims(), kSlack, [&](std::uint32_t row, const LatticeSet::Interval& interval) {
    const int y = static_cast<int>(row) % cells.dims().y(), z = static_cast<int>(row) / cells.dims().y();
    for (const LatticeSet::Run& run : cells.row(y, z))
      for (int x = std::max(run.begin, interval.begin); x < std::min(run.end, interval.end); ++x)
        out.push_back(run.first + static_cast<std::uint32_t>(x - run.begin));
  });
}

double squared_distance(const VoxelGrid& grid, std::uint32_t cell, const Vec3& point) {
  const Vec3 low = grid.vertex_position(grid.cells()[cell]);
  const Vec3 high = low + Vec3::Constant(grid.cell_size());
  return (low - point).cwiseMax(point - high).cwiseMax(0).squaredNorm();
}

std::uint32_t nearest_to_bone(const VoxelGrid& grid, const Bone& bone) {
  constexpr int kSamples = 16;
  std::uint32_t nearest = kNoIndex;
  double best = 0;
  for (int k = 0; k <= kSamples; ++k) {
    const Vec3 point = bone.head + double(k) / kSamples * (bone.tail - bone.head);
    const std::uint32_t cell = grid.nearest_cell(point);
    if (cell == kNoIndex) continue;
    const double squared = squared_distance(grid, cell, point);
    if (nearest != kNoIndex && squared >= best) continue;
    nearest = cell;
    best = squared;
  }
  return nearest;
}

}  // namespace

BoneCells bone_cells(const VoxelGrid& grid, std::span<const Bone> bones) {
  BoneCells out;
  out.outside.assign(bones.size(), 0);
  out.cells.offsets.push_back(0);
  std::vector<std::uint32_t> crossed;
  for (std::size_t j = 0; j < bones.size(); ++j) {
    crossed.clear();
    append_crossed(grid, bones[j], crossed);
    if (crossed.empty()) {
      out.outside[j] = 1;
      ++out.outside_count;
      const std::uint32_t nearest = nearest_to_bone(grid, bones[j]);
      // A bone that is not finite has no place at all: the first cell is as good as any.
      if (grid.cell_count() > 0) crossed.push_back(nearest != kNoIndex ? nearest : 0);
    }
    std::sort(crossed.begin(), crossed.end());
    crossed.erase(std::unique(crossed.begin(), crossed.end()), crossed.end());
    out.cells.items.insert(out.cells.items.end(), crossed.begin(), crossed.end());
    out.cells.offsets.push_back(static_cast<std::uint32_t>(out.cells.items.size()));
  }
  return out;
}

PointCells point_cells(const VoxelGrid& grid, std::span<const Vec3> points) {
  PointCells out;
  out.outside.assign(points.size(), 0);
  std::unordered_map<std::uint32_t, std::uint32_t> first;
  for (std::uint32_t k = 0; k < points.size(); ++k) {
    std::uint32_t cell = grid.cell_at(points[k]);
    if (cell == kNoIndex) {
      cell = grid.nearest_cell(points[k]);
      out.outside[k] = 1;
      ++out.outside_count;
    }
    out.cell.push_back(cell);
    if (cell == kNoIndex) continue;
    const auto [place, is_new] = first.emplace(cell, k);
    if (!is_new) out.shared.push_back({place->second, k});
  }
  return out;
}

}  // namespace sinew
