// SPDX-License-Identifier: Apache-2.0
#include "autorig/ring_graph.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autorig/body_map.h"
#include "autorig/quad_rings.h"
#include "support/shapes.h"

namespace sinew::autorig {
namespace {

Result<BodyGraph> tree_of(const PolyMesh& mesh) {
  const auto rings = quad_rings(mesh);
  if (!rings) return rings.error();
  return ring_graph(mesh, rings->curves, mesh.positions, rings->same);
}

TEST(RingGraph, ATubeIsTheChainOfItsRingCentres) {
  const PolyMesh tube = test::capped_cylinder(1, 12, 16, 31);
  const auto tree = tree_of(tube);
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  std::size_t ends = 0;
  for (std::size_t v = 0; v < tree->positions.size(); ++v) {
    EXPECT_LT(tree->positions[v].tail<2>().norm(), 1e-9) << "on the axis";
    ends += tree->neighbours[v].size() == 1;
  }
  EXPECT_EQ(ends, 2u);
  EXPECT_EQ(tree->neighbours.items.size(), 2 * (tree->positions.size() - 1)) << "a tree";
  const auto body = map_body(*tree, nullptr);
  ASSERT_TRUE(body.ok());
  ASSERT_EQ(body->major.size(), 2u);
  EXPECT_NEAR(body->diameter, 12, 1e-6);
}

TEST(RingGraph, FollowsTheMeshIntoAnotherPose) {
  const PolyMesh tube = test::capped_cylinder(1, 20, 16, 81);
  const auto rings = quad_rings(tube);
  ASSERT_TRUE(rings.ok());
  std::vector<Vec3> bent = tube.positions;  // by 90 degrees about x = 8
  for (Vec3& p : bent)
    if (p.x() > 8) p = Vec3(8 - p.y(), p.x() - 8, p.z());
  const auto tree = ring_graph(tube, rings->curves, bent, rings->same);
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  const auto body = map_body(*tree, nullptr);
  ASSERT_TRUE(body.ok());
  const std::size_t other[] = {1};
  const auto bends = bends_of(take_apart(*body, 0, other).trunk);
  ASSERT_EQ(bends.size(), 1u);
  EXPECT_NEAR(bends[0].degrees, 90, 10);
  const double from_end = std::min(bends[0].s, 20 - bends[0].s);
  EXPECT_NEAR(from_end, 8, 0.5);  // two rings
}

TEST(RingGraph, TheSmallRingOfAToeIsNoRingOfItsLimb) {
  const PolyMesh tube = test::capped_cylinder(1, 20, 16, 81);
  const auto rings = quad_rings(tube);
  ASSERT_TRUE(rings.ok());
  std::vector<Vec3> posed = tube.positions;
  for (std::size_t k = 0; k < 16; ++k)  // the 31st row of the tube
    posed[30 * 16 + k] = tube.positions[30 * 16 + k].cwiseProduct(Vec3(1, 0.2, 0.2)) + Vec3(0, 0.8, 0);
  const auto tree = ring_graph(tube, rings->curves, posed, rings->same);
  ASSERT_TRUE(tree.ok()) << tree.error().message;
  for (const Vec3& p : tree->positions) EXPECT_LT(p.tail<2>().norm(), 1e-9) << p.transpose();
}

TEST(RingGraph, TextureSeamsDoNotCutTheTree) {
  const PolyMesh tube = test::capped_cylinder(1, 12, 16, 31);
  const auto whole = tree_of(tube), torn = tree_of(test::soup(tube));
  ASSERT_TRUE(whole.ok());
  ASSERT_TRUE(torn.ok()) << torn.error().message;
  EXPECT_EQ(whole->positions.size(), torn->positions.size());
}

TEST(RingGraph, PiecesThatSpanNothingAreRefused) {
  const PolyMesh two =
      test::joined({test::capped_cylinder(1, 12, 16, 31), test::box({20, 0, 0}, {30, 1, 1})});
  const auto tree = tree_of(two);
  ASSERT_FALSE(tree.ok());
  EXPECT_EQ(tree.error().code, ErrorCode::kImpossible);
  EXPECT_FALSE(tree.error().message.empty());
}

}  // namespace
}  // namespace sinew::autorig
