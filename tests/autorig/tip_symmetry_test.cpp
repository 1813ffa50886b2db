// SPDX-License-Identifier: Apache-2.0
#include "autorig/tip_symmetry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

// A body of which only the distances between tips are known.
BodyMap body_of(const std::vector<std::vector<double>>& apart) {
  BodyMap body;
  const auto n = static_cast<Eigen::Index>(apart.size());
  body.major.resize(apart.size());
  body.apart.resize(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index k = 0; k < n; ++k)
      body.apart(i, k) = apart[static_cast<std::size_t>(i)][static_cast<std::size_t>(k)];
  body.diameter = body.apart.maxCoeff();
  return body;
}

TEST(TipSymmetry, ArmsAndLegsArePairsAndTheHeadIsBetween) {
  // Head, left and right hand, left and right foot of a man.
  const TipPairs found = find_tip_pairs(body_of({{0, 1.17, 1.16, 1.93, 1.93},
                                                 {1.17, 0, 1.79, 2.15, 2.21},
                                                 {1.16, 1.79, 0, 2.21, 2.15},
                                                 {1.93, 2.15, 2.21, 0, 1.91},
                                                 {1.93, 2.21, 2.15, 1.91, 0}}));
  ASSERT_EQ(found.pairs.size(), 2u);
  for (const auto& [a, b] : found.pairs) EXPECT_TRUE((a == 1 && b == 2) || (a == 3 && b == 4)) << a << b;
  EXPECT_EQ(found.middle, std::vector<std::size_t>{0});
  EXPECT_LT(found.error, 0.02);
}

TEST(TipSymmetry, FingersOfOneHandAreNoPair) {
  // Two fingers of the left hand are as far from everything else, and near each other.
  const TipPairs found = find_tip_pairs(body_of({{0, 1.17, 1.17, 1.16, 1.93, 1.93},
                                                 {1.17, 0, 0.2, 1.79, 2.15, 2.21},
                                                 {1.17, 0.2, 0, 1.79, 2.15, 2.21},
                                                 {1.16, 1.79, 1.79, 0, 2.21, 2.15},
                                                 {1.93, 2.15, 2.15, 2.21, 0, 1.91},
                                                 {1.93, 2.21, 2.21, 2.15, 1.91, 0}}));
  ASSERT_EQ(found.pairs.size(), 2u);
  for (const auto& [a, b] : found.pairs) EXPECT_FALSE(a == 1 && b == 2);
}

TEST(TipSymmetry, AHandHasNoOtherSide) {
  const TipPairs found = find_tip_pairs(body_of({{0, 0.282, 0.271, 0.272, 0.249, 0.215},
                                                 {0.282, 0, 0.170, 0.162, 0.180, 0.212},
                                                 {0.271, 0.170, 0, 0.183, 0.147, 0.217},
                                                 {0.272, 0.162, 0.183, 0, 0.190, 0.193},
                                                 {0.249, 0.180, 0.147, 0.190, 0, 0.214},
                                                 {0.215, 0.212, 0.217, 0.193, 0.214, 0}}));
  const bool every_tip = 2 * found.pairs.size() + found.middle.size() == 6;
  EXPECT_TRUE(!every_tip || found.error > 0.05) << found.error;
}

// A toy whose ears stand higher than its head.
PolyMesh eared_toy() {
  std::vector<PolyMesh> parts = {test::capsule({0, 0.8, 0}, {0, 1.4, 0}, 0.4),
                                 test::capsule({0, 2.2, 0}, {0, 2.3, 0}, 0.5)};
  for (const double side : {-1.0, 1.0}) {
    parts.push_back(test::capsule({side * 0.3, 2.5, 0}, {side * 0.7, 3.1, 0}, 0.2));
    parts.push_back(test::capsule({side * 0.2, 1.4, 0}, {side * 1.0, 1.2, 0}, 0.15));
    parts.push_back(test::capsule({side * 0.2, 0.7, 0}, {side * 0.3, 0.0, 0}, 0.18));
  }
  parts.push_back(test::capsule({0, 1.5, 0}, {0, 2.1, 0}, 0.3));
  return test::joined(parts);
}

