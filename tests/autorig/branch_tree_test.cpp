// SPDX-License-Identifier: Apache-2.0
#include "autorig/branch_tree.h"

#include <gtest/gtest.h>

#include <array>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

// Points on a tree of unit edges: `edges` are pairs of points.
BodyGraph tree_of(std::size_t points, const std::vector<std::pair<int, int>>& edges) {
  BodyGraph graph;
  graph.positions.assign(points, Vec3::Zero());
  graph.weights.assign(points, 1);
  graph.neighbours.offsets.push_back(0);
  for (std::size_t v = 0; v < points; ++v) {
    for (const auto& [a, b] : edges) {
      if (a == static_cast<int>(v)) graph.neighbours.items.push_back(static_cast<std::uint32_t>(b));
      if (b == static_cast<int>(v)) graph.neighbours.items.push_back(static_cast<std::uint32_t>(a));
    }
    graph.neighbours.offsets.push_back(static_cast<std::uint32_t>(graph.neighbours.items.size()));
  }
  return graph;
}

// 0 - 1 - 2 - 3 - 4 (a hand) - 5 - 6 (a finger), 4 - 7 - 8 (another), 2 - 9 - 10 (a leg).
const std::vector<std::pair<int, int>> kArm = {{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 5},
                                               {5, 6}, {4, 7}, {7, 8}, {2, 9}, {9, 10}};
const std::vector<double> kFar = {0, 1, 2, 3, 4, 5, 6, 5, 6, 3, 4};

TEST(BranchTree, AnArmThatCarriesFingersIsABranchOfItsOwn) {
  const BodyGraph graph = tree_of(11, kArm);
  const JoinTree tree = join_tree(graph, kFar);
  const std::array<std::uint32_t, 3> tips = {6, 8, 10};
  const std::vector<Branch> branches = branch_tree(tree, kFar, tips);
  ASSERT_EQ(branches.size(), 5u);
  const auto with_tip = [&](int tip) {
    for (const Branch& one : branches)
      if (one.tip == tip) return one;
    return Branch{};
  };
  const Branch &finger = with_tip(0), &other = with_tip(1), &leg = with_tip(2);
  EXPECT_EQ(finger.points, (std::vector<std::uint32_t>{6, 5}));
  EXPECT_EQ(other.points, (std::vector<std::uint32_t>{8, 7}));
  EXPECT_EQ(finger.seam, 4);
  ASSERT_EQ(finger.parent, other.parent);
  const Branch& arm = branches[static_cast<std::size_t>(finger.parent)];
  EXPECT_EQ(arm.points, (std::vector<std::uint32_t>{4, 3}));
  EXPECT_EQ(arm.seam, 2);
  EXPECT_EQ(arm.parent, leg.parent);
  EXPECT_EQ(branches.back().parent, -1);
  EXPECT_EQ(branches.back().points, (std::vector<std::uint32_t>{2, 1, 0}));
}

TEST(BranchTree, WhatHasNoTipBelongsToWhatItJoins) {
  const BodyGraph graph = tree_of(11, kArm);
  const JoinTree tree = join_tree(graph, kFar);
  const std::array<std::uint32_t, 2> tips = {8, 10};
  const std::vector<Branch> branches = branch_tree(tree, kFar, tips);
  ASSERT_EQ(branches.size(), 3u);
  std::size_t points = 0;
  for (const Branch& one : branches) {
    points += one.points.size();
    if (one.tip == 0) {
      EXPECT_EQ(one.points.size(), 6u) << "both fingers and the arm";
    }
  }
  EXPECT_EQ(points, 11u);
}

// A ball with two arms, one of which is a limb as far as it stands out, wherever distances begin.
TEST(BranchTree, ACurveFromATipEndsWhereTheLimbDoes) {
  const PolyMesh mesh =
      test::joined({test::uv_sphere(Vec3::Zero(), 1), test::capsule({0, 0, 0}, {2, 0, 0}, 0.25),
                    test::capsule({0, 0, 0}, {-2, 0, 0}, 0.25)});
  const TriangleView cut = triangulate(mesh);
  auto graph = surface_graph({mesh.positions, cut.triangles});
  ASSERT_TRUE(graph.ok());
  const auto body = map_body(std::move(*graph), nullptr);
  ASSERT_TRUE(body.ok());
  ASSERT_EQ(body->major.size(), 2u);
  const std::vector<std::uint32_t> tips = {body->major[1].point};
  Branch all;
  all.tip = 0;
  for (std::uint32_t v = 0; v < body->graph.positions.size(); ++v) all.points.push_back(v);
  const Curve curve = curve_from_tip(*body, 0, all, Branch(), tips);
  ASSERT_GE(curve.points.size(), 4u);
  EXPECT_NEAR(curve.length(), 2.25 - 1, 0.2) << "to where it leaves the ball";
  EXPECT_NEAR(std::abs(curve.points.back().x()), 2.25, 0.05);
  for (const Vec3& p : curve.points) EXPECT_LT(p.tail<2>().norm(), 0.1);
}

}  // namespace
}  // namespace sinew::autorig
