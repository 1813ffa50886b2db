// SPDX-License-Identifier: Apache-2.0
#include "sinew/math/polar.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

#include "math/random_math.h"

namespace sinew {
namespace {

void expect_polar(const Mat3& M) {
  const Polar polar = polar_decomposition(M);
  const double size = M.norm();
  EXPECT_LT((polar.rotation * polar.stretch - M).norm(), 1e-12 * size + 1e-300) << M;
  EXPECT_LT((polar.rotation * polar.rotation.transpose() - Mat3::Identity()).norm(), 1e-13);
  EXPECT_NEAR(polar.rotation.determinant(), 1, 1e-13);
  EXPECT_EQ(polar.stretch, polar.stretch.transpose());
  // At most one negative stretch, and that the smallest: all pairs sum to something positive.
  if (size == 0) return;
  const Vec3 stretches = Eigen::SelfAdjointEigenSolver<Mat3>(polar.stretch / size).eigenvalues();
  EXPECT_GT(stretches[0] + stretches[1], -1e-12);
}

TEST(PolarDecomposition, HoldsForRandomSingularMirroredTinyAndHugeMatrices) {
  test::RandomMath random(11);
  for (int round = 0; round < 2000; ++round) {
    const Mat3 M = random.matrix();
    const Mat3 flat = M * Vec3(1, 1, 0).asDiagonal() * random.matrix();
    const Mat3 line = random.vector() * random.vector().transpose();
    for (const Mat3& each : {M, Mat3(-M), flat, line, Mat3(1e-150 * M), Mat3(1e150 * M)}) expect_polar(each);
  }
  expect_polar(Mat3::Zero());
  expect_polar(Mat3::Identity());
  expect_polar(-Mat3::Identity());
  expect_polar(Vec3(1, 1, -1).asDiagonal());
}

RC_GTEST_PROP(PolarDecomposition, FindsTheRotationAndStretchItWasMadeOf, ()) {
  auto random = test::any_random();
  const Mat3 rotation = random.rotation().toRotationMatrix(), frame = random.rotation().toRotationMatrix();
  const Vec3 stretches(random.uniform(1, 3), random.uniform(0.5, 1), random.uniform(-0.4, 0.5));
  const Mat3 stretch = frame * stretches.asDiagonal() * frame.transpose();
  const Polar polar = polar_decomposition(rotation * stretch);
  RC_ASSERT((polar.rotation - rotation).norm() < 1e-12);
  RC_ASSERT((polar.stretch - stretch).norm() < 1e-12);
}

RC_GTEST_PROP(Decompose, GivesBackWhatWasComposed, ()) {
  auto random = test::any_random();
  Trs parts;
  parts.translation = random.vector();
  parts.rotation = random.rotation();
  parts.scale = Vec3(random.uniform(0.1, 3), random.uniform(0.1, 3), random.uniform(0.1, 3));
  if (random.normal() < 0) parts.scale.x() = -parts.scale.x();
  const Trs found = decompose(compose(parts));
  RC_ASSERT((found.scale - parts.scale).norm() < 1e-12);
  RC_ASSERT((found.rotation.toRotationMatrix() - parts.rotation.toRotationMatrix()).norm() < 1e-12);
  RC_ASSERT(found.translation == parts.translation);
}

RC_GTEST_PROP(Decompose, ComposesToTheSameMatrixWhicheverAxesAreMirrored, ()) {
  auto random = test::any_random();
  Trs parts{random.vector(), random.rotation(), random.vector()};
  if (random.normal() < 0) parts.scale.y() = 0;
  const Affine3 transform = compose(parts);
  RC_ASSERT((compose(decompose(transform)).matrix() - transform.matrix()).norm() < 1e-12);
}

}  // namespace
}  // namespace sinew
