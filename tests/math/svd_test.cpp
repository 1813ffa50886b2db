// SPDX-License-Identifier: Apache-2.0
#include "sinew/math/svd.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "math/random_math.h"
#include "sinew/math/polar.h"
#include "sinew/math/quaternion.h"

namespace sinew {
namespace {

RC_GTEST_PROP(Svd, SingularValuesAreThoseTheMatrixWasMadeOf, ()) {
  auto random = test::any_random();
  Vec3 values(random.uniform(0, 10), random.uniform(0, 10), random.uniform(0, 10));
  const Mat3 M = random.rotation().toRotationMatrix() * values.asDiagonal() *
                 random.rotation().toRotationMatrix().transpose();
  std::sort(values.data(), values.data() + 3, std::greater<>());
  RC_ASSERT((singular_values(M) - values).norm() < 1e-12);
}

RC_GTEST_PROP(Svd, RotationPartIsThatOfThePolarDecomposition, ()) {
  auto random = test::any_random();
  Affine3 transform = Affine3::Identity();
  transform.linear() = random.rotation().toRotationMatrix() * (Mat3::Identity() + 0.2 * random.matrix());
  const Mat3 rotation = rotation_part(transform);
  RC_ASSERT((rotation.transpose() * rotation - Mat3::Identity()).norm() < 1e-13);
  if (transform.linear().determinant() > 1e-3)
    RC_ASSERT((rotation - polar_decomposition(transform.linear()).rotation).norm() < 1e-9);
}

RC_GTEST_PROP(Svd, ShortestArcIsTheLeastRotation, ()) {
  auto random = test::any_random();
  const Vec3 from = random.direction() * random.uniform(0.1, 10),
             to = random.direction() * random.uniform(0.1, 10);
  const Quat arc = shortest_arc(from, to);
  RC_ASSERT((arc * from.normalized() - to.normalized()).norm() < 1e-7);
  RC_ASSERT(arc.angularDistance(least_rotation(from, to)) < 1e-6);
}

TEST(Svd, ShortestArcOfOppositeDirectionsIsHalfATurn) {
  const Quat arc = shortest_arc(Vec3::UnitX(), -2 * Vec3::UnitX());
  EXPECT_NEAR(arc.w(), 0, 1e-6);
  EXPECT_LT((arc * Vec3(Vec3::UnitX()) + Vec3(Vec3::UnitX())).norm(), 1e-6);
}

}  // namespace
}  // namespace sinew
