// SPDX-License-Identifier: Apache-2.0
// Where the rings of a limb begin (src/autorig/first_ring.cpp), seen by what LimbRings makes of named tips.
#include <gtest/gtest.h>

#include <set>

#include "autorig/limb_rings.h"
#include "support/cell_body.h"
#include "support/shapes.h"

namespace sinew::autorig {
namespace {

std::uint32_t vertex_at(const PolyMesh& mesh, const Vec3& place) {
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v)
    if ((mesh.positions[v] - place).norm() < 1e-9) return v;
  return kNone;
}

// Rows along a beam close as well, over its end and back: they do not part the end from the rest.
TEST(FirstRing, RunsAroundALimbAndNotOverItsEnd) {
  for (const int wide : {2, 4}) {
    test::CellBody body;
    const int half = wide / 2;
    body.fill({-8, -4, -4}, {0, 4, 4}).fill({0, -half, -half}, {16, half, half});
    const PolyMesh mesh = body.mesh();
    const HalfEdges edges(mesh);
    LimbRings rings(mesh, edges);
    const std::uint32_t tips[] = {vertex_at(mesh, {16, 0, 0}), vertex_at(mesh, {-8, 0, 0})};
    rings.find(tips);
    bool seen = false;
    for (const FoundLimb& limb : rings.limbs()) {
      if (limb.tip != tips[0]) continue;
      seen = true;
      std::set<double> rows;
      for (std::size_t r = 0; r < limb.rings.size(); ++r) {
        if (!limb.rings.closed[r] || mesh.positions[limb.rings.ring(r)[0]].x() == 16) continue;
        const double x = mesh.positions[limb.rings.ring(r)[0]].x();
        for (const std::uint32_t v : limb.rings.ring(r)) EXPECT_EQ(mesh.positions[v].x(), x);
        EXPECT_EQ(limb.rings.ring(r).size(), static_cast<std::size_t>(4 * wide));
        rows.insert(x);
      }
      EXPECT_GE(rows.size(), 15u);
    }
    EXPECT_TRUE(seen) << wide;
  }
}

TEST(FirstRing, OfAnOpenEndIsItsBorder) {
  constexpr std::uint32_t kRound = 10, kRings = 21;
  const PolyMesh tube = test::cylinder(1, 20, kRound, kRings);
  const HalfEdges edges(tube);
  LimbRings rings(tube, edges);
  const std::uint32_t tips[] = {0, kRound * (kRings - 1)};
  rings.find(tips);
  ASSERT_EQ(rings.limbs().size(), 2u);
  for (const FoundLimb& limb : rings.limbs()) {
    ASSERT_GT(limb.rings.size(), 0u);
    EXPECT_TRUE(limb.rings.closed[0]);
    for (const std::uint32_t v : limb.rings.ring(0)) EXPECT_EQ(v / kRound, limb.tip / kRound);
    EXPECT_EQ(limb.rings.ring(0).size(), kRound);
  }
}

}  // namespace
}  // namespace sinew::autorig
