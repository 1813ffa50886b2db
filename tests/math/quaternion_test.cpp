// SPDX-License-Identifier: Apache-2.0
#include "sinew/math/quaternion.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "math/random_math.h"

namespace sinew {
namespace {

constexpr double kPi = 3.14159265358979323846;

// The angle between two rotations, without the loss of digits of acos.
double distance(const Quat& a, const Quat& b) {
  const Quat difference = a.conjugate() * b;
  return 2 * std::atan2(difference.vec().norm(), std::abs(difference.w()));
}

RC_GTEST_PROP(RotationVector, LogUndoesExpForAnglesUpToHalfATurn, ()) {
  auto random = test::any_random();
  const double angle = std::pow(10.0, random.uniform(-12, 0)) * kPi * 0.999;
  const Vec3 vector = angle * random.direction();
  RC_ASSERT((log_rotation(exp_rotation(vector)) - vector).norm() < 1e-13 * angle);
}

RC_GTEST_PROP(RotationVector, ExpIsTheAxisAngleRotation, ()) {
  auto random = test::any_random();
  const Vec3 axis = random.direction();
  const double angle = random.uniform(-20, 20);
  RC_ASSERT(distance(exp_rotation(angle * axis), Quat(Eigen::AngleAxisd(angle, axis))) < 1e-13);
}

RC_GTEST_PROP(RotationVector, LogIsTheSameForBothSigns, ()) {
  auto random = test::any_random();
  const Quat q = random.rotation();
  RC_ASSERT(log_rotation(q) == log_rotation(Quat(-q.coeffs())));
  RC_ASSERT(log_rotation(q).norm() <= kPi + 1e-15);
}

TEST(RotationVector, ZeroIsTheIdentityAndBack) {
  EXPECT_EQ(exp_rotation(Vec3::Zero()).coeffs(), Quat::Identity().coeffs());
  EXPECT_EQ(log_rotation(Quat::Identity()), Vec3::Zero());
  EXPECT_EQ(log_rotation(Quat(-1, 0, 0, 0)), Vec3::Zero());
}

RC_GTEST_PROP(Slerp, GoesTheShorterWayAtConstantSpeed, ()) {
  auto random = test::any_random();
  const Quat a = random.rotation();
  const double scale = std::pow(10.0, random.uniform(-10, 0.49));
  Quat b = a * exp_rotation(scale * random.direction());
  if (random.normal() < 0) b.coeffs() = -b.coeffs();
  const double t = random.uniform(0, 1), whole = distance(a, b);
  const Quat q = slerp_shortest(a, b, t);
  RC_ASSERT(std::abs(distance(a, q) - t * whole) < 1e-12);
  RC_ASSERT(std::abs(distance(q, b) - (1 - t) * whole) < 1e-12);
  RC_ASSERT(std::abs(q.norm() - 1) < 1e-14);
}

TEST(Slerp, OfOppositeRotationsIsStillARotationHalfWay) {
  const Quat q = slerp_shortest(Quat::Identity(), Quat(0, 1, 0, 0), 0.5);
  EXPECT_NEAR(distance(q, Quat::Identity()), kPi / 2, 1e-12);
  EXPECT_NEAR(distance(q, Quat(0, 1, 0, 0)), kPi / 2, 1e-12);
}

RC_GTEST_PROP(BlendRotations, DoesNotDependOnSignsAndFollowsACommonTurn, ()) {
  auto random = test::any_random();
  Quat q[3], flipped[3], turned[3];
  double weights[3] = {0.5, 0.3, 0.2};
  const Quat base = random.rotation(), turn = random.rotation();
  for (int k = 0; k < 3; ++k) {
    q[k] = base * exp_rotation(0.8 * random.direction());
    flipped[k] = random.normal() < 0 ? Quat(-q[k].coeffs()) : q[k];
    turned[k] = turn * q[k];
  }
  const Quat blended = blend_rotations(q, weights);
  RC_ASSERT(distance(blended, blend_rotations(flipped, weights)) < 1e-14);
  RC_ASSERT(distance(turn * blended, blend_rotations(turned, weights)) < 1e-13);
}

TEST(BlendRotations, TwoEqualWeightsMeetHalfWay) {
  const Quat q[] = {exp_rotation({0.2, 0, 0}), exp_rotation({1.0, 0, 0})};
  const double weights[] = {0.5, 0.5};
  EXPECT_LT(distance(blend_rotations(q, weights), exp_rotation({0.6, 0, 0})), 1e-14);
}

TEST(BlendRotations, NothingIsTheIdentity) {
  EXPECT_EQ(blend_rotations({}, {}).coeffs(), Quat::Identity().coeffs());
  const Quat q[] = {Quat(0, 1, 0, 0)};
  const double zero[] = {0.0};
  EXPECT_EQ(blend_rotations(q, zero).coeffs(), Quat::Identity().coeffs());
}

TEST(NormalisedOrIdentity, SurvivesZeroTinyHugeAndNan) {
  EXPECT_EQ(normalised_or_identity(Quat(0, 0, 0, 0)).coeffs(), Quat::Identity().coeffs());
  EXPECT_EQ(normalised_or_identity(Quat(std::nan(""), 0, 0, 1)).coeffs(), Quat::Identity().coeffs());
  for (const double size : {1e-200, 1.0, 1e200})
    EXPECT_LT((normalised_or_identity(Quat(0, 3 * size, 0, 4 * size)).coeffs() - Vec4(0.6, 0, 0.8, 0)).norm(),
              1e-15);
}

RC_GTEST_PROP(LeastRotation, TakesOneDirectionIntoTheOtherByTheAngleBetween, ()) {
  auto random = test::any_random();
  const Vec3 a = random.direction();
  // Also very near to, and very nearly opposite to, the other.
  const double off = std::pow(10.0, random.uniform(-12, 0)), side = random.normal() < 0 ? -1 : 1;
  const Vec3 b = (side * a + off * random.direction()).normalized();
  const Quat q = least_rotation(3 * a, 0.1 * b);
  RC_ASSERT((q * a - b).norm() < 1e-7);
  RC_ASSERT(std::abs(q.norm() - 1) < 1e-14);
  RC_ASSERT(std::abs(log_rotation(q).norm() - std::atan2(a.cross(b).norm(), a.dot(b))) < 1e-7);
}

TEST(LeastRotation, OppositeDirectionsAreHalfATurn) {
  for (const Vec3& a : {Vec3(1, 0, 0), Vec3(0, 1, 0), Vec3(0, 0, 1), Vec3(1, 2, 3), Vec3(-1, 1e-9, 0)}) {
    const Quat q = least_rotation(a, -2 * a);
    EXPECT_LT((q * a + a).norm(), 1e-7);
    EXPECT_NEAR(q.norm(), 1, 1e-14);
  }
}

TEST(LeastRotation, OfAZeroVectorIsTheIdentity) {
  EXPECT_EQ(least_rotation(Vec3::Zero(), Vec3::UnitX()).coeffs(), Quat::Identity().coeffs());
  EXPECT_EQ(least_rotation(Vec3::UnitX(), Vec3::Zero()).coeffs(), Quat::Identity().coeffs());
  EXPECT_LT(
      (least_rotation(1e-200 * Vec3::UnitX(), 1e200 * Vec3::UnitY()) * Vec3::UnitX() - Vec3::UnitY()).norm(),
      1e-14);
}

}  // namespace
}  // namespace sinew
