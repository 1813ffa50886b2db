// SPDX-License-Identifier: Apache-2.0
#include "autorig/standing_legs.h"

#include <gtest/gtest.h>

namespace sinew::autorig {
namespace {

// Hips at the origin, on two legs; the body is as large as the template, and begins with its joints.
struct Animal {
  TemplateData model;
  Match match;
  std::vector<PlacedJoint> placed;

  explicit Animal(const Vec3& knee = {0.5, -1, 0.6}) {
    model.two_sided = true;
    model.diameter = 4;
    add(-1, 0, Vec3::Zero(), Anchor::Kind::kTrunk, 0);
    for (const int side : {0, 1}) add(0, 2 - side, on(side, {0.5, 0, 0}), Anchor::Kind::kTrunk, side);
    for (const int side : {0, 1}) add(1 + side, 4 - side, on(side, knee), Anchor::Kind::kLimb, side);
    for (const int side : {0, 1})
      add(3 + side, 6 - side, on(side, {0.5, -2, -0.2}), Anchor::Kind::kLimb, side);
    match.model = &model;
    match.scale = 1;
    match.parts.limbs.resize(2);
    for (const int side : {0, 1}) end_leg(side, {0.5, -3, 0.1});
    for (const TemplateJoint& joint : model.joints) placed.emplace_back().head = joint.head;
  }
  static Vec3 on(int side, Vec3 p) {
    if (side == 1) p.x() = -p.x();
    return p;
  }
  void add(int parent, int mirror, const Vec3& head, Anchor::Kind kind, int limb) {
    TemplateJoint joint;
    joint.parent = parent;
    joint.mirror = mirror;
    joint.head = head;
    joint.anchor.kind = kind;
    joint.anchor.part = static_cast<std::size_t>(limb);
    model.joints.push_back(joint);
  }
  void end_leg(int side, const Vec3& tip) {
    Curve curve;
    curve.points = {on(side, {0.5, -1, 0}), on(side, tip)};
    curve.radii = {0.1, 0.1};
    curve.levels = {0, 1};
    curve.measure();
    match.parts.limbs[static_cast<std::size_t>(side)].curve = curve;
  }
};

TEST(StandingLegs, OfABodyLikeTheTemplateStayWhereTheyAre) {
  Animal animal;
  const std::vector<PlacedJoint> before = animal.placed;
  place_standing_legs(animal.match, animal.placed);
  for (std::size_t j = 0; j < before.size(); ++j)
    EXPECT_LT((animal.placed[j].head - before[j].head).norm(), 1e-12) << j;
}

TEST(StandingLegs, AKneeThatTheCurveHidesBendsHalfAsMuchAsTheTemplates) {
  Animal animal;
  animal.placed[3].head = {0.5, -1, 0};
  place_standing_legs(animal.match, animal.placed);
  EXPECT_LT((animal.placed[3].head - Vec3(0.5, -1, 0.3)).norm(), 1e-12);
}

TEST(StandingLegs, AKneeThatIsStraightInTheTemplateStaysOnItsCurve) {
  Animal animal({0.5, -1, -0.1});
  animal.placed[3].head = {0.5, -1.2, 0};
  place_standing_legs(animal.match, animal.placed);
  EXPECT_LT((animal.placed[3].head - Vec3(0.5, -1.2, 0)).norm(), 1e-12);
}

TEST(StandingLegs, AHipIsNotMuchNearerToTheMiddleThanItsShin) {
  for (const double found : {0.1, -0.2}) {  // also across the middle
    Animal animal({0.5, -1, -0.1});
    animal.placed[1].head.x() = found;
    place_standing_legs(animal.match, animal.placed);
    EXPECT_NEAR(animal.placed[1].head.x(), 0.375, 1e-12) << found;
    EXPECT_NEAR(animal.placed[2].head.x(), -0.5, 1e-12);
  }
  Animal wide({0.5, -1, -0.1});
  wide.placed[1].head.x() = 0.6;
  place_standing_legs(wide.match, wide.placed);
  EXPECT_NEAR(wide.placed[1].head.x(), 0.6, 1e-12) << "broader hips stay";
}

TEST(StandingLegs, ALegThatIsLiftedOrStretchedAwayIsLeftAlone) {
  for (const Vec3& tip : {Vec3(0.5, -2, 0.1), Vec3(0.5, -3, 3)}) {
    Animal animal;
    animal.end_leg(0, tip);
    animal.placed[3].head = {0.5, -1, 0};
    place_standing_legs(animal.match, animal.placed);
    EXPECT_LT((animal.placed[3].head - Vec3(0.5, -1, 0)).norm(), 1e-12);
  }
}

}  // namespace
}  // namespace sinew::autorig
