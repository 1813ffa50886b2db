// SPDX-License-Identifier: Apache-2.0
#include "autorig/finish.h"

#include <gtest/gtest.h>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

// A flat bar along x, its curve, and joints in it, beside it and behind its end.
struct Bar {
  PolyMesh mesh = test::capped_cylinder(1, 10, 24, 40);
  std::vector<Curve> curves;
  std::vector<PlacedJoint> placed;
  Bar() {
    for (Vec3& p : mesh.positions) p.y() *= 0.6;
    Curve curve;
    for (int k = 0; k <= 20; ++k) {
      curve.points.push_back({0.25 + 0.475 * k, 0, 0});
      curve.radii.push_back(0.7);
      curve.levels.push_back(0.475 * k);
    }
    curve.measure();
    curves = {{}, curve};
    for (const Vec3& p :
         {Vec3(3, 0.1, 0.8), Vec3(5, 0.8, 0.1), Vec3(2, 0.5, 3), Vec3(11, 0.05, 0.07), Vec3(7, 4, 0)})
      placed.push_back({p, {}, true, 0, false});
    placed.back().there = false;
  }
};

TEST(Finish, JointsOutsideArePulledInsideAndOthersStay) {
  const Bar bar;
  const TriangleView cut = triangulate(bar.mesh);
  const WindingNumber winding(MeshView{bar.mesh.positions, cut.triangles});
  std::vector<PlacedJoint> by_winding = bar.placed, by_rays = bar.placed;
  pull_inside(inside_by_winding(winding), bar.curves, by_winding);
  pull_inside(inside_by_rays(bar.mesh, bar.curves), bar.curves, by_rays);
  for (const auto& placed : {by_winding, by_rays}) {
    EXPECT_EQ(placed[0].head, bar.placed[0].head);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_TRUE(is_inside(winding, placed[j].head)) << j;
    EXPECT_EQ(placed[4].head, bar.placed[4].head) << "is not there";
  }
  // Not all the way: the first that is inside, and one step.
  EXPECT_NEAR(by_winding[1].head.y(), 0.6 - 0.8 / 32, 0.8 / 32);
}

TEST(Finish, AJointStaysWhereNoCurveIsInside) {
  Bar bar;
  for (Vec3& p : bar.curves[1].points) p.y() += 3;
  const std::vector<PlacedJoint> before = bar.placed;
  const TriangleView cut = triangulate(bar.mesh);
  const WindingNumber winding(MeshView{bar.mesh.positions, cut.triangles});
  pull_inside(inside_by_winding(winding), bar.curves, bar.placed);
  for (std::size_t j = 0; j < before.size(); ++j) EXPECT_EQ(bar.placed[j].head, before[j].head) << j;
}

}  // namespace
}  // namespace sinew::autorig
