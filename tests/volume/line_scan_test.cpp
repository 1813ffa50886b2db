// SPDX-License-Identifier: Apache-2.0
#include "volume/line_scan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/shapes.h"
#include "volume/fill.h"

namespace sinew {
namespace {

TEST(LineScan, EveryLineLeavesAClosedMeshAsOftenAsItEnters) {
  // Corners on multiples of 1/6 put many edges and corners exactly on lines, where rounding decides.
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    PolyMesh blob = test::random_blob(seed, 24, 16);
    for (Vec3& p : blob.positions) p = ((p * 40).array().round() / 6 + 10).matrix();
    const TriangleView view = triangulate(blob);
    for (int axis = 0; axis < 3; ++axis) {
      const RowItems<Crossing> lines = scan_lines(blob.positions, view.triangles, {20, 20, 20}, axis);
      std::size_t crossed = 0;
      for (std::size_t line = 0; line + 1 < lines.offsets.size(); ++line) {
        int sum = 0;
        for (const Crossing& crossing : lines.row(line)) sum += crossing.sign;
        EXPECT_EQ(sum, 0) << "seed " << seed << " line " << line;
        crossed += !lines.row(line).empty();
      }
      EXPECT_GT(crossed, 50u);
    }
  }
}

TEST(LineScan, BothTrianglesOfAnEdgeThatMeetsALineAgree) {
  // Tetrahedra with an edge that meets the line through (8.5, 8.5) exactly, but for rounding.
  std::mt19937 random(1);
  const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
  const std::vector<Triangle> triangles{{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
  for (int k = 0; k < 2000; ++k) {
    const double u = 4 * uniform() - 2, v = 0.1 + uniform(), stretch = 0.3 + 2 * uniform();
    std::vector<Vec3> corners{{3 * uniform(), 8.5 - u, 8.5 - v},
                              {3 * uniform(), 8.5 + stretch * u, 8.5 + stretch * v},
                              {4, 8.5 - v, 8.5 + u},
                              {5, 8.5 + v, 8.5 - u}};
    if (k % 2) std::swap(corners[0], corners[1]);
    const RowItems<Crossing> lines = scan_lines(corners, triangles, {17, 17, 17}, 0);
    int sum = 0;
    for (const Crossing& crossing : lines.row(8 + 17 * 8)) sum += crossing.sign;
    EXPECT_EQ(sum, 0) << k;
  }
}

TEST(LineScan, CrossingsOfABallLieWhereTheyMust) {
  const PolyMesh ball = test::uv_sphere({10, 10, 10}, 8, 128, 64);
  const TriangleView view = triangulate(ball);
  for (int axis = 0; axis < 3; ++axis) {
    const RowItems<Crossing> lines = scan_lines(ball.positions, view.triangles, {20, 20, 20}, axis);
    for (int k = 0; k < 20; ++k)
      for (int j = 0; j < 20; ++j) {
        const double off = std::hypot(j + 0.5 - 10, k + 0.5 - 10);
        const auto line = lines.row(static_cast<std::size_t>(j + 20 * k));
        EXPECT_TRUE(off <= 8 || line.empty());
        if (off > 7.8) continue;
        ASSERT_EQ(line.size(), 2u);
        const double half = std::sqrt(64 - off * off);
        EXPECT_NEAR(line[0].at, 10 - half, 0.1);
        EXPECT_NEAR(line[1].at, 10 + half, 0.1);
        EXPECT_EQ(line[0].sign, -1);
        EXPECT_EQ(line[1].sign, 1);
        EXPECT_NEAR(line[0].cosine, half / 8, 0.05);
      }
  }
}

TEST(Fill, CrossingsAndWindingNumberAgreeOnAClosedMesh) {
  const PolyMesh blob = test::random_blob(4, 48, 32);
  const TriangleView view = triangulate(blob);
  const LatticeFrame frame = LatticeFrame::around(bounding_box(blob.positions), 0.07);
  const std::vector<Vec3> positions = frame.to_lattice(blob.positions);
  const RowIntervals by_crossings =
      fill_by_crossings(scan_lines(positions, view.triangles, frame.dims, 0), frame.dims.x());
  RowIntervals no_surface;
  no_surface.offsets.assign(frame.rows() + 1, 0);
  const RowIntervals by_winding =
      fill_by_winding(no_surface, frame, WindingNumber({blob.positions, view.triangles}));
  std::size_t cells = 0, differ = 0;
  for (std::size_t row = 0; row < frame.rows(); ++row) {
    std::vector<int> sum(static_cast<std::size_t>(frame.dims.x()), 0);
    for (const auto& interval : by_crossings.row(row))
      for (int x = interval.begin; x < interval.end; ++x) sum[static_cast<std::size_t>(x)] += 1, ++cells;
    for (const auto& interval : by_winding.row(row))
      for (int x = interval.begin; x < interval.end; ++x) sum[static_cast<std::size_t>(x)] -= 1;
    for (const int s : sum) differ += s != 0;
  }
  EXPECT_GT(cells, 8000u);
  EXPECT_LT(differ, cells / 200);  // cell centres on the very surface
}

TEST(Fill, CellsWithoutASurfaceCellInReachAreDropped) {
  const Vec3i dims(10, 2, 1);
  const RowIntervals solid{{0, 2, 4}, {{0, 3}, {6, 8}, {3, 4}, {9, 10}}}, surface{{0, 1, 1}, {{1, 2}}};
  const RowIntervals kept = attached_to_surface(solid, surface, dims);
  EXPECT_EQ(kept.offsets, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(kept.items[0].begin, 0);
  EXPECT_EQ(kept.items[0].end, 3);
  EXPECT_EQ(kept.items[1].begin, 3);  // touches in a corner
}

TEST(Fill, EnclosedCellsAreThoseThatNoWayLeadsTo) {
  // A box of walls with one room inside; the second has a door.
  const Vec3i dims(12, 7, 7);
  RowIntervals solid;
  for (int z = 0; z < 7; ++z)
    for (int y = 0; y < 7; ++y) {
      solid.offsets.push_back(static_cast<std::uint32_t>(solid.items.size()));
      const bool wall = y == 1 || y == 5 || z == 1 || z == 5, within = y >= 1 && y <= 5 && z >= 1 && z <= 5;
      if (!within) continue;
      if (wall) {
        solid.items.push_back({1, 11});
      } else {
        solid.items.insert(solid.items.end(), {{1, 2}, {5, 6}});
        if (y != 3 || z != 3) solid.items.push_back({10, 11});  // the door
      }
    }
  solid.offsets.push_back(static_cast<std::uint32_t>(solid.items.size()));
  const RowIntervals rooms = enclosed(solid, dims);
  std::size_t cells = 0;
  for (const auto& interval : rooms.items) {
    EXPECT_EQ(interval.begin, 2);
    EXPECT_EQ(interval.end, 5);
    cells += 3;
  }
  EXPECT_EQ(cells, 27u);
}

}  // namespace
}  // namespace sinew
