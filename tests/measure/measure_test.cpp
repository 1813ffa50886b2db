// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "sinew/measure/self_intersection.h"
#include "sinew/measure/shape.h"
#include "support/shapes.h"

namespace sinew {
namespace {

TEST(EnclosedVolume, IsThatOfABoxWhereverItLies) {
  const PolyMesh box = test::box(Vec3(1, 2, 3), Vec3(3, 5, 7));
  const TriangleView view = triangulate(box);
  EXPECT_NEAR(enclosed_volume({box.positions, view.triangles}), 24, 1e-12);
  PolyMesh far = box;
  for (Vec3& p : far.positions) p += Vec3(1e6, 0, 0);
  EXPECT_NEAR(enclosed_volume({far.positions, view.triangles}), 24, 1e-6);
}

TEST(ShapeErrorTest, FiguresOfAKnownOffset) {
  const std::vector<Vec3> a{Vec3(0, 0, 0), Vec3(1, 0, 0)}, b{Vec3(0, 3, 0), Vec3(1, 0, 4)};
  const ShapeError error = shape_error(a, b);
  EXPECT_DOUBLE_EQ(error.max, 4);
  EXPECT_DOUBLE_EQ(error.rms, std::sqrt(25.0 / 2));
  EXPECT_DOUBLE_EQ(error.e_rms, std::sqrt(25.0 / 6));
  EXPECT_DOUBLE_EQ(error.e_rms_printed, 25.0 / std::sqrt(6.0));
}

TEST(SelfIntersection, AClosedBoxHasNoneAndTwoCrossedOnesHave) {
  PolyMesh box = test::box(Vec3(0, 0, 0), Vec3(1, 1, 1));
  TriangleView view = triangulate(box);
  EXPECT_EQ(self_intersecting_triangles({box.positions, view.triangles}), 0u);
  // The same box again, moved by half: faces of one go through edges of the other.
  const std::uint32_t n = static_cast<std::uint32_t>(box.positions.size());
  std::vector<Triangle> triangles(view.triangles.begin(), view.triangles.end());
  for (std::size_t i = 0; i < n; ++i) box.positions.push_back(box.positions[i] + Vec3(0.51, 0.52, 0.53));
  for (const Triangle& t : view.triangles) triangles.push_back({t[0] + n, t[1] + n, t[2] + n});
  EXPECT_GE(self_intersecting_triangles({box.positions, triangles}), 6u);
}

// Against all pairs, on triangles thrown at random.
TEST(SelfIntersection, TheTreeFindsWhatAllPairsFind) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> number(0, 1);
  std::vector<Vec3> positions;
  std::vector<Triangle> triangles;
  for (std::uint32_t t = 0; t < 300; ++t) {
    const Vec3 centre(number(random), number(random), number(random));
    for (int k = 0; k < 3; ++k)
      positions.push_back(centre + 0.15 * Vec3(number(random), number(random), number(random)));
    triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
  }
  std::vector<std::uint8_t> crossing(triangles.size(), 0);
  for (std::size_t s = 0; s < triangles.size(); ++s)
    for (std::size_t t = 0; t < s; ++t) {
      const Vec3 a[3] = {positions[3 * s], positions[3 * s + 1], positions[3 * s + 2]};
      const Vec3 b[3] = {positions[3 * t], positions[3 * t + 1], positions[3 * t + 2]};
      if (triangles_cross(a, b)) crossing[s] = crossing[t] = 1;
    }
  const std::size_t expected = static_cast<std::size_t>(std::count(crossing.begin(), crossing.end(), 1));
  EXPECT_GT(expected, 20u);
  EXPECT_LT(expected, 300u);
  EXPECT_EQ(self_intersecting_triangles({positions, triangles}), expected);
}

TEST(SelfIntersection, SegmentsThatMissOrTouchDoNotCross) {
  const Vec3 flat[3] = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(0, 1, 0)};
  const Vec3 through[3] = {Vec3(0.2, 0.2, -1), Vec3(0.2, 0.2, 1), Vec3(5, 5, 1)};
  const Vec3 beside[3] = {Vec3(2, 2, -1), Vec3(2, 2, 1), Vec3(5, 5, 1)};
  const Vec3 plane[3] = {Vec3(0.1, 0.1, 0), Vec3(0.9, 0.1, 0), Vec3(0.1, 0.9, 0)};
  EXPECT_TRUE(triangles_cross(flat, through));
  EXPECT_FALSE(triangles_cross(flat, beside));
  EXPECT_FALSE(triangles_cross(flat, plane));
}

}  // namespace
}  // namespace sinew
