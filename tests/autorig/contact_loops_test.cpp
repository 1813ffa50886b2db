// SPDX-License-Identifier: Apache-2.0
#include "autorig/contact_loops.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "autorig/body_graph.h"
#include "support/shapes.h"

namespace sinew::autorig {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Two rows of points, 0 .. 9 along y = 0 and 10 .. 19 along y = 1.
struct Ladder {
  std::vector<Vec3> positions;
  IndexLists neighbours;
  std::vector<std::uint32_t> piece;
  Ladder() {
    neighbours.offsets.push_back(0);
    for (std::uint32_t row = 0; row < 2; ++row)
      for (std::uint32_t k = 0; k < 10; ++k) {
        positions.push_back(Vec3(k, row, 0));
        piece.push_back(row);
        if (k > 0) neighbours.items.push_back(10 * row + k - 1);
        if (k < 9) neighbours.items.push_back(10 * row + k + 1);
        neighbours.offsets.push_back(static_cast<std::uint32_t>(neighbours.items.size()));
      }
  }
  Pairs kept(const Pairs& pairs, double loop) const {
    return without_contact_loops(positions, neighbours, piece, pairs, loop);
  }
};

TEST(ContactLoops, OfTwoContactsFarApartTheStrongerStays) {
  const Ladder ladder;
  // From 9 to 19 it is 7 + 1 + 7 over the nearest rung of the others.
  const Pairs strong = {{0, 10}, {1, 11}, {2, 12}}, both = {{9, 19}, {0, 10}, {1, 11}, {2, 12}};
  EXPECT_EQ(ladder.kept(both, 14.9), strong);
  EXPECT_EQ(ladder.kept(both, 15.1), both);
  EXPECT_EQ(ladder.kept({{9, 19}}, 0), (Pairs{{9, 19}})) << "what hangs together by it stays";
}

TEST(ContactLoops, ALimbHangsWhereItIsNearestToTheMiddleOfTheLargerPiece) {
  Ladder ladder;  // the upper row has three points more, which put its middle at 3.5
  for (const double x : {0.4, 0.5, 0.6}) {
    ladder.positions.push_back(Vec3(x, 1, 0));
    ladder.piece.push_back(1);
    ladder.neighbours.items.push_back(10);
    ladder.neighbours.offsets.push_back(static_cast<std::uint32_t>(ladder.neighbours.items.size()));
  }
  const Pairs both = {{2, 12}, {8, 18}, {9, 19}};
  EXPECT_EQ(ladder.kept(both, 1), (Pairs{{2, 12}})) << "not the one that has more pairs";
}

TEST(ContactLoops, LegsSideBySideHangOnTheBodyAndNotOnEachOther) {
  Ladder ladder;  // two legs, and a body of 12 points at their ends x = 0
  const auto first = static_cast<std::uint32_t>(ladder.positions.size());
  for (std::uint32_t k = 0; k < 12; ++k) {
    ladder.positions.push_back(Vec3(-1, k / 12.0, 0));
    ladder.piece.push_back(2);
    if (k > 0) ladder.neighbours.items.push_back(first + k - 1);
    if (k < 11) ladder.neighbours.items.push_back(first + k + 1);
    ladder.neighbours.offsets.push_back(static_cast<std::uint32_t>(ladder.neighbours.items.size()));
  }
  const Pairs all = {{5, 15}, {6, 16}, {7, 17}, {8, 18}, {9, 19}, {0, first}, {10, first + 11}};
  EXPECT_EQ(ladder.kept(all, 10), (Pairs{{0, first}, {10, first + 11}}));
}

// A torso, and an arm that leaves it at the top and whose hand touches the hip.
TEST(ContactLoops, AHandAtTheHipIsAsFarFromItAsTheArmIsLong) {
  const PolyMesh mesh =
      test::joined({test::capsule({0, 0, 0}, {0, 4, 0}, 0.5), test::capsule({0.2, 3.8, 0}, {2, 2.6, 0}, 0.25),
                    test::capsule({2, 2.6, 0}, {0.71, 0.6, 0}, 0.22)});
  const TriangleView cut = triangulate(mesh);
  const auto graph = surface_graph({mesh.positions, cut.triangles});
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const auto nearest = [&](const Vec3& p) {
    const auto nearer = [&](const Vec3& a, const Vec3& b) { return (a - p).norm() < (b - p).norm(); };
    return static_cast<std::uint32_t>(
        std::min_element(graph->positions.begin(), graph->positions.end(), nearer) -
        graph->positions.begin());
  };
  const std::uint32_t hip = nearest({-0.5, 0.4, 0}), hand = nearest({0.8, 0.42, 0}),
                      head = nearest({0, 4.5, 0});
  EXPECT_GT(graph->distances(hip)[hand], 5) << "1.5 across the contact";
  EXPECT_NEAR(graph->distances(head)[hand], 5, 0.8) << "about 0.7 + 1.9 + 2.4";
}

}  // namespace
}  // namespace sinew::autorig
