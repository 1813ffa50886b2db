// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/lattice_set.h"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

#include "sinew/volume/voxel_grid.h"

namespace sinew {
namespace {

using Key = std::tuple<int, int, int>;  // z, y, x: the order of the indices

struct RandomSet {
  std::set<Key> members;
  LatticeSet set;
};

RandomSet random_set(std::uint32_t seed, const Vec3i& dims, unsigned one_in) {
  std::mt19937 random(seed);
  RandomSet out;
  std::vector<std::uint32_t> offsets;
  std::vector<LatticeSet::Interval> intervals;
  for (int z = 0; z < dims.z(); ++z)
    for (int y = 0; y < dims.y(); ++y) {
      offsets.push_back(static_cast<std::uint32_t>(intervals.size()));
      for (int x = 0; x < dims.x(); ++x)
        if (random() % one_in == 0) {
          out.members.insert({z, y, x});
          intervals.push_back({x, x + 1});
        }
    }
  offsets.push_back(static_cast<std::uint32_t>(intervals.size()));
  out.set = LatticeSet(dims, offsets, intervals);
  return out;
}

TEST(LatticeSet, FindsExactlyItsMembersAndNumbersThemAlongXThenYThenZ) {
  for (const unsigned one_in : {1u, 2u, 5u, 1000000u}) {
    const auto [members, set] = random_set(one_in, {37, 11, 9}, one_in);
    ASSERT_EQ(set.size(), members.size());
    std::uint32_t index = 0;
    for (const auto& [z, y, x] : members) {
      EXPECT_EQ(set.find(x, y, z), index);
      EXPECT_EQ(set[index], Vec3i(x, y, z));
      ++index;
    }
    for (int z = -2; z < 11; ++z)
      for (int y = -2; y < 13; ++y)
        for (int x = -2; x < 40; ++x) EXPECT_EQ(set.contains({x, y, z}), members.count({z, y, x}) == 1);
  }
}

TEST(LatticeSet, CornersAreThoseOfTheCellsAndNoOthers) {
  const auto [members, cells] = random_set(3, {9, 8, 7}, 4);
  std::set<Key> expected;
  for (const auto& [z, y, x] : members)
    for (int k = 0; k < 8; ++k) expected.insert({z + (k >> 2), y + (k >> 1 & 1), x + (k & 1)});
  const LatticeSet corners = corners_of_cells(cells);
  EXPECT_EQ(corners.dims(), Vec3i(10, 9, 8));
  EXPECT_EQ(corners.size(), expected.size());
  for (const auto& [z, y, x] : expected) EXPECT_TRUE(corners.contains({x, y, z}));
}

TEST(LatticeSet, ComponentsAgreeWithFloodingThrough26Neighbours) {
  const auto [members, set] = random_set(8, {20, 12, 10}, 14);
  const LatticeComponents components = connected_components(set);
  std::vector<std::uint32_t> flooded(set.size(), kNoIndex);
  std::uint32_t count = 0;
  for (std::uint32_t start = 0; start < set.size(); ++start) {
    if (flooded[start] != kNoIndex) continue;
    std::vector<std::uint32_t> stack{start};
    flooded[start] = count;
    while (!stack.empty()) {
      const Vec3i at = set[stack.back()];
      stack.pop_back();
      for (int k = 0; k < 27; ++k) {
        const std::uint32_t next = set.find(at + Vec3i(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1));
        if (next == kNoIndex || flooded[next] != kNoIndex) continue;
        flooded[next] = count;
        stack.push_back(next);
      }
    }
    ++count;
  }
  EXPECT_GT(count, 5u);
  EXPECT_EQ(components.count, count);
  EXPECT_EQ(components.of_member, flooded);
}

TEST(VoxelGrid, CellsKnowTheirCornersSidesAndPlaces) {
  const auto [members, cells] = random_set(5, {9, 8, 7}, 3);
  const VoxelGrid grid({1, -2, 3}, 0.5, cells);
  const auto table = grid.all_cell_vertices();
  for (std::uint32_t c = 0; c < grid.cell_count(); ++c) {
    const Vec3i cell = cells[c];
    EXPECT_EQ(table[c], grid.cell_vertices(cell));
    for (int k = 0; k < 8; ++k) {
      const Vec3i corner = cell + Vec3i(k & 1, k >> 1 & 1, k >> 2);
      EXPECT_EQ(grid.vertices()[table[c][static_cast<std::size_t>(k)]], corner);
      EXPECT_EQ(grid.vertex_position(table[c][static_cast<std::size_t>(k)]),
                Vec3(1, -2, 3) + 0.5 * corner.cast<double>());
    }
    const auto sides = grid.side_neighbours(cell);
    for (int s = 0; s < 6; ++s) {
      Vec3i step = Vec3i::Zero();
      step[s / 2] = s % 2 ? 1 : -1;
      EXPECT_EQ(sides[static_cast<std::size_t>(s)], cells.find(cell + step));
    }
    EXPECT_EQ(grid.cell_at(grid.cell_centre(c)), c);
    EXPECT_EQ(grid.nearest_cell(grid.cell_centre(c)), c);
  }
}

TEST(VoxelGrid, TheTwelveEdgesOfACellAreItsPairsOneStepApart) {
  std::set<std::pair<int, int>> edges;
  for (const auto& [a, b] : kCellEdges) edges.insert({a, b});
  std::set<std::pair<int, int>> expected;
  for (int a = 0; a < 8; ++a)
    for (int b = a + 1; b < 8; ++b)
      if ((a ^ b) == 1 || (a ^ b) == 2 || (a ^ b) == 4) expected.insert({a, b});
  EXPECT_EQ(edges, expected);
}

TEST(VoxelGrid, NearestCellAgreesWithTryingAll) {
  const auto [members, cells] = random_set(6, {9, 8, 7}, 40);
  const VoxelGrid grid({0, 0, 0}, 1, cells);
  std::mt19937 random(1);
  for (int k = 0; k < 200; ++k) {
    const Vec3 p(double(random() % 2000) / 100 - 5, double(random() % 2000) / 100 - 5,
                 double(random() % 2000) / 100 - 5);
    double best = 1e300;
    for (std::uint32_t c = 0; c < grid.cell_count(); ++c) {
      const Vec3 low = cells[c].cast<double>();
      best = std::min(best, (low - p).cwiseMax(p - low - Vec3::Ones()).cwiseMax(0).norm());
    }
    const Vec3 low = cells[grid.nearest_cell(p)].cast<double>();
    EXPECT_DOUBLE_EQ((low - p).cwiseMax(p - low - Vec3::Ones()).cwiseMax(0).norm(), best);
  }
  EXPECT_EQ(grid.nearest_cell({std::nan(""), 0, 0}), kNoIndex);
  EXPECT_EQ(grid.cell_at({1e300, 0, 0}), kNoIndex);
  EXPECT_EQ(VoxelGrid().nearest_cell({0, 0, 0}), kNoIndex);
}

}  // namespace
}  // namespace sinew
