// SPDX-License-Identifier: Apache-2.0
#include "autorig/mitten_hands.h"

#include <gtest/gtest.h>

namespace sinew::autorig {
namespace {

// A wrist at x = 1 on an arm along x that ends at 2, with three fingers of which the second is the longest.
struct Hand {
  TemplateData model;
  Match match;
  std::vector<PlacedJoint> placed;

  Hand() {
    model.parts.limbs.resize(1);
    model.mirror_limbs = {-1};
    TemplateJoint wrist;
    wrist.anchor.kind = Anchor::Kind::kLimb;
    wrist.head = {1, 0, 0};
    model.joints.push_back(wrist);
    for (std::size_t k = 0; k < 3; ++k) {
      // Of two bones each; the first is the thumb.
      TemplateJoint finger;
      finger.parent = 0;
      finger.anchor.kind = Anchor::Kind::kMinor;
      finger.anchor.part = k;
      model.joints.push_back(finger);
      Part minor;
      minor.parent = 0;
      minor.tip = {k == 0 ? 1.5 : k == 1 ? 2.2 : 2.0, k == 0 ? 0.5 : -0.1 * static_cast<double>(k), 0};
      model.parts.minors.push_back(minor);
    }
    for (int k = 0; k < 3; ++k) {
      TemplateJoint outer = model.joints[static_cast<std::size_t>(k) + 1];
      outer.parent = k + 1;
      model.joints.push_back(outer);
    }
    match.model = &model;
    match.parts.limbs.resize(1);
    Curve& arm = match.parts.limbs[0].curve;
    for (int k = 0; k <= 20; ++k) {
      arm.points.push_back({0.1 * k, 0, 0});
      arm.radii.push_back(0.1);
      arm.levels.push_back(0.1 * k);
    }
    arm.measure();
    placed.resize(7);
    placed[0].head = {1, 0, 0};
    for (std::size_t k = 1; k < placed.size(); ++k) placed[k].present = false;
  }
  void show_thumb() {
    Part thumb;
    thumb.parent = 0;
    thumb.tip = {1.6, 0.6, 0};
    match.parts.minors.push_back(thumb);
  }
};

TEST(MittenHands, OfAHandWithAThumbTheLongestFingerAndTheThumbGetTwoBones) {
  Hand hand;
  hand.show_thumb();
  add_mitten_joints(hand.match, hand.placed);
  EXPECT_FALSE(hand.placed[3].present);
  EXPECT_FALSE(hand.placed[6].present);
  ASSERT_TRUE(hand.placed[2].present && hand.placed[5].present);
  EXPECT_LT((hand.placed[2].head - Vec3(1.5, 0, 0)).norm(), 1e-9);
  EXPECT_LT((hand.placed[5].head - Vec3(1.75, 0, 0)).norm(), 1e-9);
  ASSERT_TRUE(hand.placed[5].tail.has_value());
  EXPECT_LT((*hand.placed[5].tail - Vec3(2, 0, 0)).norm(), 1e-9);
  ASSERT_TRUE(hand.placed[1].present && hand.placed[4].present)
      << "a third and two thirds of the way to its tip";
  EXPECT_LT((hand.placed[1].head - Vec3(1.2, 0.2, 0)).norm(), 1e-9);
  EXPECT_LT((hand.placed[4].head - Vec3(1.4, 0.4, 0)).norm(), 1e-9);
  EXPECT_LT((*hand.placed[4].tail - Vec3(1.6, 0.6, 0)).norm(), 1e-9);
}

// A template whose fingers are one bone each.
TEST(MittenHands, AFingerOfOneBoneEndsAtItsTip) {
  Hand hand;
  hand.show_thumb();
  hand.model.joints.resize(4);
  hand.placed.resize(4);
  add_mitten_joints(hand.match, hand.placed);
  ASSERT_TRUE(hand.placed[2].present && hand.placed[2].tail.has_value());
  EXPECT_LT((*hand.placed[2].tail - Vec3(2, 0, 0)).norm(), 1e-9);
}

TEST(MittenHands, AStumpAndAHandWithFingersStayAsTheyAre) {
  Hand stump;
  add_mitten_joints(stump.match, stump.placed);
  for (std::size_t k = 1; k < 7; ++k) EXPECT_FALSE(stump.placed[k].present);
  Hand fingers;
  fingers.show_thumb();
  fingers.placed[1].present = true;
  add_mitten_joints(fingers.match, fingers.placed);
  EXPECT_FALSE(fingers.placed[2].present);
}

}  // namespace
}  // namespace sinew::autorig
