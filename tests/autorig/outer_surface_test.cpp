// SPDX-License-Identifier: Apache-2.0
#include "autorig/outer_surface.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "autorig/body_graph.h"
#include "sinew/core/disjoint_sets.h"
#include "sinew/mesh/topology.h"
#include "support/shapes.h"

namespace sinew::autorig {
namespace {

struct Cut {
  PolyMesh mesh;
  std::vector<Triangle> triangles;
  explicit Cut(PolyMesh given) : mesh(std::move(given)), triangles(triangulate(mesh).triangles) {}
  MeshView view() const { return {mesh.positions, triangles}; }
};

double area(const Cut& of, const std::vector<Triangle>& triangles) {
  double sum = 0;
  for (const Triangle& t : triangles) {
    const Vec3 &a = of.mesh.positions[t[0]], &b = of.mesh.positions[t[1]], &c = of.mesh.positions[t[2]];
    sum += (b - a).cross(c - a).norm() / 2;
  }
  return sum;
}

TEST(OuterSurface, WhatIsInsideOfAnotherPieceGoesAndTheRestStays) {
  const Cut cut(test::joined({test::box({0, 0, 0}, {4, 4, 4}, 16), test::box({1, 1, 1}, {2, 2, 2}, 4),
                              test::box({3, 1, 1}, {6, 2, 2}, 12)}));
  std::vector<Triangle> seen = cut.triangles;
  drop_hidden_triangles(WindingNumber(cut.view()), 0.01, cut.mesh.positions, seen);
  // The large box less where the small one leaves it, and of that 2 of its length of 3 and one lid.
  EXPECT_NEAR(area(cut, seen), 96 - 1 + 8 + 1, 1e-9);
}

TEST(OuterSurface, PiecesAreJoinedWhereTheyTouchAndWhereTheyComeNearest) {
  const Cut cut(test::joined({test::box({0, 0, 0}, {1, 1, 1}, 4), test::box({1.03, 0, 0}, {2, 1, 1}, 4),
                              test::box({5, 0, 0}, {6, 1, 1}, 4)}));
  const auto pairs = piece_contacts(cut.mesh.positions, cut.triangles, 0.2, 1);
  int touching = 0, far = 0;
  for (const auto& [a, b] : pairs) {
    const double length = (cut.mesh.positions[a] - cut.mesh.positions[b]).norm();
    (length < 0.2 ? touching : far) += 1;
    if (length > 0.2) {
      EXPECT_NEAR(length, 3, 0.2);
    }
  }
  EXPECT_GE(touching, 25) << "all points of the side that is near";
  EXPECT_EQ(far, 1);
}

// Three tubes in a row that overlap: the way along all is as long as the row.
TEST(OuterSurface, WaysLeadFromPieceToPiece) {
  const Cut cut(
      test::joined({test::capsule({0, 0, 0}, {0, 0, 4}, 0.3), test::capsule({0, 0, 3.8}, {0, 0, 8}, 0.25),
                    test::capsule({0, 0, 7.8}, {0, 0, 12}, 0.2)}));
  const auto graph = surface_graph(cut.view());
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto lower = [](const Vec3& a, const Vec3& b) { return a.z() < b.z(); };
  const auto first = std::min_element(graph->positions.begin(), graph->positions.end(), lower);
  const auto last = std::max_element(graph->positions.begin(), graph->positions.end(), lower);
  const std::vector<double> distance =
      graph->distances(static_cast<std::uint32_t>(first - graph->positions.begin()));
  EXPECT_NEAR(last->z() - first->z(), 12.5, 0.05);
  EXPECT_NEAR(distance[static_cast<std::size_t>(last - graph->positions.begin())], 12.5 + 0.3, 0.5);
  EXPECT_TRUE(std::all_of(distance.begin(), distance.end(), [](double d) { return std::isfinite(d); }));
}

// Long strips through one cube, dozens of which lie near every point: ways round all of their contacts take minutes to
// search for.
TEST(OuterSurface, ASoupOfPiecesHasFewContactsAtAPoint) {
  constexpr std::uint32_t kPieces = 700, kLength = 44;
  std::mt19937 random(3);
  const auto unit = [&] { return static_cast<double>(random()) / 4294967296.0; };
  std::vector<Vec3> positions;
  std::vector<Triangle> triangles;
  for (std::uint32_t s = 0; s < kPieces; ++s) {
    const Vec3 from(unit(), unit(), unit()), to(unit(), unit(), unit());
    for (std::uint32_t k = 0; k < kLength; ++k) {
      const auto at = static_cast<std::uint32_t>(positions.size());
      positions.push_back(from + (to - from) * k / kLength + 0.01 * Vec3(k % 2, 0, 0));
      if (k >= 2) triangles.push_back({at - 2, at - 1, at});
    }
  }
  const auto pairs = piece_contacts(positions, triangles, 0.12, 0.2);
  EXPECT_LE(pairs.size(), 8 * positions.size());
  DisjointSets together(kPieces);
  for (const auto& [v, w] : pairs) together.join(v / kLength, w / kLength);
  for (std::uint32_t s = 0; s < kPieces; ++s) EXPECT_EQ(together.find(s), together.find(0)) << s;
}

}  // namespace
}  // namespace sinew::autorig
