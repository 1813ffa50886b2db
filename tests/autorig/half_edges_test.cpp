// SPDX-License-Identifier: Apache-2.0
#include "autorig/half_edges.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

TEST(HalfEdges, OfAClosedSurfaceHaveTwinsThatRunBack) {
  const PolyMesh mesh = test::box({0, 0, 0}, {1, 1, 1}, 4);
  const HalfEdges edges(mesh);
  ASSERT_EQ(edges.size(), 4 * mesh.face_count());
  for (std::uint32_t h = 0; h < edges.size(); ++h) {
    const std::uint32_t twin = edges.twin(h);
    ASSERT_NE(twin, kNone);
    EXPECT_EQ(edges.twin(twin), h);
    EXPECT_EQ(edges.origin(twin), edges.target(h));
    EXPECT_EQ(edges.next(edges.next(edges.next(edges.next(h)))), h);
  }
  int corners = 0;
  for (std::uint32_t v = 0; v < edges.vertex_count(); ++v) corners += edges.valence(v) == 3;
  EXPECT_EQ(corners, 8);
}

TEST(HalfEdges, StraightOnRunsAroundATube) {
  const PolyMesh mesh = test::cylinder(1, 3, 12, 6);
  const HalfEdges edges(mesh);
  int loops = 0;
  for (std::uint32_t h = 0; h < edges.size(); ++h) {
    const double along = mesh.positions[edges.target(h)].x() - mesh.positions[edges.origin(h)].x();
    if (std::abs(along) > 1e-9 || edges.twin(h) == kNone) continue;
    std::uint32_t g = h;
    for (int k = 0; k < 12; ++k) g = edges.straight(g);
    EXPECT_EQ(g, h);
    ++loops;
  }
  EXPECT_GT(loops, 0);
}

TEST(HalfEdges, NeighboursAreTheVerticesAtTheOtherEndsOfEdges) {
  const PolyMesh mesh = test::grid(3, 3);
  const HalfEdges edges(mesh);
  std::multiset<std::size_t> counts;
  for (std::uint32_t v = 0; v < edges.vertex_count(); ++v) {
    std::set<std::uint32_t> near;
    edges.for_each_neighbour(v, [&](std::uint32_t w) { near.insert(w); });
    counts.insert(near.size());
  }
  EXPECT_EQ(counts.count(2), 4u) << "corners";
  EXPECT_EQ(counts.count(3), 8u) << "borders";
  EXPECT_EQ(counts.count(4), 4u) << "inside";
}

}  // namespace
}  // namespace sinew::autorig
