// SPDX-License-Identifier: Apache-2.0
#include "autorig/props.h"

#include <gtest/gtest.h>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

std::vector<Triangle> body_of(const PolyMesh& mesh) {
  const TriangleView cut = triangulate(mesh);
  return without_props({mesh.positions, cut.triangles});
}

PolyMesh figure(const Vec3& right_hand) {
  return test::joined({test::capsule({0, 0, 0}, {0, 3, 0}, 0.5),
                       test::capsule({0.3, 2.5, 0}, {2, 2.5, 0}, 0.2),
                       test::capsule({-0.3, 2.5, 0}, right_hand, 0.2)});
}

TEST(Props, ASwordInOneHandGoesAndTheBodyStays) {
  const PolyMesh bare = figure({-2, 2.5, 0});
  const PolyMesh sword = test::box({1.9, 2.4, 0}, {2.1, 2.6, 2.5}, 4);
  EXPECT_EQ(body_of(test::joined({bare, sword})).size(), triangulate(bare).triangles.size());
  EXPECT_EQ(body_of(bare).size(), triangulate(bare).triangles.size());
}

TEST(Props, BladesOnBothSidesGo) {
  const PolyMesh bare = figure({-2, 2.5, 0});
  const PolyMesh swords = test::joined({bare, test::box({1.9, 2.47, 0.1}, {2.1, 2.53, 2.5}, 4),
                                        test::box({-2.1, 2.47, 0.1}, {-1.9, 2.53, 2.5}, 4)});
  EXPECT_EQ(body_of(swords).size(), triangulate(bare).triangles.size());
}

TEST(Props, SmallPiecesGoWhereThatIsAskedFor) {
  const PolyMesh bare = figure({-2, 2.5, 0});
  const PolyMesh hilts = test::joined({bare, test::box({1.8, 2.2, 0.1}, {2.2, 2.5, 0.4}, 2),
                                       test::box({-2.2, 2.2, 0.1}, {-1.8, 2.5, 0.4}, 2)});
  const TriangleView cut = triangulate(hilts);
  const MeshView view{hilts.positions, cut.triangles};
  // Each has an area of 0.66, all of it about 17.4.
  EXPECT_EQ(without_props(view, 0.03).size(), cut.triangles.size());
  EXPECT_EQ(without_props(view, 0.045).size(), triangulate(bare).triangles.size());
}

TEST(Props, AnArmInAnotherPoseStays) {
  const PolyMesh raised = figure({-1.9, 2.9, 0});
  EXPECT_EQ(body_of(raised).size(), triangulate(raised).triangles.size());
}

// Turned by 40 degrees no plane across x or z has an image of the body.
TEST(Props, BladesGoFromBodiesThatFaceAnywhere) {
  const PolyMesh bare = figure({-2, 2.5, 0});
  Affine3 turned = Affine3::Identity();
  turned.rotate(Eigen::AngleAxisd(0.7, Vec3::UnitY()));
  const PolyMesh armed = test::joined({bare, test::box({1.9, 2.47, 0.1}, {2.1, 2.53, 2.5}, 4)});
  EXPECT_EQ(body_of(test::transformed(armed, turned)).size(), triangulate(bare).triangles.size());
}

TEST(Props, WhereNothingHasAnImageAllStays) {
  const PolyMesh odd =
      test::joined({test::capsule({0, 0, 0}, {3, 1, 0.5}, 0.3), test::capsule({2, 2, 2}, {3, 4, 2.5}, 0.2)});
  EXPECT_EQ(body_of(odd).size(), triangulate(odd).triangles.size());
}

}  // namespace
}  // namespace sinew::autorig
