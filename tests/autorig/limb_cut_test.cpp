// SPDX-License-Identifier: Apache-2.0
#include "autorig/limb_cut.h"

#include <gtest/gtest.h>

#include <limits>

namespace sinew::autorig {
namespace {

// A tree of points one apart: a trunk up the y axis from (0, 0, 0) to (0, 10, 0), and two arms from its end along x, to
// the right 7 long and to the left 5.
struct Fork {
  BodyGraph graph;
  std::vector<double> distance;  // from the trunk's foot
  std::uint32_t right = 17, left = 22;

  Fork() {
    std::vector<std::vector<std::uint32_t>> around;
    const auto add = [&](const Vec3& p, int parent) {
      const auto i = static_cast<std::uint32_t>(graph.positions.size());
      graph.positions.push_back(p);
      distance.push_back(parent < 0 ? 0 : distance[static_cast<std::size_t>(parent)] + 1);
      around.emplace_back();
      if (parent >= 0) {
        around[i].push_back(static_cast<std::uint32_t>(parent));
        around[static_cast<std::size_t>(parent)].push_back(i);
      }
      return static_cast<int>(i);
    };
    int last = -1;
    for (int y = 0; y <= 10; ++y) last = add({0, 1.0 * y, 0}, last);
    const int fork = last;
    for (int x = 1; x <= 7; ++x) last = add({1.0 * x, 10, 0}, last);
    last = fork;
    for (int x = 1; x <= 5; ++x) last = add({-1.0 * x, 10, 0}, last);
    graph.neighbours.offsets = {0};
    for (const auto& list : around) {
      graph.neighbours.items.insert(graph.neighbours.items.end(), list.begin(), list.end());
      graph.neighbours.offsets.push_back(static_cast<std::uint32_t>(graph.neighbours.items.size()));
    }
    graph.weights.assign(graph.positions.size(), 1);
    graph.spacing = 1;
    graph.size = 12;
  }
};

TEST(LimbCut, PeaksAreTheTipsWithTheLengthsOfWhatTheyEnd) {
  const Fork body;
  const std::vector<Peak> peaks = find_peaks(join_tree(body.graph, body.distance), body.distance, 1);
  ASSERT_EQ(peaks.size(), 2u);
  EXPECT_EQ(peaks[0].point, body.right);
  EXPECT_EQ(peaks[0].persistence, std::numeric_limits<double>::infinity());
  EXPECT_EQ(peaks[1].point, body.left);
  EXPECT_EQ(peaks[1].persistence, 5);  // back to the fork
  EXPECT_EQ(find_peaks(join_tree(body.graph, body.distance), body.distance, 6).size(), 1u);
}

TEST(LimbCut, LimbsEndWhereTheyMeet) {
  const Fork body;
  const std::vector<std::uint32_t> tips = {body.left, body.right};
  const LimbCut cut = cut_limbs(join_tree(body.graph, body.distance), body.distance, tips);
  for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(cut.seam[k], 10, 1);
  for (std::uint32_t v = 0; v < body.graph.positions.size(); ++v) {
    const double x = body.graph.positions[v].x();
    EXPECT_EQ(cut.limb[v], x < 0 ? 0 : x > 0 ? 1 : -1) << v;
  }
  const auto parts = points_of_parts(cut, farthest_first(body.distance));
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].size(), 11u);
  EXPECT_EQ(parts[1].size(), 5u);
  EXPECT_EQ(parts[2].size(), 7u);
}

TEST(LimbCut, WhatNoOtherTipJoinsIsTheTrunk) {
  const Fork body;
  const std::vector<std::uint32_t> tips = {body.right};
  const LimbCut cut = cut_limbs(join_tree(body.graph, body.distance), body.distance, tips);
  for (const int limb : cut.limb) EXPECT_EQ(limb, -1);
}

TEST(LimbCut, ALevelCurveRunsAlongItsPoints) {
  const Fork body;
  std::vector<std::uint32_t> arm;
  for (const std::uint32_t v : farthest_first(body.distance))
    if (body.graph.positions[v].x() > 0) arm.push_back(v);
  const Curve curve = level_curve(body.graph, body.distance, arm, 11, true);
  ASSERT_GE(curve.points.size(), 2u);
  for (const Vec3& p : curve.points) EXPECT_NEAR(Vec3(0, p.y() - 10, p.z()).norm(), 0, 1e-9);
  for (std::size_t k = 1; k < curve.points.size(); ++k)
    EXPECT_GT(curve.points[k].x(), curve.points[k - 1].x());
  EXPECT_NEAR((curve.points.back() - Vec3(7, 10, 0)).norm(), 0, 1e-9);
  EXPECT_NEAR(curve.length(), curve.points.back().x() - curve.points.front().x(), 1e-9);
}

}  // namespace
}  // namespace sinew::autorig