TEST(TipSymmetry, AHeadBetweenEarsIsFoundOnTheMiddle) {
  const PolyMesh mesh = eared_toy();
  const TriangleView cut = triangulate(mesh);
  auto graph = voxel_graph({mesh.positions, cut.triangles}, nullptr);
  ASSERT_TRUE(graph.ok());
  auto body = map_body(*std::move(graph), nullptr);
  ASSERT_TRUE(body.ok());
  const std::size_t before = body->major.size();
  EXPECT_EQ(before, 6u) << "ears, arms and legs; the head has no tip";
  add_middle_tips(*body, find_tip_pairs(*body));
  ASSERT_GT(body->major.size(), before);
  EXPECT_TRUE(body->major[before].middle);
  const Vec3 head = body->graph.positions[body->major[before].point];
  EXPECT_LT(std::abs(head.x()), 0.15) << head.transpose();
  EXPECT_GT(head.y(), 2.4) << head.transpose();
  ASSERT_EQ(body->from.size(), body->major.size());
  EXPECT_EQ(body->apart.rows(), static_cast<Eigen::Index>(body->major.size()));
}

// A head like a drum across: its rim is farther from hands and feet than its middle.
TEST(TipSymmetry, ABroadHeadHasATipOnThePlane) {
  const PolyMesh mesh = test::joined(
      {test::capsule({0, 0.8, 0}, {0, 1.9, 0}, 0.3), test::capsule({-1.2, 2.3, 0}, {1.2, 2.3, 0}, 0.4),
       test::capsule({0.2, 1.5, 0}, {1.1, 1.0, 0}, 0.12), test::capsule({-0.2, 1.5, 0}, {-1.1, 1.0, 0}, 0.12),
       test::capsule({0.15, 0.8, 0}, {0.25, 0, 0}, 0.15),
       test::capsule({-0.15, 0.8, 0}, {-0.25, 0, 0}, 0.15)});
  const TriangleView cut = triangulate(mesh);
  auto graph = surface_graph({mesh.positions, cut.triangles});
  ASSERT_TRUE(graph.ok());
  auto body = map_body(*std::move(graph), nullptr);
  ASSERT_TRUE(body.ok());
  const std::size_t before = body->major.size();
  add_tips_on(*body, {Vec3::UnitX(), Vec3::Zero()});
  ASSERT_GT(body->major.size(), before);
  const Vec3 head = body->graph.positions[body->major[before].point];
  EXPECT_LT(std::abs(head.x()), 0.05) << head.transpose();
  EXPECT_GT(head.y(), 2.5) << head.transpose();
  EXPECT_TRUE(body->major[before].middle);
}

// Two ends of the middle line with 60,000 points each, of which the lower one is known.
TEST(TipSymmetry, PointsOfTheMiddleAreNotComparedInPairs) {
  constexpr std::uint32_t kAtEachEnd = 60'000;
  BodyMap body;
  body.diameter = 2;
  body.graph.rings = true;  // distances along neighbours, of which there are none
  body.graph.positions = {Vec3(1, 0, 0), Vec3(-1, 0, 0), Vec3(1, 0, 1), Vec3(-1, 0, 1), Vec3(0, -1, 0)};
  for (std::uint32_t tip = 0; tip < 5; ++tip) body.major.push_back({tip, 1, tip == 4});
  for (const double end : {1.0, -1.0})
    for (std::uint32_t k = 0; k < kAtEachEnd; ++k)
      body.graph.positions.emplace_back(0.05 * std::sin(k), end, 0.05 * std::cos(k));
  const std::size_t n = body.graph.positions.size();
  body.graph.neighbours.offsets.assign(n + 1, 0);
  body.from.assign(5, std::vector<double>(n, 1));
  for (std::size_t tip = 0; tip < 4; ++tip) std::fill_n(body.from[tip].begin() + 5, kAtEachEnd, 1.1);
  body.apart = Eigen::MatrixXd::Zero(5, 5);
  const std::clock_t start = std::clock();
  add_middle_tips(body, {{{0, 1}, {2, 3}}, {4}, 0});
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 1);  // in pairs 5 s
  ASSERT_EQ(body.major.size(), 6u);
  EXPECT_EQ(body.major[5].point, 5u) << "the first of those that lie farthest";
}

}  // namespace
}  // namespace sinew::autorig
