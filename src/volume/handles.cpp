// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/handles.h"

#include <algorithm>
#include <cmath>

#include "sinew/skeleton/bone_tree.h"

namespace sinew {
namespace {

constexpr int kShared = -2;
constexpr double kRounding = 1e-6;  // of a cell

// Cells along an axis whose closed interval meets [low, high], in cell units.
std::pair<int, int> closed_range(double low, double high) {
  return {static_cast<int>(std::ceil(low - kRounding)) - 1, static_cast<int>(std::floor(high + kRounding))};
}

// Whether the segment meets the closed unit cell, by clipping it to the cell's three slabs.
bool meets(const Vec3& a, const Vec3& along, const Vec3i& cell) {
  double from = 0, to = 1;
  for (Eigen::Index k = 0; k < 3; ++k) {
    const double low = cell[k] - a[k] - kRounding, high = low + 1 + 2 * kRounding;
    if (along[k] == 0) {
      if (low > 0 || high < 0) return false;
      continue;
    }
    const double t = low / along[k], u = high / along[k];
    from = std::max(from, std::min(t, u));
    to = std::min(to, std::max(t, u));
  }
  return from <= to;
}

void add_crossed(const VoxelGrid& grid, const Vec3& head, const Vec3& end,
                 std::vector<std::uint32_t>& cells) {
  const Vec3 a = (head - grid.origin()) / grid.cell_size(), b = (end - grid.origin()) / grid.cell_size();
  if (!a.allFinite() || !b.allFinite()) return;
  const Vec3i dims = grid.cells().dims();
  const Vec3 along = b - a;
  Eigen::Index axis = 0;
  along.cwiseAbs().maxCoeff(&axis);
  const auto [first, last] = closed_range(std::min(a[axis], b[axis]), std::max(a[axis], b[axis]));
  // Slab by slab along the longest axis: in each the segment spans a small rectangle of the other two.
  for (int slab = std::max(first, 0); slab <= std::min(last, dims[axis] - 1); ++slab) {
    double t0 = 0, t1 = 1;
    if (along[axis] != 0) {
      t0 = std::clamp((slab - a[axis]) / along[axis], 0.0, 1.0);
      t1 = std::clamp((slab + 1 - a[axis]) / along[axis], 0.0, 1.0);
    }
    const Vec3 p = a + t0 * along, q = a + t1 * along;
    const Eigen::Index u = (axis + 1) % 3, v = (axis + 2) % 3;
    const auto [u0, u1] = closed_range(std::min(p[u], q[u]), std::max(p[u], q[u]));
    const auto [v0, v1] = closed_range(std::min(p[v], q[v]), std::max(p[v], q[v]));
    for (int j = v0; j <= v1; ++j)
      for (int i = u0; i <= u1; ++i) {
        Vec3i cell;
        cell[axis] = slab;
        cell[u] = i;
        cell[v] = j;
        const std::uint32_t found = meets(a, along, cell) ? grid.cells().find(cell) : kNoIndex;
        if (found != kNoIndex) cells.push_back(found);
      }
  }
}

// The middle of the longest segment.
Vec3 middle_of(const Handle& handle) {
  const Vec3 end = *std::max_element(
      handle.ends.begin(), handle.ends.end(),
      [&](const Vec3& a, const Vec3& b) { return (a - handle.head).norm() < (b - handle.head).norm(); });
  return 0.5 * (handle.head + end);
}

}  // namespace

Handle::Handle(const Bone& bone)
    : head(bone.head), ends(segment_ends(bone).begin(), segment_ends(bone).end()) {}

std::vector<Handle> handles_of(std::span<const Bone> bones) {
  return {bones.begin(), bones.end()};
}

std::vector<std::uint32_t> cells_crossed(const VoxelGrid& grid, const Handle& handle) {
  std::vector<std::uint32_t> cells;
  for (const Vec3& end : handle.ends) add_crossed(grid, handle.head, end, cells);
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

HandleMap map_handles(const VoxelGrid& grid, std::span<const Handle> handles) {
  HandleMap map;
  map.of_vertex.assign(grid.vertex_count(), -1);
  map.cells.resize(handles.size());
  for (std::size_t j = 0; j < handles.size(); ++j) {
    map.cells[j] = cells_crossed(grid, handles[j]);
    if (map.cells[j].empty()) {
      ++map.outside;
      if (const std::uint32_t cell = grid.nearest_cell(middle_of(handles[j])); cell != kNoIndex)
        map.cells[j].push_back(cell);
    }
    for (const std::uint32_t cell : map.cells[j])
      for (const std::uint32_t vertex : grid.cell_vertices(grid.cells()[cell])) {
        int& owner = map.of_vertex[vertex];
        owner = owner == -1 || owner == static_cast<int>(j) ? static_cast<int>(j) : kShared;
      }
  }
  std::vector<std::uint8_t> owns(handles.size(), 0);
  for (const int owner : map.of_vertex)
    if (owner >= 0) owns[static_cast<std::size_t>(owner)] = 1;
  for (std::size_t j = 0; j < handles.size(); ++j) {
    if (owns[j] || map.cells[j].empty()) continue;
    map.merged.push_back(j);
    const Vec3 middle = middle_of(handles[j]);
    std::uint32_t best = kNoIndex;
    double least = 0;
    for (const std::uint32_t cell : map.cells[j])
      for (const std::uint32_t vertex : grid.cell_vertices(grid.cells()[cell])) {
        const double d = (grid.vertex_position(vertex) - middle).norm();
        if (map.of_vertex[vertex] == kShared && (best == kNoIndex || d < least)) best = vertex, least = d;
      }
    if (best != kNoIndex) map.of_vertex[best] = static_cast<int>(j);
  }
  for (int& owner : map.of_vertex)
    if (owner == kShared) owner = -1;
  return map;
}

}  // namespace sinew
