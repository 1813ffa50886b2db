// SPDX-License-Identifier: Apache-2.0
#include "autorig/place.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew::autorig {
namespace {

Curve leg_curve(const std::vector<Vec3>& corners) {
  Curve curve;
  for (std::size_t k = 0; k + 1 < corners.size(); ++k)
    for (int i = 0; i < 20; ++i)
      curve.points.push_back(corners[k] + i / 20.0 * (corners[k + 1] - corners[k]));
  curve.points.push_back(corners.back());
  curve.radii.assign(curve.points.size(), 0.1);
  curve.measure();
  curve.levels = curve.along;
  return curve;
}

// An animal's hind leg: hip, knee in front of it, hock behind, foot. The body is as large as the template.
struct HindLeg {
  const Vec3 hip{0.5, 0, 0}, knee{0.5, -1, 0.6}, hock{0.5, -2, -0.2}, foot{0.5, -3, 0.1};
  TemplateData model;
  Match match;

  explicit HindLeg(const std::vector<Vec3>& shown) {
    model.two_sided = true;
    model.parts.trunk = leg_curve({{0, 0, 4}, {0, 0, 0}});
    model.parts.limbs.resize(1);
    model.parts.limbs[0].curve = leg_curve({hip, knee, hock, foot});
    model.parts.limbs[0].seam = 4;
    model.bends = {own_bends(model.parts.limbs[0])};
    add("Hips", -1, {0, 0, 0}, Anchor::Kind::kTrunk);
    model.joints[0].mirror = 0;
    add("Thigh", 0, hip, Anchor::Kind::kLimb);
    add("Shin", 1, knee, Anchor::Kind::kLimb);
    add("Hock", 2, hock, Anchor::Kind::kLimb);
    add("Toe", 3, 0.3 * hock + 0.7 * foot, Anchor::Kind::kLimb);
    match.model = &model;
    match.tips = {1};
    match.scale = 1;
    match.parts = model.parts;
    match.parts.limbs[0].curve = leg_curve(shown);
  }

  void add(const std::string& name, int parent, const Vec3& head, Anchor::Kind kind) {
    TemplateJoint joint;
    joint.name = name;
    joint.parent = parent;
    joint.head = head;
    const Curve& curve = kind == Anchor::Kind::kTrunk ? model.parts.trunk : model.parts.limbs[0].curve;
    joint.anchor.kind = kind;
    joint.anchor.s = curve.project(head);
    joint.anchor.offset = head - curve.at(joint.anchor.s);
    joint.anchor.tangent = curve.direction(joint.anchor.s, direction_window(curve));
    model.joints.push_back(joint);
  }
};

TEST(Place, JointsOfALimbLikeTheTemplatesLieWhereItsDo) {
  const HindLeg leg({{0.5, 0, 0}, {0.5, -1, 0.6}, {0.5, -2, -0.2}, {0.5, -3, 0.1}});
  const std::vector<PlacedJoint> placed = place_joints(leg.match);
  ASSERT_EQ(placed.size(), leg.model.joints.size());
  for (std::size_t j = 1; j < placed.size(); ++j) {
    EXPECT_TRUE(placed[j].present);
    EXPECT_LT((placed[j].head - leg.model.joints[j].head).norm(), 0.05) << leg.model.joints[j].name;
  }
  EXPECT_GT(placed[2].degrees, 20);
}

// A limb that shows no bend at all may be in another pose: its joints stay on its curve.
TEST(Place, ALegThatIsStretchedStaysStraight) {
  const HindLeg leg({{0.5, 0, 0}, {0.5, -3, 0}});
  for (const PlacedJoint& joint : place_joints(leg.match)) EXPECT_NEAR(joint.head.z(), 0, 0.02);
}

// The leg that is seen may begin below a skirt.
TEST(Place, AHipIsNotMuchLowerUnderTheTrunkThanTheTemplates) {
  HindLeg leg({{0.5, -1.5, 0.2}, {0.5, -2, -0.2}, {0.5, -3, 0.1}});
  leg.model.joints[1].head.y() = -0.2;
  leg.model.parts.trunk.radii.assign(leg.model.parts.trunk.points.size(), 1.0);  // the hip lies in it
  leg.match.model = &leg.model;
  const std::vector<PlacedJoint> placed = place_joints(leg.match);
  EXPECT_NEAR(placed[1].head.y() - placed[0].head.y(), 1.7 * -0.2, 1e-9) << "1.5 by the curve";
}

TEST(Place, WhatTheBodyLacksIsLeftOut) {
  HindLeg leg({{0.5, 0, 0}, {0.5, -3, 0}});
  leg.match.parts.limbs[0].curve = {};
  leg.match.tips = {-1};
  const std::vector<PlacedJoint> placed = place_joints(leg.match);
  EXPECT_TRUE(placed[0].present);
  for (std::size_t j = 1; j < placed.size(); ++j) EXPECT_FALSE(placed[j].present);
}

// A hand whose arm is thinnest at the wrist, and a body whose arm is cut short there.
TEST(Place, AWristIsWhereTheHandBeginsHoweverLittleThereIsOfTheArm) {
  TemplateData model;
  model.parts.trunk = leg_curve({{0, 0, 0}, {0, 0, 2}});
  model.parts.limbs.resize(2);
  for (std::size_t k = 0; k < 2; ++k) {
    const double side = k == 0 ? 0.5 : -0.5;
    model.parts.limbs[k].curve = leg_curve({{side, 0, 2}, {side, 0, 3}});
    model.parts.limbs[k].seam = 2;
  }
  model.bends.resize(2);
  model.mirror_limbs = {-1, -1};
  TemplateJoint hand;
  hand.name = "Hand";
  hand.parent = -1;
  hand.anchor.kind = Anchor::Kind::kTrunk;
  hand.anchor.s = 1;
  hand.anchor.tangent = Vec3::UnitZ();
  model.joints = {hand};
  Match match;
  match.model = &model;
  match.tips = {1, 2};
  match.scale = 1;
  match.parts = model.parts;
  match.parts.trunk = leg_curve({{0, 0, 0.7}, {0, 0, 2}});
  for (Part& limb : match.parts.limbs) limb.seam = 1.3;
  for (Curve* trunk : {&model.parts.trunk, &match.parts.trunk})
    for (std::size_t k = 0; k < trunk->points.size(); ++k)
      trunk->radii[k] =
          0.2 + 0.05 * std::abs(trunk->points[k].z() - 1) * (trunk->points[k].z() > 1 ? 1.5 : 0.5);
  const std::vector<PlacedJoint> placed = place_joints(match);
  ASSERT_TRUE(placed[0].present);
  EXPECT_NEAR(placed[0].head.z(), 1, 0.1) << "by shares of the length it would be at 1.35";
}

}  // namespace
}  // namespace sinew::autorig
