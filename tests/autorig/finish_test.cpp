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
    placed.back().present = false;
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

TEST(Finish, BonesThatEndFreeEndInside) {
  const Bar bar;
  // A root in the middle of the bar, a bone to each end (one with a tail given), and one that is not there.
  TemplateData model;
  std::vector<PlacedJoint> placed;
  const auto add = [&](const Vec3& head, int parent, int mirror, std::optional<Vec3> tail,
                       bool present = true) {
    model.joints.emplace_back();
    model.joints.back().parent = parent;
    model.joints.back().mirror = mirror;
    placed.push_back({head, tail, present, 0, false});
  };
  add({5, 0, 0}, -1, -1, {});
  add({8, 0, 0}, 0, 2, {});                // goes on to 11, a length beyond the end at 10
  add({2, 0, 0}, 0, 1, Vec3(-0.5, 0, 0));  // ends at 0
  add({3, 0, 0}, 2, -1, {}, false);
  add({5, 0.1, 0}, 0, -1, Vec3(5, 0.3, 0));  // inside
  const TriangleView cut = triangulate(bar.mesh);
  const WindingNumber winding(MeshView{bar.mesh.positions, cut.triangles});
  std::vector<PlacedJoint> apart = placed, alike = placed;
  pull_tails_inside(inside_by_winding(winding), model, false, apart);
  pull_tails_inside(inside_by_rays(bar.mesh, bar.curves), model, true, alike);
  EXPECT_FALSE(apart[0].tail) << "is no end";
  EXPECT_NEAR(apart[1].tail->x(), 10, 3.0 / 32);
  EXPECT_LT(apart[1].tail->x(), 10);
  EXPECT_NEAR(apart[2].tail->x(), 0, 2.5 / 32);
  EXPECT_GT(apart[2].tail->x(), 0);
  for (const auto& made : {apart, alike}) {
    EXPECT_FALSE(made[3].tail);
    EXPECT_EQ(*made[4].tail, Vec3(5, 0.3, 0));
    for (const std::size_t j : {1, 2}) EXPECT_TRUE(is_inside(winding, *made[j].tail)) << j;
  }
  // Left and right keep the same share of the way.
  EXPECT_NEAR((alike[1].tail->x() - 8) / 3, (2 - alike[2].tail->x()) / 2.5, 1e-12);
}

// Two bones as long as half the bar, each from beside it: cut, they would have no length.
TEST(Finish, TailsOutsideGoToTheCurveWithTheirImages) {
  const Bar bar;
  TemplateData model;
  std::vector<PlacedJoint> placed;
  for (int j = 0; j < 3; ++j) {
    model.joints.emplace_back();
    model.joints.back().mirror = j < 2 ? 1 - j : -1;
  }
  placed.push_back({{6, 0.7, 0}, Vec3(9, 0.7, 0.1), true, 0, false});
  placed.push_back({{4, 0.7, 0}, Vec3(1, 0.7, 0.1), true, 0, false});
  placed.push_back({{5, 0, 0}, Vec3(5, 0.3, 0), true, 0, false});
  const TriangleView cut = triangulate(bar.mesh);
  const WindingNumber winding(MeshView{bar.mesh.positions, cut.triangles});
  const Mirror mirror{Vec3::UnitX(), Vec3(5, 0, 0)};
  for (const bool with_images : {false, true}) {
    std::vector<PlacedJoint> made = placed;
    pull_tails_to_curves(inside_by_winding(winding), bar.curves, model,
                         with_images ? std::optional(mirror) : std::nullopt, made);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_TRUE(is_inside(winding, *made[j].tail)) << j;
      EXPECT_LT((*made[j].tail - *placed[j].tail).norm(), 0.3) << j;
    }
    EXPECT_EQ(*made[2].tail, *placed[2].tail);
    if (with_images) {
      EXPECT_LT((*made[0].tail - mirror(*made[1].tail)).norm(), 1e-12);
    }
  }
}

// Two legs of three joints, left at x = 1: the right knee came out elsewhere.
TEST(Finish, AKneeIsPosedOnlyWhereTheFootIs) {
  const Mirror mirror{Vec3::UnitX(), Vec3::Zero()};
  for (const bool posed : {false, true}) {
    TemplateData model;
    std::vector<PlacedJoint> placed;
    for (const double side : {1.0, -1.0})
      for (int k = 0; k < 3; ++k) {
        TemplateJoint joint;
        joint.parent = k == 0 ? -1 : static_cast<int>(placed.size()) - 1;
        joint.mirror = (static_cast<int>(placed.size()) + 3) % 6;
        joint.anchor.kind = Anchor::Kind::kLimb;
        model.joints.push_back(joint);
        placed.push_back({Vec3(side, -static_cast<double>(k), 0), {}, true, 0, false});
      }
    placed[4].head.z() = 3;
    if (posed) placed[5].head.z() = 4;
    make_symmetric(model, mirror, 10, placed);
    EXPECT_EQ(placed[1].head.z(), posed ? 0 : 1.5);
    EXPECT_EQ(placed[4].head.z(), posed ? 3 : 1.5);
    EXPECT_EQ(placed[3].head, Vec3(-1, 0, 0));
  }
}

}  // namespace
}  // namespace sinew::autorig
