// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/bone_core.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "sinew/math/svd.h"
#include "sinew/mesh/bvh.h"

namespace sinew {
namespace {

constexpr int kDirections = 8;
constexpr std::array kPlaces{0.25, 0.5, 0.75};  // along the bone
constexpr double kDepth = 0.5;                  // of the way to the surface that a core reaches at most
// Diameters of the flesh: a longer bone takes a twist over along its length, a shorter one not. Between them cores grow, so
// that bodies on grids that are not quite the same are nearly the same.
constexpr double kLong = 1.8, kShort = 1.2;

// How far it is to the surface from a point inside of the body. The cells that hold the surface are the body's last ones, so
// that it lies in them; half a cell before the end, on average, where no triangle is met.
double reach_along(const VoxelGrid& grid, const Bvh& surface, const Vec3& from, const Vec3& direction,
                   double most) {
  const double cell = grid.cell_size();
  double reach = 0;
  while (reach < most && grid.cell_at(from + (reach + cell / 4) * direction) != kNoIndex) reach += cell / 4;
  const RayHit hit = surface.first_hit(from, direction, std::max(0.0, reach - 1.5 * cell), reach + cell / 4);
  return hit.found() ? hit.t : std::max(0.0, reach - cell / 2);
}

// The mean without the least and the largest quarter.
double typical(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t cut = values.size() / 4;
  return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(cut),
                         values.end() - static_cast<std::ptrdiff_t>(cut), 0.0) /
         static_cast<double>(values.size() - 2 * cut);
}

}  // namespace

std::vector<Handle> handles_with_cores(const VoxelGrid& grid, MeshView surface, std::span<const Bone> bones,
                                       std::span<const int> parents) {
  std::vector<Handle> handles = handles_of(bones);
  if (parents.size() != bones.size()) return handles;  // nobody knows what hangs on what
  const Bvh triangles(surface);
  std::vector<std::uint8_t> is_leaf(bones.size(), 1);
  for (const int parent : parents)
    if (parent >= 0) is_leaf[static_cast<std::size_t>(parent)] = 0;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const Vec3 span = bones[b].tail - bones[b].head;
    const double length = span.norm();
    if (!is_leaf[b] || parents[b] < 0 || !(length > 0)) continue;
    const Mat3 axes = shortest_arc(Vec3::UnitZ(), span).toRotationMatrix();
    std::vector<Vec3> starts, ways;
    std::vector<double> reaches;
    for (const double place : kPlaces) {
      const Vec3 from = bones[b].head + place * span;
      if (grid.cell_at(from) == kNoIndex) continue;
      for (int k = 0; k < kDirections; ++k) {
        const double angle = 2 * std::numbers::pi * k / kDirections;
        ways.push_back(axes * Vec3(std::cos(angle), std::sin(angle), 0));
        starts.push_back(from);
        reaches.push_back(reach_along(grid, triangles, from, ways.back(), 2 * length));
      }
    }
    if (reaches.empty()) continue;
    const double diameters = length / (2 * std::max(typical(reaches), 0.5 * grid.cell_size()));
    const double depth = kDepth * std::clamp((kLong - diameters) / (kLong - kShort), 0.0, 1.0);
    if (!(depth > 0)) continue;
    for (std::size_t k = 0; k < ways.size(); ++k)
      handles[b].ends.push_back(starts[k] + depth * reaches[k] * ways[k]);
  }
  return handles;
}

}  // namespace sinew
