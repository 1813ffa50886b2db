// SPDX-License-Identifier: Apache-2.0
#include "autorig/joint_centres.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

// A limb of two bones along x, ten long, with a hinge about z at x = 5.
struct Limb {
  TemplateData model;
  Match match;
  std::vector<PlacedJoint> placed;
  PolyMesh tube = test::cylinder(1, 10, 16, 81);

  explicit Limb(const Vec3& guess) {
    Curve curve;
    for (const double x : {0.0, 5.0, 10.0}) curve.points.push_back({x, 0, 0}), curve.radii.push_back(1);
    curve.measure();
    model.parts.limbs.resize(1);
    model.parts.limbs[0].curve = curve;
    for (const double s : {0.0, 4.0}) {
      TemplateJoint joint;
      joint.parent = s > 0 ? 0 : -1;
      joint.anchor.kind = Anchor::Kind::kLimb;
      joint.anchor.s = s;
      model.joints.push_back(joint);
    }
    match.model = &model;
    match.parts = model.parts;
    placed.resize(2);
    placed[1].head = guess;
    placed[1].tail = Vec3(10, 0, 0);
  }

  std::vector<Vec3> bent(double degrees) const {
    const Mat3 turn = Eigen::AngleAxisd(degrees * M_PI / 180, Vec3::UnitZ()).toRotationMatrix();
    std::vector<Vec3> posed = tube.positions;
    for (Vec3& p : posed)
      if (p.x() > 5) p = Vec3(5, 0, 0) + turn * (p - Vec3(5, 0, 0));
    return posed;
  }

  void refine_from_pose(double degrees) {
    const std::vector<Vec3> posed = bent(degrees);
    const std::span<const Vec3> poses[] = {posed};
    centre_by_motion(match, tube.positions, poses, placed);
  }
};

TEST(JointCentres, AHingeIsOnItsAxisAndOnTheCurve) {
  for (const Vec3& guess : {Vec3(4.2, 0, 0), Vec3(5.6, 0.3, 0), Vec3(4.5, 0, 0.4), Vec3(5.4, -0.2, -0.4)}) {
    Limb limb(guess);
    limb.refine_from_pose(60);
    EXPECT_LT((limb.placed[1].head - Vec3(5, 0, 0)).norm(), 0.02) << limb.placed[1].head.transpose();
    EXPECT_TRUE(limb.placed[1].by_motion);
    EXPECT_EQ(limb.placed[0].head, Vec3::Zero());
  }
}

TEST(JointCentres, WhatDoesNotTurnStays) {
  const Vec3 guess(4.5, 0.1, 0.2);
  Limb limb(guess);
  limb.refine_from_pose(5);
  EXPECT_EQ(limb.placed[1].head, guess);
  EXPECT_FALSE(limb.placed[1].by_motion);
}

TEST(JointCentres, NoJointLeapsAlongItsBone) {
  const Vec3 guess(2.0, 0, 0);  // farther off than a third of the shorter bone
  Limb limb(guess);
  limb.refine_from_pose(60);
  EXPECT_EQ(limb.placed[1].head, guess);
}

}  // namespace
}  // namespace sinew::autorig
