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
    if (trial % 4 == 1) handle.ends[0] = handle.head;
    if (trial % 4 == 2) handle.ends[0].y() = handle.head.y();
    const std::vector<std::uint32_t> got = cells_crossed(grid, handle);
    for (std::uint32_t c = 0; c < grid.cell_count(); ++c) {
      const Vec3 low = grid.cells()[c].cast<double>();
      EXPECT_EQ(std::binary_search(got.begin(), got.end(), c),
                meets(handle.head, handle.ends[0], low, low + Vec3::Ones()));
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

// Three segments of one bone from the middle of a slab: the vertices of the cells where they meet move with
// it.
TEST(Handles, VerticesSharedBySegmentsOfOneBoneAreRigid) {
  const VoxelGrid grid = test::make_grid(Vec3i(9, 9, 3));
  Handle pelvis(Vec3(4.5, 4.5, 1.5), Vec3(4.5, 8.5, 1.5));
  pelvis.ends.push_back(Vec3(1.5, 1.5, 1.5));
  pelvis.ends.push_back(Vec3(7.5, 1.5, 1.5));
  const HandleMap map = map_handles(grid, std::vector{pelvis});
  EXPECT_TRUE(map.merged.empty());
  std::vector<std::uint32_t> crossed;
  for (const Vec3& end : pelvis.ends)
    for (const std::uint32_t cell : cells_crossed(grid, {pelvis.head, end})) crossed.push_back(cell);
  std::sort(crossed.begin(), crossed.end());
  crossed.erase(std::unique(crossed.begin(), crossed.end()), crossed.end());
  EXPECT_EQ(map.cells[0], crossed);
  for (const std::uint32_t cell : crossed)
    for (const std::uint32_t v : grid.cell_vertices(grid.cells()[cell])) EXPECT_EQ(map.of_vertex[v], 0);
  // A thigh that begins where one of them ends frees what they share there, and nothing else.
  const HandleMap with_thigh =
      map_handles(grid, std::vector{pelvis, Handle(Vec3(7.5, 1.5, 1.5), Vec3(7.5, 0.5, 1.5))});
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v)
    if (map.of_vertex[v] == 0 && (grid.vertices()[v].cast<double>() - Vec3(7.5, 1.5, 1.5)).norm() > 2) {
      EXPECT_EQ(with_thigh.of_vertex[v], 0);
    }
}

// A bone along a lattice line, seen from origins whose rounding differs.
TEST(Handles, MovingBodyAndBoneTogetherChangesNothing) {
  const double h = 0.1;
  const VoxelGrid here = test::make_grid(Vec3i(8, 4, 4), h);
  const std::vector<Handle> bones{{Vec3(0.05, 0.2, 0.2), Vec3(0.4, 0.2, 0.2)},
                                  {Vec3(0.4, 0.2, 0.2), Vec3(0.75, 0.2, 0.2)}};
  const HandleMap expected = map_handles(here, bones);
  for (const Vec3& by : {Vec3(0.7, 0.1, 0.3), Vec3(-1.3, 2.7, 0.05), Vec3(123.1, -7.7, 31.9)}) {
    const VoxelGrid there(here.origin() + by, h, here.cells());
    std::vector<Handle> moved;
    for (const Handle& bone : bones) moved.emplace_back(Vec3(bone.head + by), Vec3(bone.ends[0] + by));
    EXPECT_EQ(map_handles(there, moved).of_vertex, expected.of_vertex) << by.transpose();
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
