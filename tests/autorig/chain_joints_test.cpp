// SPDX-License-Identifier: Apache-2.0
#include "autorig/chain_joints.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew::autorig {
namespace {

Curve curve_through(const std::vector<Vec3>& corners, double radius) {
  Curve curve;
  for (std::size_t k = 0; k + 1 < corners.size(); ++k)
    for (int i = 0; i < 40; ++i)
      curve.points.push_back(corners[k] + i / 40.0 * (corners[k + 1] - corners[k]));
  curve.points.push_back(corners.back());
  curve.radii.assign(curve.points.size(), radius);
  curve.levels.assign(curve.points.size(), 0);
  curve.measure();
  return curve;
}

TEST(ChainJoints, AChainHasAJointAtEveryBend) {
  const std::vector<double> joints =
      chain_joints(curve_through({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {2, 1, 0}}, 0.25));
  ASSERT_EQ(joints.size(), 2u);
  EXPECT_NEAR(joints[0], 1, 0.05);
  EXPECT_NEAR(joints[1], 2, 0.05);
  EXPECT_TRUE(chain_joints(curve_through({{0, 0, 0}, {1, 0.1, 0}, {2, 0, 0}}, 0.5)).empty()) << "11 degrees";
}

TEST(ChainJoints, AStraightLimbIsCutIntoBonesOfFiveRadiiAtMost) {
  const std::vector<double> joints = chain_joints(curve_through({{0, 0, 0}, {3, 0, 0}}, 0.2));
  ASSERT_EQ(joints.size(), 2u);
  EXPECT_NEAR(joints[0], 1, 1e-9);
  EXPECT_NEAR(joints[1], 2, 1e-9);
  EXPECT_TRUE(chain_joints(curve_through({{0, 0, 0}, {1, 0, 0}}, 0.2)).empty());
}

TEST(ChainJoints, AStraightLimbBendsInItsMiddleHoweverThinItIs) {
  for (const double radius : {0.02, 0.05, 0.2}) {
    const std::vector<double> joints = chain_joints(curve_through({{0, 0, 0}, {3, 0, 0}}, radius), kLimbBone);
    ASSERT_EQ(joints.size(), 1u) << radius;
    EXPECT_NEAR(joints[0], 1.5, 1e-9);
  }
}

TEST(ChainJoints, OfBendsOfALimbThatAreNearEachOtherTheLargestIsItsJoint) {
  // 30 degrees, then 90 after 0.2 of 3.2.
  const Vec3 bent(1 + 0.2 * std::cos(M_PI / 6), 0.2 * std::sin(M_PI / 6), 0);
  const Curve curve = curve_through(
      {{0, 0, 0}, {1, 0, 0}, bent, bent + Vec3(-2 * std::sin(M_PI / 6), 2 * std::cos(M_PI / 6), 0)}, 0.04);
  std::vector<double> bends;
  for (const double s : chain_joints(curve, kLimbBone))
    if (s < 1.5) bends.push_back(s);
  ASSERT_EQ(bends.size(), 1u);
  EXPECT_NEAR(bends[0], 1.2, 0.03);
}

TEST(ChainJoints, BonesFollowALimbThatBendsLittleByLittle) {
  std::vector<Vec3> arc;
  for (int k = 0; k <= 18; ++k) arc.push_back({std::cos(M_PI * k / 18), std::sin(M_PI * k / 18), 0});
  const double radius = 0.3;  // over which an arc of radius 1 turns by 17 degrees
  const Curve curve = curve_through(arc, radius);
  ASSERT_TRUE(bends_of(curve).empty());
  std::vector<double> ends = chain_joints(curve, kLimbBone);
  ends.insert(ends.begin(), 0);
  ends.push_back(curve.length());
  EXPECT_LT(ends.size(), 6u);
  for (std::size_t k = 1; k < ends.size(); ++k) {
    // From the middle of a chord to its arc.
    EXPECT_LT(1 - std::cos((ends[k] - ends[k - 1]) / 2), 0.06 * M_PI) << k;
  }
}

}  // namespace
}  // namespace sinew::autorig
