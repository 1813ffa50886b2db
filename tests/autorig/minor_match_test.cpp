// SPDX-License-Identifier: Apache-2.0
#include "autorig/minor_match.h"

#include <gtest/gtest.h>

namespace sinew::autorig {
namespace {

Part finger(const Vec3& seam, const Vec3& tip) {
  Part part;
  part.parent = 0;
  part.tip = tip;
  part.curve.points = {seam, (seam + tip) / 2, tip};
  part.curve.radii.assign(3, 0.02);
  part.curve.levels = {0, 0.5, 1};
  part.curve.measure();
  return part;
}

// Four fingers of different lengths and a thumb, at the end of an arm along x.
std::vector<Part> fingers() {
  std::vector<Part> all;
  const double length[] = {0.40, 0.46, 0.43, 0.33};
  for (int k = 0; k < 4; ++k)
    all.push_back(finger({2, 0, 0.12 * (1.5 - k)}, {2 + length[k], 0, 0.15 * (1.5 - k)}));
  all.push_back(finger({1.8, 0, 0.3}, {2.0, 0, 0.55}));
  return all;
}

Part arm() {
  Part part;
  for (int k = 0; k <= 20; ++k) {
    part.curve.points.push_back({0.1 * k, 0, 0});
    part.curve.radii.push_back(0.15);
    part.curve.levels.push_back(0.1 * k);
  }
  part.curve.measure();
  part.tip = {2.4, 0, 0};
  return part;
}

void move(Part& part, const Eigen::Affine3d& by) {
  for (Vec3& p : part.curve.points) p = by * p;
  part.tip = by * part.tip;
  part.curve.measure();
}

// The template's hand, and the body's: moved, its fingers in another order, with `missing` left out.
struct Hands {
  TemplateData model;
  Match match;

  Hands(const Eigen::Affine3d& by, const std::vector<std::size_t>& order) {
    model.parts.limbs = {arm()};
    model.parts.minors = fingers();
    model.mirror_limbs = {-1};
    match.model = &model;
    match.tips = {1};
    match.parts.limbs = {arm()};
    for (const std::size_t k : order) match.parts.minors.push_back(fingers()[k]);
    for (Part& part : match.parts.limbs) move(part, by);
    for (Part& part : match.parts.minors) move(part, by);
    match.rotation = by.rotation();
    match.scale = std::cbrt(by.linear().determinant());
  }
};

TEST(MinorMatch, FingersInAnotherOrderFindTheirPartners) {
  Eigen::Affine3d by = Eigen::Translation3d(1, 5, -2) * Eigen::AngleAxisd(0.6, Vec3(1, 2, 0.5).normalized()) *
                       Eigen::Scaling(1.7);
  const std::vector<std::size_t> order = {3, 0, 4, 2, 1};
  const Hands hands(by, order);
  const std::vector<MinorPartner> partners = match_minors(hands.match);
  ASSERT_EQ(partners.size(), 5u);
  for (std::size_t k = 0; k < 5; ++k) {
    ASSERT_GE(partners[k].minor, 0) << k;
    EXPECT_EQ(order[static_cast<std::size_t>(partners[k].minor)], k);
    EXPECT_NEAR(partners[k].scale, 1.7, 0.05);
  }
}

TEST(MinorMatch, OneEarAloneIsNoneAndOneFingerIs) {
  for (const bool on_trunk : {true, false}) {
    Hands hands(Eigen::Affine3d::Identity(), {0, 2, 3, 4});
    for (std::vector<Part>* parts : {&hands.model.parts.minors, &hands.match.parts.minors})
      for (Part& part : *parts) part.parent = on_trunk ? -1 : 0;
    hands.model.parts.trunk = hands.match.parts.trunk = arm().curve;
    for (int k = 0; k < 2; ++k) {  // the second is missing
      TemplateJoint joint;
      joint.anchor.kind = Anchor::Kind::kMinor;
      joint.anchor.part = static_cast<std::size_t>(k);
      joint.mirror = 1 - k;
      hands.model.joints.push_back(joint);
    }
    const std::vector<MinorPartner> partners = match_minors(hands.match);
    EXPECT_EQ(partners[0].minor >= 0, !on_trunk);
    EXPECT_EQ(partners[1].minor, -1);
    for (const std::size_t k : {2u, 3u, 4u}) EXPECT_GE(partners[k].minor, 0) << k;
  }
}

TEST(MinorMatch, AHandWithoutFingersHasNoPartners) {
  const Hands hands(Eigen::Affine3d::Identity(), {});
  for (const MinorPartner& partner : match_minors(hands.match)) EXPECT_EQ(partner.minor, -1);
}

}  // namespace
}  // namespace sinew::autorig
