// SPDX-License-Identifier: Apache-2.0
#include "autorig/ring_growth.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

constexpr std::uint32_t kAround = 12, kRowsOfTube = 8;
constexpr int kNoLimit = 100;

std::uint32_t edge_between(const HalfEdges& edges, std::uint32_t from, std::uint32_t to) {
  for (const std::uint32_t h : edges.leaving(from))
    if (edges.target(h) == to) return h;
  return kNone;
}

std::set<std::uint32_t> as_set(std::span<const std::uint32_t> ring) {
  return {ring.begin(), ring.end()};
}

// A tube of quads: vertex v lies on row v / kAround.
struct QuadTube {
  PolyMesh mesh = test::cylinder(1, 7, kAround, kRowsOfTube);
  HalfEdges edges{mesh};

  std::set<std::uint32_t> row(std::uint32_t r) const {
    std::set<std::uint32_t> all;
    for (std::uint32_t k = 0; k < kAround; ++k) all.insert(r * kAround + k);
    return all;
  }
  // Around row r, with the next row on its left.
  Front front(RingGrowth& growth, std::uint32_t r) const {
    std::uint32_t h = edge_between(edges, r * kAround, r * kAround + 1);
    if (h == kNone) h = edge_between(edges, r * kAround + 1, r * kAround);
    Front found{growth.straight_loop(h, [](std::uint32_t) { return true; }), true};
    const std::uint32_t left = edges.target(edges.next(found.edges[0]));
    return left / kAround == r + 1 ? found : growth.turned(found);
  }
};

TEST(RingGrowth, ARowOfATubeClosesAndOneAlongItDoesNot) {
  const QuadTube tube;
  RingGrowth growth(tube.edges);
  const auto any = [](std::uint32_t) { return true; };
  for (std::uint32_t h = 0; h < tube.edges.size(); ++h) {
    const std::uint32_t from = tube.edges.origin(h) / kAround, to = tube.edges.target(h) / kAround;
    const std::vector<std::uint32_t> loop = growth.straight_loop(h, any);
    if (from != to) {
      EXPECT_TRUE(loop.empty());
      continue;
    }
    std::set<std::uint32_t> seen;
    for (const std::uint32_t g : loop) seen.insert(tube.edges.origin(g));
    EXPECT_EQ(seen, tube.row(from));
  }
  growth.claim(3 * kAround, 1);
  const std::uint32_t h = tube.front(growth, 2).edges[0];
  EXPECT_FALSE(growth.straight_loop(h, any).empty());
  EXPECT_TRUE(growth.straight_loop(h, [&](std::uint32_t v) { return v != 2 * kAround; }).empty());
}

TEST(RingGrowth, AFrontMovesUpATubeRowByRowToItsEnd) {
  const QuadTube tube;
  RingGrowth growth(tube.edges);
  Front front = tube.front(growth, 0);
  for (std::uint32_t r = 1; r < kRowsOfTube; ++r) {
    std::vector<std::uint32_t> ring;
    Front next;
    const RingGrowth::Step step = growth.advance(front, 7, kNoLimit, ring, next);
    EXPECT_TRUE(step.whole);
    EXPECT_EQ(step.opening, 0);
    EXPECT_EQ(as_set(ring), tube.row(r));
    for (const std::uint32_t v : ring) EXPECT_EQ(growth.owner(v), 7u);
    EXPECT_EQ(next.edges.empty(), r + 1 == kRowsOfTube) << "the last row has nothing on its left";
    front = next;
  }
}

TEST(RingGrowth, WhatIsTakenBlocks) {
  const QuadTube tube;
  RingGrowth growth(tube.edges);
  const Front front = tube.front(growth, 2);
  growth.claim(3 * kAround + 4, 9);
  std::vector<std::uint32_t> ring;
  Front next;
  EXPECT_FALSE(growth.advance(front, 7, kNoLimit, ring, next).whole);
  ASSERT_EQ(growth.blockers().size(), 1u);
  EXPECT_EQ(growth.blockers()[0], 3 * kAround + 4);
  EXPECT_TRUE(growth.is_free(3 * kAround)) << "nothing of a row that is not whole is claimed";
  const std::uint32_t released[] = {3 * kAround + 4};
  growth.release(released);
  EXPECT_TRUE(growth.advance(front, 7, kNoLimit, ring, next).whole);
}

