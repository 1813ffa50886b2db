// SPDX-License-Identifier: Apache-2.0
#include "autorig/features.h"

#include <gtest/gtest.h>

#include <cmath>

#include "autorig/tuning.h"

namespace sinew::autorig {
namespace {

// Tips at the ends of a tree: a trunk of length `trunk` from the head's tip, arms that leave at its first end, legs and
// a tail at its other; lengths of head, arms, legs, tail. Distances follow by addition.
struct Tree {
  double head = 0.3, arm = 0.7, trunk = 0.6, leg = 0.9, tail = 0.5;
};
constexpr std::size_t kTreeTips = 6;  // head, left arm, right arm, left leg, right leg, tail

Eigen::MatrixXd distances_in(const Tree& t) {
  const std::array<double, kTreeTips> length = {t.head, t.arm, t.arm, t.leg, t.leg, t.tail};
  Eigen::MatrixXd apart = Eigen::MatrixXd::Zero(kTreeTips, kTreeTips);
  for (std::size_t i = 0; i < kTreeTips; ++i)
    for (std::size_t k = 0; k < kTreeTips; ++k)
      if (i != k)
        apart(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) =
            length[i] + length[k] + ((i < 3) != (k < 3) ? t.trunk : 0);
  return apart;
}

BodyMap body_with(const Eigen::MatrixXd& apart) {
  BodyMap body;
  body.major.resize(static_cast<std::size_t>(apart.rows()));
  body.apart = apart;
  body.diameter = apart.maxCoeff();
  // Heads, arms and whatever comes behind the tail are above the ground; left has even numbers.
  body.graph.size = 2;
  for (std::size_t i = 0; i < body.major.size(); ++i) {
    body.major[i].point = static_cast<std::uint32_t>(i);
    const bool leg = i == 3 || i == 4;
    const double side = i == 1 || i == 3 ? 0.5 : i == 2 || i == 4 ? -0.5 : 0;
    body.graph.positions.push_back({side, leg ? 0.0 : 1.0, 0});
  }
  return body;
}

TemplateData model_of(const Tree& tree) {
  TemplateData model;
  model.apart = distances_in(tree);
  model.diameter = model.apart.maxCoeff();
  model.two_sided = true;
  model.parts.limbs.resize(kTreeTips - 1);
  model.mirror_limbs = {1, 0, 3, 2, 4};
  return model;
}

const std::vector<int> kAll = {0, 1, 2, 3, 4, 5};

TEST(Features, ThereIsANameAndAWeightForEach) {
  for (const char* name : kFeatureNames) EXPECT_NE(name, nullptr);
  for (const bool rings : {false, true})
    for (const Features* weights : {&tuning(rings).limbs, &tuning(rings).spine, &tuning(rings).rod})
      for (const double w : *weights) EXPECT_TRUE(w >= 0 && w <= 3) << w;
}

TEST(Features, ScoreIsTheWeightedSum) {
  Features weights{}, features{};
  weights[kLengths] = 2, features[kLengths] = 0.5;
  weights[kTurned] = 0.25, features[kTurned] = 4;
  features[kPlaces] = 7;
  EXPECT_DOUBLE_EQ(score(weights, features), 2);
}

TEST(Features, ABodyLikeItsTemplateHasNothingThatDiffersAtAnySize) {
  const TemplateData model = model_of({});
  const Features f = tip_features(body_with(37 * distances_in({})), model, kAll);
  for (std::size_t k = 0; k < kFeatureCount; ++k)
    EXPECT_NEAR(f[k], k == kConstant ? 1 : 0, 1e-6) << kFeatureNames[k];
}

TEST(Features, RigidLengthsAreTheSineBetweenTheDistances) {
  const TemplateData model = model_of({});
  Tree other;
  other.leg = 1.8;
  const BodyMap body = body_with(distances_in(other));
  double tm = 0, mm = 0, tt = 0;
  for (Eigen::Index i = 0; i < 6; ++i)
    for (Eigen::Index k = 0; k < i; ++k) {
      const double t = model.apart(i, k), m = body.apart(i, k);
      tm += t * m, mm += m * m, tt += t * t;
    }
  const TipSums sums = tip_sums(body, model, kAll);
  EXPECT_NEAR(sums.rigid_lengths(), std::sin(std::acos(tm / std::sqrt(mm * tt))), 1e-9);
  EXPECT_GT(sums.rigid_lengths(), 0.1);
}

TEST(Features, LongerLegsCostOnlyTheirStiffness) {
  const TemplateData model = model_of({});
  Tree other;
  other.leg = 1.8;
  const BodyMap body = body_with(distances_in(other));
  EXPECT_NEAR(flexible_lengths(body, model, kAll, 0), 0, 1e-6) << "a length of their own explains them";
  const double soft = flexible_lengths(body, model, kAll, 0.05),
               stiff = flexible_lengths(body, model, kAll, 0.5);
  EXPECT_LT(soft, stiff);
  EXPECT_LT(stiff, tip_sums(body, model, kAll).rigid_lengths() + 1e-9);
}

TEST(Features, OneLegThatIsLongerIsAsymmetry) {
  const TemplateData model = model_of({});
  Eigen::MatrixXd apart = distances_in({});
  EXPECT_NEAR(tip_sums(body_with(apart), model, kAll).asymmetry(), 0, 1e-12);
  for (Eigen::Index k = 0; k < 6; ++k)
    if (k != 3) apart(3, k) = apart(k, 3) += 0.4;
  EXPECT_GT(tip_sums(body_with(apart), model, kAll).asymmetry(), 0.05);
  // An arm for a leg is, too, though each pair by itself is even.
  const std::vector<int> crossed = {0, 1, 3, 2, 4, 5};
  EXPECT_GT(tip_sums(body_with(distances_in({})), model, crossed).asymmetry(), 0.05);
}

TEST(Features, WhatHasNoPartnerCountsByHowFarItSticksOut) {
  const TemplateData model = model_of({});
  const BodyMap body = body_with(distances_in({}));
  const double diameter = body.diameter;
  // The tail of the body is left over: it sticks out by its own length.
  const Features no_tail = tip_features(body, model, std::vector<int>{0, 1, 2, 3, 4, -1});
  EXPECT_NEAR(no_tail[kExtraLimbs], 0.5 / diameter, 1e-9);
  EXPECT_NEAR(no_tail[kMissingTail], 0.5 / diameter, 1e-9);
  EXPECT_EQ(no_tail[kMissingLimbs], 0);
  EXPECT_EQ(no_tail[kHalfPairs], 0);
  const Features no_leg = tip_features(body, model, std::vector<int>{0, 1, 2, -1, 4, 5});
  EXPECT_NEAR(no_leg[kMissingLimbs], 0.9 / diameter, 1e-9);
  EXPECT_EQ(no_leg[kHalfPairs], 1);
  const Features no_legs = tip_features(body, model, std::vector<int>{0, 1, 2, -1, -1, 5});
  EXPECT_EQ(no_legs[kHalfPairs], 0);
}

// The tree with horns beside the head's tip, which fork at 0.1 from it.
BodyMap with_horns(int count) {
  const Eigen::MatrixXd tree = distances_in({});
  Eigen::MatrixXd apart = Eigen::MatrixXd::Zero(6 + count, 6 + count);
  apart.topLeftCorner(6, 6) = tree;
  for (int h = 0; h < count; ++h) {
    for (Eigen::Index k = 0; k < 6; ++k) {
      const double nearer = k == 1 || k == 3   ? (h == 0 ? -0.1 : 0.1)
                            : k == 2 || k == 4 ? (h == 0 ? 0.1 : -0.1)
                                               : 0;
      apart(6 + h, k) = apart(k, 6 + h) = tree(0, k) + (k == 0 ? 0.4 : 0.1 + nearer);
    }
    if (h == 1) apart(6, 7) = apart(7, 6) = 0.4;
  }
  return body_with(apart);
}

TEST(Features, HornsAreLimbsOfTheHeadAndOneAloneIsOdd) {
  const TemplateData model = model_of({});
  const Features pair = tip_features(with_horns(2), model, kAll),
                 one = tip_features(with_horns(1), model, kAll);
  EXPECT_GT(pair[kHeadLimbs], one[kHeadLimbs]);
  EXPECT_GT(one[kHeadLimbs], 0);
  EXPECT_EQ(one[kExtraLimbs], 0);
  EXPECT_EQ(one[kOddHorn], 1);
  EXPECT_EQ(pair[kOddHorn], 0);
}

TEST(Features, WhatReachesTheGroundIsNoHorn) {
  const TemplateData model = model_of({});
  BodyMap body = with_horns(2);
  const Features horns = tip_features(body, model, kAll);
  for (const std::size_t tip : {6, 7}) body.graph.positions[tip].y() = 0.05;
  const Features legs = tip_features(body, model, kAll);
  EXPECT_EQ(legs[kHeadLimbs], 0);
  EXPECT_NEAR(legs[kExtraLimbs], 2 * horns[kHeadLimbs], 1e-12) << "and a body stands on it";
}

TEST(Features, LeftAndRightAreImagesOfEachOtherWhereTheMeshIsItsOwnImage) {
  const TemplateData model = model_of({});
  BodyMap body = body_with(distances_in({}));
  const std::vector<int> across = {0, 1, 3, 2, 4, 5};  // an arm and a leg of one side as arms
  EXPECT_EQ(tip_features(body, model, across)[kNoImages], 0) << "nothing is known of the mesh";
  body.mirrors = {{Vec3::UnitX(), Vec3::Zero()}};
  EXPECT_EQ(tip_features(body, model, kAll)[kNoImages], 0);
  // Four tips that are as far from their images as arms are above legs, one of them on either side, of six.
  EXPECT_GT(tip_features(body, model, across)[kNoImages], 0.2);
  body.mirrors.push_back({Vec3::UnitY(), Vec3(0, 0.5, 0)});
  EXPECT_LT(tip_features(body, model, across)[kNoImages],
            tip_features(body, model, {{0, 1, 4, 2, 3, 5}})[kNoImages])
      << "the plane that suits best counts";
  TemplateData hand = model;
  hand.two_sided = false;
  EXPECT_EQ(tip_features(body, hand, across)[kNoImages], 0);
  EXPECT_EQ(tip_features(body, hand, across)[kOwnImage], 1) << "a hand has no sides";
  EXPECT_EQ(tip_features(body, model, across)[kOwnImage], 0);
  body.mirrors.clear();
  EXPECT_EQ(tip_features(body, hand, across)[kOwnImage], 0);
}

Curve line(const Vec3& from, const Vec3& to, double radius) {
  Curve curve;
  for (int k = 0; k <= 20; ++k) {
    curve.points.push_back(from + k / 20.0 * (to - from));
    curve.radii.push_back(radius);
    curve.levels.push_back((curve.points.back() - from).norm());
  }
  curve.measure();
  return curve;
}

// A trunk along -y with an arm to either side and a tail.
TemplateData solid_model(double radius, double arm_seam = 0.3) {
  TemplateData model;
  model.two_sided = true;
  model.parts.trunk = line({0, 1, 0}, {0, 0, 0}, radius);
  model.mirror_limbs = {1, 0, 2};
  model.parts.limbs.resize(3);
  for (const int side : {0, 1}) {
    Part& arm = model.parts.limbs[static_cast<std::size_t>(side)];
    const double x = side == 0 ? 1 : -1;
    arm.seam = arm_seam;
    arm.curve = line({0.1 * x, 1 - arm_seam, 0}, {0.8 * x, 1 - arm_seam, 0}, radius / 2);
  }
  model.parts.limbs[2].seam = 1;
  model.parts.limbs[2].curve = line({0, 0, 0}, {0, -0.1, -0.7}, radius / 2);
  return model;
}

Features overlaid(const TemplateData& model, const Parts& parts, Mat3* rotation = nullptr) {
  const std::vector<int> tips = {1, 2, 3};
  Overlay overlay{&model, &parts, tips};
  Features features{};
  EXPECT_TRUE(overlay_features(overlay, features));
  if (rotation != nullptr) *rotation = overlay.rotation;
  return features;
}

Parts moved(Parts parts, const Affine3& by, double thicker = 1) {
  const double scale = std::cbrt(by.linear().determinant());
  const auto move = [&](Curve& curve) {
    for (Vec3& p : curve.points) p = by * p;
    for (double& r : curve.radii) r *= scale * thicker;
    for (double& level : curve.levels) level *= scale;
    curve.measure();
  };
  move(parts.trunk);
  for (Part& limb : parts.limbs) move(limb.curve), limb.seam *= scale;
  return parts;
}

TEST(Features, CurvesThatAreTurnedAndScaledAreInPlace) {
  const TemplateData model = solid_model(0.1);
  const Affine3 by = Eigen::Translation3d(3, 1, -2) * Eigen::AngleAxisd(0.8, Vec3(1, 2, 3).normalized()) *
                     Eigen::Scaling(5.0);
  Mat3 rotation;
  const Features f = overlaid(model, moved(model.parts, by), &rotation);
  EXPECT_NEAR(f[kPlaces], 0, 1e-6);
  EXPECT_NEAR(f[kSeamShift], 0, 1e-9);
  EXPECT_NEAR(f[kThickness], 0, 1e-6);
  EXPECT_EQ(f[kHiddenLimbs], 0);
  EXPECT_NEAR((rotation - by.linear() / 5).norm(), 0, 1e-6);
  EXPECT_NEAR(turn_from_template(model, model.parts, rotation), (1 - std::cos(0.8)) / 2, 1e-6);
}

TEST(Features, ThicknessIsTheLogarithmOfTheRatio) {
  const TemplateData model = solid_model(0.1);
  EXPECT_NEAR(overlaid(model, moved(model.parts, Affine3::Identity(), 1.5))[kThickness], std::log(1.5), 1e-6);
}

TEST(Features, ArmsThatLeaveElsewhereShiftTheirSeams) {
  const TemplateData model = solid_model(0.1), lower = solid_model(0.1, 0.6);
  // Two of three limbs leave by 0.3 of the trunk lower.
  EXPECT_NEAR(overlaid(model, lower.parts)[kSeamShift], std::sqrt(2 * 0.09 / 3), 1e-6);
}

TEST(Features, LimbsWithoutACurveAreHidden) {
  const TemplateData model = solid_model(0.1);
  Parts parts = model.parts;
  parts.limbs[1].curve = {};
  EXPECT_EQ(overlaid(model, parts)[kHiddenLimbs], 1);
}

TEST(Features, AHeadThinnerThanTheTailIsTold) {
  const TemplateData model = solid_model(0.1);
  Parts parts = model.parts;
  EXPECT_EQ(thin_head(model, parts), 0);
  for (double& r : parts.trunk.radii) r /= 4;
  EXPECT_NEAR(thin_head(model, parts), std::log(4), 1e-9);
}

// A body on two legs along -y with feet along z; front and back of all else are alike.
TemplateData with_feet(double foot) {
  TemplateData model;
  model.two_sided = true;
  model.parts.trunk = line({0, 2, 0}, {0, 1, 0}, 0.1);
  model.mirror_limbs = {1, 0};
  model.parts.limbs.resize(2);
  for (const double x : {0.2, -0.2}) {
    Curve& leg = model.parts.limbs[x > 0 ? 0 : 1].curve;
    leg = line({x, 1, 0}, {x, 0, 0}, 0.05);
    for (int k = 1; k <= 6; ++k) {
      leg.points.push_back({x, 0, foot * k / 6});
      leg.radii.push_back(0.05);
      leg.levels.push_back(1 + foot * k / 6);
    }
    leg.measure();
  }
  return model;
}

TEST(Features, FeetTellFrontFromBack) {
  const TemplateData model = with_feet(0.2);
  const Mat3 around = Eigen::AngleAxisd(M_PI, Vec3::UnitY()).toRotationMatrix();
  EXPECT_NEAR(backwards(model, model.parts, Mat3::Identity()), 0, 1e-9);
  EXPECT_NEAR(backwards(model, model.parts, around), 1, 1e-9);
  EXPECT_NEAR(backwards(model, with_feet(-0.2).parts, Mat3::Identity()), 1, 1e-9);
  EXPECT_NEAR(backwards(model, with_feet(-0.2).parts, around), 0, 1e-9);
  EXPECT_EQ(backwards(model, with_feet(0).parts, around), 0) << "where there are none, nothing is told";
  Parts leaning = with_feet(-0.15).parts;
  for (Part& leg : leaning.limbs) {
    for (Vec3& p : leg.curve.points) p.z() += 0.6 * (1 - p.y());
    leg.curve.measure();
  }
  EXPECT_EQ(backwards(model, leaning, Mat3::Identity()), 0) << "a heel in front of the hip";
}

TEST(Features, OnlyBodiesWithSidesLieOnOne) {
  TemplateData model = solid_model(0.1);
  for (const double degrees : {0.0, 30.0, 90.0, -90.0}) {
    const Mat3 rolled = Eigen::AngleAxisd(degrees * M_PI / 180, Vec3::UnitZ()).toRotationMatrix();
    EXPECT_NEAR(on_its_side(model, rolled), std::abs(std::sin(degrees * M_PI / 180)), 1e-9);
  }
  const Mat3 prone = Eigen::AngleAxisd(M_PI / 2, Vec3::UnitX()).toRotationMatrix();
  EXPECT_NEAR(on_its_side(model, prone), 0, 1e-9);
  model.two_sided = false;
  EXPECT_EQ(on_its_side(model, Eigen::AngleAxisd(1, Vec3::UnitZ()).toRotationMatrix()), 0);
}

TEST(Features, OnlyBodiesWithSidesStandOnTheirHead) {
  TemplateData model = solid_model(0.1);
  const Mat3 over = Eigen::AngleAxisd(M_PI, Vec3::UnitX()).toRotationMatrix();
  EXPECT_NEAR(upside_down(model, over), 1, 1e-9);
  EXPECT_EQ(upside_down(model, Mat3::Identity()), 0);
  model.two_sided = false;
  EXPECT_EQ(upside_down(model, over), 0);
}

}  // namespace
}  // namespace sinew::autorig
