// SPDX-License-Identifier: Apache-2.0
#include "sinew/math/dual_quaternion.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "math/random_math.h"

namespace sinew {
namespace {

Affine3 random_rigid(test::RandomMath& random) {
  Affine3 rigid = Affine3::Identity();
  rigid.linear() = random.rotation().toRotationMatrix();
  rigid.translation() = 3 * random.vector();
  return rigid;
}

double difference(const Affine3& a, const Affine3& b) {
  return (a.matrix() - b.matrix()).norm();
}

DualQuat negative(const DualQuat& q) {
  return {Quat(-q.real.coeffs()), Quat(-q.dual.coeffs())};
}

RC_GTEST_PROP(DualQuaternion, HoldsARigidTransformAndGivesItBack, ()) {
  auto random = test::any_random();
  const Affine3 rigid = random_rigid(random);
  const DualQuat q = dual_quaternion(rigid);
  RC_ASSERT(difference(rigid_transform(q), rigid) < 1e-13);
  RC_ASSERT(difference(rigid_transform(negative(q)), rigid) < 1e-13);
  RC_ASSERT(std::abs(q.real.dot(q.dual)) < 1e-14);
}

RC_GTEST_PROP(DualQuaternion, ActsAsItsMatrixDoes, ()) {
  auto random = test::any_random();
  const Affine3 a = random_rigid(random), b = random_rigid(random);
  const DualQuat qa = dual_quaternion(a), qb = dual_quaternion(b);
  const Vec3 p = random.vector();
  RC_ASSERT((transform_point(qa, p) - a * p).norm() < 1e-12);
  RC_ASSERT((transform_vector(qa, p) - a.linear() * p).norm() < 1e-13);
  RC_ASSERT(difference(rigid_transform(qa * qb), a * b) < 1e-12);
  RC_ASSERT(difference(rigid_transform(inverse(qa)), a.inverse()) < 1e-12);
}

RC_GTEST_PROP(DualQuaternion, NormalisingUndoesScaleAndProjectsTheDual, ()) {
  auto random = test::any_random();
  const DualQuat q = dual_quaternion(random_rigid(random));
  const double scale = random.uniform(0.1, 5), slip = random.normal();
  DualQuat off;
  off.real.coeffs() = scale * q.real.coeffs();
  off.dual.coeffs() = scale * q.dual.coeffs() + slip * q.real.coeffs();
  RC_ASSERT(difference(rigid_transform(normalised(off)), rigid_transform(q)) < 1e-12);
  RC_ASSERT(std::abs(normalised(off).real.norm() - 1) < 1e-14);
  RC_ASSERT(std::abs(normalised(off).real.dot(normalised(off).dual)) < 1e-13);
}

TEST(DualQuaternion, ZeroNormalisesToTheIdentity) {
  const DualQuat zero{Quat(0, 0, 0, 0), Quat(0, 1, 2, 3)};
  EXPECT_EQ(difference(rigid_transform(normalised(zero)), Affine3::Identity()), 0);
}

RC_GTEST_PROP(BlendRigid, OfEqualTransformsIsThatTransformWhateverTheSigns, ()) {
  auto random = test::any_random();
  const Affine3 rigid = random_rigid(random);
  const DualQuat q = dual_quaternion(rigid);
  const DualQuat list[] = {negative(q), q, negative(q)};
  const double weights[] = {0.2, 0.3, 0.5};
  RC_ASSERT(difference(rigid_transform(blend_rigid(list, weights)), rigid) < 1e-12);
}

RC_GTEST_PROP(BlendRigid, DoesNotDependOnTheSigns, ()) {
  auto random = test::any_random();
  DualQuat list[3], flipped[3];
  for (int k = 0; k < 3; ++k) {
    list[k] = dual_quaternion(random_rigid(random));
    flipped[k] = random.normal() < 0 ? negative(list[k]) : list[k];
  }
  const double weights[] = {0.25, 0.45, 0.3};
  const Affine3 expected = rigid_transform(blend_rigid(list, weights));
  RC_ASSERT(difference(rigid_transform(blend_rigid(flipped, weights)), expected) < 1e-9);
}

RC_GTEST_PROP(BlendRigid, DoesNotDependOnTheFrame, ()) {
  auto random = test::any_random();
  const Affine3 frame = random_rigid(random);
  DualQuat list[3], moved[3];
  for (int k = 0; k < 3; ++k) {
    list[k] = dual_quaternion(random_rigid(random));
    moved[k] = dual_quaternion(frame) * list[k] * inverse(dual_quaternion(frame));
  }
  const double weights[] = {0.5, 0.3, 0.2};
  const Affine3 expected = frame * rigid_transform(blend_rigid(list, weights)) * frame.inverse();
  RC_ASSERT(difference(rigid_transform(blend_rigid(moved, weights)), expected) < 1e-9);
}

TEST(BlendRigid, HalfWayOfAScrewIsTheScrewByHalfItsAngle) {
  const Vec3 axis_point(2, 0, 0);
  const auto screw = [&](double angle, double rise) {
    Affine3 result = Affine3::Identity();
    result.linear() = Eigen::AngleAxisd(angle, Vec3::UnitZ()).toRotationMatrix();
    result.translation() = axis_point - result.linear() * axis_point + rise * Vec3::UnitZ();
    return result;
  };
  const DualQuat list[] = {dual_quaternion(screw(0, 0)), dual_quaternion(screw(1.4, 3))};
  const double weights[] = {0.5, 0.5};
  EXPECT_LT(difference(rigid_transform(blend_rigid(list, weights)), screw(0.7, 1.5)), 1e-13);
}

TEST(BlendRigid, NothingIsTheIdentity) {
  EXPECT_EQ(difference(rigid_transform(blend_rigid({}, {})), Affine3::Identity()), 0);
}

}  // namespace
}  // namespace sinew
