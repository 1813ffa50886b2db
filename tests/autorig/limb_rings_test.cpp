// SPDX-License-Identifier: Apache-2.0
#include "autorig/limb_rings.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/cell_body.h"

namespace sinew::autorig {
namespace {

constexpr int kBodyHalf = 3, kLimbEnd = 14;  // of the body in the middle, and how far from it limbs end

// A cube of six cells with a limb of two by two cells to the right and one to the left.
PolyMesh two_limbs() {
  test::CellBody body;
  body.fill({-kBodyHalf, -kBodyHalf, -kBodyHalf}, {kBodyHalf, kBodyHalf, kBodyHalf});
  body.fill({kBodyHalf, -1, -1}, {kLimbEnd, 1, 1}).fill({-kLimbEnd, -1, -1}, {-kBodyHalf, 1, 1});
  return body.mesh();
}

TEST(LimbRings, EndWhereALimbLeavesTheBody) {
  const PolyMesh mesh = two_limbs();
  const HalfEdges edges(mesh);
  LimbRings rings(mesh, edges);
  rings.find({});
  ASSERT_EQ(rings.limbs().size(), 2u);
  double sides = 0;
  for (const FoundLimb& limb : rings.limbs()) {
    EXPECT_TRUE(limb.seam);
    const double side = mesh.positions[limb.tip].x() > 0 ? 1 : -1;
    sides += side;
    EXPECT_EQ(mesh.positions[limb.tip].x(), side * kLimbEnd);
    int next = kLimbEnd;  // from the tip on, each row of eight in turn, the one at the body too
    for (std::size_t r = 0; r < limb.rings.size(); ++r) {
      if (!limb.rings.closed[r]) continue;
      EXPECT_EQ(limb.rings.ring(r).size(), 8u);
      for (const std::uint32_t v : limb.rings.ring(r))
        EXPECT_EQ(mesh.positions[v].x(), side * next) << "row " << r;
      --next;
    }
    EXPECT_EQ(next, kBodyHalf - 1);
  }
  EXPECT_EQ(sides, 0);
}

TEST(LimbRings, HoldEveryVertexOnce) {
  const PolyMesh mesh = two_limbs();
  const HalfEdges edges(mesh);
  LimbRings rings(mesh, edges);
  rings.find({});
  std::vector<int> seen(mesh.vertex_count(), 0);
  const auto count = [&](const RingList& list) {
    for (const std::uint32_t v : list.vertices) ++seen[v];
  };
  for (const FoundLimb& limb : rings.limbs()) count(limb.rings);
  for (const RingList& part : rings.parts()) count(part);
  for (std::size_t v = 0; v < seen.size(); ++v) EXPECT_EQ(seen[v], 1) << mesh.positions[v].transpose();
}

// A thumb beside a limb's way: the limb's rows end where the two part, and both have rings of their own.
TEST(LimbRings, OfAForkEndBeforeIt) {
  test::CellBody body;
  body.fill({-6, -3, -3}, {3, 3, 3}).fill({3, -1, -1}, {21, 1, 1}).fill({11, 1, -1}, {13, 13, 1});
  const PolyMesh mesh = body.mesh();
  const HalfEdges edges(mesh);
  LimbRings rings(mesh, edges);
  rings.find({});
  bool along = false, aside = false;
  for (const FoundLimb& limb : rings.limbs()) {
    if (limb.tip == kNone) continue;
    const Vec3& tip = mesh.positions[limb.tip];
    for (std::size_t r = 0; r < limb.rings.size(); ++r) {
      if (!limb.rings.closed[r]) continue;
      for (const std::uint32_t v : limb.rings.ring(r)) {
        const Vec3& p = mesh.positions[v];
        EXPECT_TRUE(tip.x() != 21 || p.x() >= 13) << "a ring of the limb's end runs around it alone";
        EXPECT_TRUE(tip.y() != 13 || p.y() >= 1);
      }
    }
    along = along || tip.x() == 21;
    aside = aside || tip.y() == 13;
  }
  EXPECT_TRUE(along && aside);
}

}  // namespace
}  // namespace sinew::autorig
