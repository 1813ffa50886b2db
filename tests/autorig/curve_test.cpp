// SPDX-License-Identifier: Apache-2.0
#include "sinew/autorig/curve.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {
namespace {

// A limb of length 2 and radius 0.1 that bends by `degrees` at `at`, rounded over about one radius.
Curve bent_limb(double degrees, double at, int rings) {
  Curve curve;
  const double turn = degrees * M_PI / 180, rounding = 0.1;
  Vec3 p = Vec3::Zero();
  const int fine = 4000;
  const double step = 2.0 / fine;
  for (int k = 0; k <= fine; ++k) {
    const double s = k * step;
    if (k % (fine / rings) == 0) {
      curve.points.push_back(p);
      curve.radii.push_back(0.1);
      curve.levels.push_back(s);
    }
    const double angle = turn * std::clamp((s - at) / rounding + 0.5, 0.0, 1.0);
    p += step * Vec3(std::cos(angle), std::sin(angle), 0);
  }
  curve.measure();
  return curve;
}

TEST(Curve, ElbowIsTheSameForOneFourAndSixteenTimesTheRings) {
  for (const double degrees : {30.0, 60.0, 110.0})
    for (const int rings : {20, 80, 320}) {
      const auto bends = bends_of(bent_limb(degrees, 1.1, rings));
      ASSERT_EQ(bends.size(), 1u) << degrees << " degrees, " << rings << " rings";
      EXPECT_NEAR(bends[0].s, 1.1, 2.0 / 20) << rings;  // within a ring of the coarsest
      EXPECT_NEAR(bends[0].s, 1.1, std::max(2.0 / rings, 0.012)) << rings;
    }
}

TEST(Curve, TurnIsSummedOverTheWindowAndNotBetweenNeighbours) {
  // With 320 rings neighbours turn by a few degrees each; the elbow still shows.
  const Curve fine = bent_limb(60, 1.0, 320);
  double most = 0;
  for (std::size_t k = 1; k + 1 < fine.points.size(); ++k)
    most = std::max(most, fine.turn(fine.along[k], fine.along[1]));
  EXPECT_LT(most, 20);
  EXPECT_GT(bends_of(fine)[0].degrees, 40);
}

TEST(Curve, StraightAndGentlyCurvedLimbsHaveNoJoint) {
  EXPECT_TRUE(bends_of(bent_limb(0, 1, 80)).empty());
  EXPECT_TRUE(bends_of(bent_limb(15, 1, 80)).empty());
}

TEST(Curve, PointsLevelsAndLengthsAgree) {
  const Curve curve = bent_limb(90, 1, 40);
  EXPECT_NEAR(curve.length(), 2, 5e-3);  // chords
  EXPECT_NEAR(curve.project(curve.at(0.7)), 0.7, 1e-9);
  EXPECT_NEAR(curve.at_level(0.5), 0.5, 1e-9);
  EXPECT_NEAR(curve.direction(0.3, 0.1).x(), 1, 1e-6);
  EXPECT_NEAR(curve.direction(1.8, 0.1).y(), 1, 1e-6);
  EXPECT_EQ(curve.at(-1), curve.points.front());
  EXPECT_EQ(curve.at(9), curve.points.back());
  EXPECT_TRUE(Curve{}.empty());
  EXPECT_EQ(Curve{}.length(), 0);
}

}  // namespace
}  // namespace sinew
