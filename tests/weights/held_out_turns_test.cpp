// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/held_out_turns.h"

#include <gtest/gtest.h>

#include <numbers>

#include "sinew/weights/flesh.h"

namespace sinew {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

// A swing about an axis across z, after a twist about z.
Eigen::Quaterniond turned(const Vec3& turn) {
  const Vec3 swing(turn.x(), turn.y(), 0);
  const double angle = swing.norm();
  const Eigen::Quaterniond first(Eigen::AngleAxisd(turn.z(), Vec3::UnitZ()));
  return angle > 0 ? Eigen::Quaterniond(Eigen::AngleAxisd(angle, swing / angle)) * first : first;
}

double angle_between(const Eigen::Quaterniond& a, const Eigen::Quaterniond& b) {
  return 2 * std::acos(std::min(1.0, std::abs(a.dot(b))));
}

TEST(HeldOutTurns, LieInsideTheRangeAndAwayFromRestAndSamples) {
  for (const MotionRange& range : {MotionRange{}, MotionRange{0.9, 1.5}, MotionRange{2, 0.3}})
    for (const std::uint32_t seed : {1u, 2u, 17u}) {
      const std::vector<Vec3> turns = held_out_turns(range, 32, seed);
      ASSERT_EQ(turns.size(), 32u);
      for (const Vec3& turn : turns) {
        EXPECT_LE(std::hypot(turn.x(), turn.y()), range.swing + 1e-12);
        EXPECT_LE(std::abs(turn.z()), range.twist + 1e-12);
        EXPECT_GE(angle_between(turned(turn), Eigen::Quaterniond::Identity()), 30 * kDegree - 1e-9);
        for (const Vec3& sample : motion_samples(range))
          EXPECT_GE(angle_between(turned(turn), turned(sample)), 10 * kDegree - 1e-9);
      }
    }
}

TEST(HeldOutTurns, AreTheSameForTheSameSeedAndReachFar) {
  const std::vector<Vec3> once = held_out_turns({}, 200, 5), again = held_out_turns({}, 200, 5);
  EXPECT_EQ(once, again);
  EXPECT_NE(once, held_out_turns({}, 200, 6));
  double swing = 0, twist = 0;
  for (const Vec3& turn : once) {
    swing = std::max(swing, std::hypot(turn.x(), turn.y()));
    twist = std::max(twist, std::abs(turn.z()));
  }
  EXPECT_GT(swing, 80 * kDegree);
  EXPECT_GT(twist, 80 * kDegree);
}

TEST(HeldOutTurns, SmallRangesStillHaveSome) {
  const std::vector<Vec3> turns = held_out_turns({0.2, 0.1}, 8, 1);
  ASSERT_EQ(turns.size(), 8u);
  for (const Vec3& turn : turns) EXPECT_LE(std::hypot(turn.x(), turn.y()), 0.2 + 1e-12);
  EXPECT_TRUE(held_out_turns({0, 0}, 8, 1).empty());
}

}  // namespace
}  // namespace sinew
