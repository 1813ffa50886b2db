// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/math/types.h"

namespace sinew::gltf {

inline constexpr std::size_t kMostParents = 4;
inline constexpr int kWeightBits = 8;  // of a parent's weight behind the point
inline constexpr std::int32_t kWholeWeight = 1 << kWeightBits, kMostWeight = 16 * kWholeWeight - 1;
inline constexpr std::uint32_t kLevels = 16;

struct Parents {
  std::uint32_t count = 0;
  std::array<std::uint32_t, kMostParents> place{};  // in the order
  std::array<std::int32_t, kMostParents> weight{};
};

// In which order the vertices of fields are coded, and from which earlier ones the numbers of each are told.
struct FleshPlan {
  std::vector<std::uint8_t> levels;  // per vertex; 0: in no field
  std::vector<std::uint32_t> order;  // vertices, level by level
  std::vector<Parents> parents;      // per place in the order

  void set_order();
};

// Rows of numbers of some vertices.
struct NumberRows {
  std::span<const std::uint32_t> vertices;
  std::span<const std::int16_t> numbers;  // a row a vertex
  std::size_t width = 0;
};

// Levels are those of grids of 1, 2, 4, ... cells a side over the mesh, a vertex in each cell; parents are found
// among those around in the same grid and the one before, with weights that fit the numbers of all rows best.
FleshPlan plan_flesh(std::span<const Vec3> positions, std::span<const NumberRows> rows);

}  // namespace sinew::gltf
