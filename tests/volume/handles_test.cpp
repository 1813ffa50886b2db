// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/handles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "grids.h"
#include "sinew/volume/trilinear.h"

namespace sinew {
namespace {

// Whether a segment meets a closed box, by clipping it to the three slabs.
bool meets(const Vec3& a, const Vec3& b, const Vec3& low, const Vec3& high) {
  double from = 0, to = 1;
  for (int k = 0; k < 3; ++k) {
    const double d = b[k] - a[k];
    if (d == 0) {
      if (a[k] < low[k] || a[k] > high[k]) return false;
      continue;
    }
    const double t = (low[k] - a[k]) / d, u = (high[k] - a[k]) / d;
    from = std::max(from, std::min(t, u));
    to = std::min(to, std::max(t, u));
  }
  return from <= to;
}

TEST(Handles, CrossedCellsAreThoseWhoseBoxMeetsTheSegment) {
  const VoxelGrid grid = test::ragged_grid(10);
  std::mt19937 random(3);
  std::uniform_real_distribution<double> number(-2, 14);
  for (int trial = 0; trial < 200; ++trial) {
    Handle handle{Vec3(number(random), number(random), number(random)),
                  Vec3(number(random), number(random), number(random))};
    if (trial % 4 == 1) handle.tail = handle.head;
    if (trial % 4 == 2) handle.tail.y() = handle.head.y();
    const std::vector<std::uint32_t> got = cells_crossed(grid, handle);
    for (std::uint32_t c = 0; c < grid.cell_count(); ++c) {
      const Vec3 low = grid.cells()[c].cast<double>();
      EXPECT_EQ(std::binary_search(got.begin(), got.end(), c),
                meets(handle.head, handle.tail, low, low + Vec3::Ones()));
    }
  }
}

TEST(Handles, VerticesSharedByTwoBonesAreFree) {
  const VoxelGrid grid = test::make_grid(Vec3i(8, 3, 3));
  const std::vector<Handle> bones = {{Vec3(0.5, 1.5, 1.5), Vec3(3.5, 1.5, 1.5)},
                                     {Vec3(3.5, 1.5, 1.5), Vec3(7.5, 1.5, 1.5)}};
  const HandleMap map = map_handles(grid, bones);
  EXPECT_TRUE(map.merged.empty());
  EXPECT_EQ(map.outside, 0u);
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) {
    const Vec3i p = grid.vertices()[v];
    const bool beside = p.y() >= 1 && p.y() <= 2 && p.z() >= 1 && p.z() <= 2;
    EXPECT_EQ(map.of_vertex[v], !beside || p.x() == 3 || p.x() == 4 ? -1 : p.x() > 4) << p.transpose();
  }
}

TEST(Handles, ABoneOutsideTakesItsNearestCellAndOneInsideAnotherKeepsAVertex) {
  const VoxelGrid grid = test::make_grid(Vec3i(6, 2, 2));
  const std::vector<Handle> handles = {{Vec3(1.5, 9, 0.5), Vec3(1.5, 12, 0.5)},  // above the body
                                       {Vec3(4.5, 0.5, 0.5), Vec3(4.5, 0.5, 0.5)},
                                       {Vec3(4.6, 0.6, 0.5), Vec3(4.6, 0.6, 0.5)}};  // in the same cell
  const HandleMap map = map_handles(grid, handles);
  EXPECT_EQ(map.outside, 1u);
  EXPECT_EQ(map.merged.size(), 2u);
  for (int j = 0; j < 3; ++j) EXPECT_NE(std::count(map.of_vertex.begin(), map.of_vertex.end(), j), 0) << j;
}

TEST(Trilinear, ReproducesLinearFunctions) {
  const VoxelGrid grid = test::make_grid(Vec3i(4, 5, 6), 0.3);
  Eigen::MatrixXd values(static_cast<Eigen::Index>(grid.vertex_count()), 2);
  const auto linear = [](const Vec3& p) { return Vec3(2, -1, 3).dot(p) + 0.5; };
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v) values.row(v) << linear(grid.vertex_position(v)), 1;
  std::vector<Vec3> points;
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(0, 1);
  for (int k = 0; k < 500; ++k)
    points.push_back(Vec3(1.2 * number(random), 1.5 * number(random), 1.8 * number(random)));
  points.push_back(Vec3(1.2, 1.5, 1.8));
  const TrilinearWeights transfer = trilinear_weights(grid, points);
  EXPECT_EQ(transfer.outside, 0u);
  const Eigen::MatrixXd got = interpolate(transfer, values);
  for (std::size_t k = 0; k < points.size(); ++k) {
    EXPECT_NEAR(got(static_cast<Eigen::Index>(k), 0), linear(points[k]), 1e-12);
    EXPECT_NEAR(got(static_cast<Eigen::Index>(k), 1), 1, 1e-12);
  }
}

}  // namespace
}  // namespace sinew