// In a plane a front around one vertex turns outward at four corners, and every ring is eight vertices longer.
TEST(RingGrowth, AFrontInAPlaneOpensByFour) {
  constexpr int kCells = 8;
  const PolyMesh plane = test::grid(kCells, kCells, kCells, kCells);
  const HalfEdges edges(plane);
  const auto at = [&](int x, int y) {
    for (std::uint32_t v = 0; v < plane.vertex_count(); ++v)
      if ((plane.positions[v] - Vec3(x, y, 0)).norm() < 1e-9) return v;
    return kNone;
  };
  const std::pair<int, int> way[] = {{3, 3}, {4, 3}, {5, 3}, {5, 4}, {5, 5}, {4, 5}, {3, 5}, {3, 4}};
  Front inside{{}, true};  // counter-clockwise: the middle is on its left
  for (std::size_t k = 0; k < 8; ++k) {
    const auto &a = way[k], &b = way[(k + 1) % 8];
    inside.edges.push_back(edge_between(edges, at(a.first, a.second), at(b.first, b.second)));
    ASSERT_NE(inside.edges.back(), kNone);
  }
  RingGrowth growth(edges);
  const Front outside = growth.turned(inside);
  EXPECT_EQ(growth.turned(outside).edges, inside.edges);
  std::vector<std::uint32_t> ring;
  Front next;
  EXPECT_FALSE(growth.advance(outside, 1, 4, ring, next).whole) << "that is no limb any more";
  RingGrowth::Step step = growth.advance(outside, 1, kNoLimit, ring, next);
  EXPECT_TRUE(step.whole);
  EXPECT_EQ(step.opening, 4);
  EXPECT_EQ(ring.size(), 16u);
  for (const std::uint32_t v : ring)
    EXPECT_NEAR((plane.positions[v] - Vec3(4, 4, 0)).lpNorm<Eigen::Infinity>(), 2, 1e-9);
  step = growth.advance(next, 1, kNoLimit, ring, next);
  EXPECT_EQ(step.opening, 4);
  EXPECT_EQ(ring.size(), 24u);
}

TEST(RingGrowth, ACurveRunsStraightToBothBordersOrCloses) {
  const PolyMesh plane = test::grid(5, 3);
  const HalfEdges edges(plane);
  std::vector<std::uint32_t> ring;
  int across = 0;
  for (std::uint32_t h = 0; h < edges.size(); ++h) {
    const Vec3 &a = plane.positions[edges.origin(h)], &b = plane.positions[edges.target(h)];
    if (edges.twin(h) == kNone) continue;
    RingGrowth growth(edges);
    const Front run = growth.run_along(h, 1);
    growth.vertices_of(run, ring);
    EXPECT_FALSE(run.closed);
    EXPECT_EQ(ring.size(), std::abs(a.y() - b.y()) < 1e-9 ? 6u : 4u);
    ++across;
  }
  EXPECT_GT(across, 0);
  const QuadTube tube;
  RingGrowth growth(tube.edges);
  const Front run = growth.run_along(edge_between(tube.edges, 3 * kAround, 3 * kAround + 1), 1);
  growth.vertices_of(run, ring);
  EXPECT_TRUE(run.closed);
  EXPECT_EQ(as_set(ring), tube.row(3));
}

// Past a limb that is taken, the row of a body goes on in pieces.
TEST(RingGrowth, AnOpenFrontLeavesOutWhatIsTaken) {
  const QuadTube tube;
  RingGrowth growth(tube.edges);
  const Front front = tube.front(growth, 2);
  growth.claim(3 * kAround + 4, 9);
  growth.claim(3 * kAround + 5, 9);
  std::vector<Front> next;
  RingList rings;
  growth.advance_open(front, 7, next, rings, 5);
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_FALSE(rings.closed[0]);
  EXPECT_EQ(rings.level[0], 5u);
  std::set<std::uint32_t> left = tube.row(3);
  left.erase(3 * kAround + 4);
  left.erase(3 * kAround + 5);
  EXPECT_EQ(as_set(rings.ring(0)), left);
  rings.drop_last();
  EXPECT_EQ(rings.size(), 0u);
  EXPECT_TRUE(rings.vertices.empty());
}

}  // namespace
}  // namespace sinew::autorig
