// SPDX-License-Identifier: Apache-2.0
#include "sinew/math/swing_twist.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "math/random_math.h"
#include "sinew/math/quaternion.h"

namespace sinew {
namespace {

constexpr double kHalfTurn = 3.14159265358979323846;

double angle_between(const Quat& a, const Quat& b) {
  return log_rotation(a.conjugate() * b).norm();
}

RC_GTEST_PROP(SwingTwist, MultiplyToTheRotationAndTurnAboutTheirAxes, ()) {
  auto random = test::any_random();
  const Quat q = random.rotation();
  const Vec3 axis = random.direction();
  const SwingTwist parts = swing_twist(q, axis);
  RC_ASSERT(angle_between(parts.swing * parts.twist, q) < 1e-13);
  RC_ASSERT(parts.twist.vec().cross(axis).norm() < 1e-14);
  RC_ASSERT(std::abs(parts.swing.vec().dot(axis)) < 1e-14);
  RC_ASSERT(parts.swing.w() >= 0 && parts.twist.w() >= 0);
}

RC_GTEST_PROP(SwingTwist, FindTheAnglesTheyWereMadeOf, ()) {
  auto random = test::any_random();
  const Vec3 axis = random.direction();
  const Vec3 across = axis.cross(random.direction()).normalized();
  const double twist = random.uniform(-3.1, 3.1), swing = random.uniform(0, 3.1);
  const Quat q = exp_rotation(swing * across) * exp_rotation(twist * axis);
  const SwingTwist parts = swing_twist(q, axis);
  RC_ASSERT(std::abs(twist_angle(parts.twist, axis) - twist) < 1e-12);
  RC_ASSERT(angle_between(parts.swing, exp_rotation(swing * across)) < 1e-12);
  RC_ASSERT(twist_angle(swing_twist(Quat(-q.coeffs()), axis).twist, axis) == twist_angle(parts.twist, axis));
}

TEST(SwingTwist, HalfATurnOfSwingHasNoTwist) {
  for (const double twist : {0.0, 0.7, -2.0}) {
    const Quat q = exp_rotation({kHalfTurn, 0, 0}) * exp_rotation({0, 0, twist});
    const SwingTwist parts = swing_twist(q, Vec3::UnitZ());
    EXPECT_EQ(parts.twist.coeffs(), Quat::Identity().coeffs());
    EXPECT_LT(angle_between(parts.swing, q), 1e-14);
  }
}

TEST(SwingTwist, OfTheIdentityIsTheIdentity) {
  const SwingTwist parts = swing_twist(Quat::Identity(), Vec3::UnitY());
  EXPECT_EQ(parts.swing.coeffs(), Quat::Identity().coeffs());
  EXPECT_EQ(parts.twist.coeffs(), Quat::Identity().coeffs());
}

RC_GTEST_PROP(TwistPower, ScalesTheAngle, ()) {
  auto random = test::any_random();
  const Vec3 axis = random.direction();
  const double angle = random.uniform(-3.14, 3.14), fraction = random.uniform(-1, 2);
  const Quat twist = exp_rotation(angle * axis);
  RC_ASSERT(angle_between(twist_power(twist, fraction), exp_rotation(fraction * angle * axis)) < 1e-12);
  RC_ASSERT(angle_between(twist_power(Quat(-twist.coeffs()), fraction), twist_power(twist, fraction)) <
            1e-14);
}

TEST(TwistPower, FastIsWithinAThousandthAndExactAtItsKnots) {
  double worst = 0, worst_quarter = 0;
  for (int a = -180; a <= 180; ++a)
    for (int f = 0; f <= 100; ++f) {
      const double angle = a * kHalfTurn / 180, fraction = f / 100.0;
      const Quat twist = exp_rotation({0, angle, 0});
      const double error = angle_between(twist_power_fast(twist, fraction), twist_power(twist, fraction));
      worst = std::max(worst, error);
      if (std::abs(a) <= 90) worst_quarter = std::max(worst_quarter, error);
      const bool knot = f % 50 == 0;
      EXPECT_TRUE(!knot || error < 1e-14) << a << " " << fraction;
    }
  EXPECT_LT(worst, 1e-3);
  EXPECT_LT(worst_quarter, 6e-4);
}

}  // namespace
}  // namespace sinew
