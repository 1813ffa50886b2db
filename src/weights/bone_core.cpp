// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/bone_core.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "sinew/math/svd.h"

namespace sinew {
namespace {

constexpr int kDirections = 8;
constexpr std::array kPlaces{0.25, 0.5, 0.75};  // along the bone
constexpr double kDepth = 0.5;                  // of the way to the surface that a core reaches
constexpr double kDiameters = 1.5;              // of flesh: a longer bone takes a twist over along its length
constexpr double kCells = 2;                    // flesh that is thinner has no room for a core

// How far the body goes on from a point inside of it.
double reach_along(const VoxelGrid& grid, const Vec3& from, const Vec3& direction, double most) {
  const double step = grid.cell_size() / 2;
  double reach = 0;
  while (reach < most && grid.cell_at(from + (reach + step) * direction) != kNoIndex) reach += step;
  return reach;
}

}  // namespace

std::vector<Handle> handles_with_cores(const VoxelGrid& grid, std::span<const Bone> bones,
                                       std::span<const int> parents) {
  std::vector<Handle> handles = handles_of(bones);
  if (parents.size() != bones.size()) return handles;  // nobody knows what hangs on what
  std::vector<std::uint8_t> is_leaf(bones.size(), 1);
  for (const int parent : parents)
    if (parent >= 0) is_leaf[static_cast<std::size_t>(parent)] = 0;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const Vec3 span = bones[b].tail - bones[b].head;
    const double length = span.norm();
    if (!is_leaf[b] || parents[b] < 0 || !(length > 0)) continue;
    const Mat3 axes = shortest_arc(Vec3::UnitZ(), span).toRotationMatrix();
    std::vector<Vec3> ends;
    std::vector<double> reaches;
    for (const double place : kPlaces) {
      const Vec3 from = bones[b].head + place * span;
      if (grid.cell_at(from) == kNoIndex) continue;
      for (int k = 0; k < kDirections; ++k) {
        const double angle = 2 * std::numbers::pi * k / kDirections;
        const Vec3 direction = axes * Vec3(std::cos(angle), std::sin(angle), 0);
        reaches.push_back(reach_along(grid, from, direction, 2 * length));
        ends.push_back(from + kDepth * reaches.back() * direction);
      }
    }
    if (reaches.empty()) continue;
    const auto middle = reaches.begin() + static_cast<std::ptrdiff_t>(reaches.size() / 2);
    std::nth_element(reaches.begin(), middle, reaches.end());
    if (*middle < kCells * grid.cell_size() || kDiameters * 2 * *middle < length) continue;
    handles[b].ends.insert(handles[b].ends.end(), ends.begin(), ends.end());
  }
  return handles;
}

}  // namespace sinew
