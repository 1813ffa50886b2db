// SPDX-License-Identifier: Apache-2.0
#include "autorig/similarity.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew::autorig {
namespace {

const std::vector<Vec3> kPoints = {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {0, 0, 3}, {1, 1, 1}};

TEST(Similarity, FindsTurnScaleAndPlace) {
  const Mat3 turn = Eigen::AngleAxisd(2.1, Vec3(1, -2, 0.5).normalized()).toRotationMatrix();
  std::vector<Vec3> to;
  for (const Vec3& p : kPoints) to.push_back(0.3 * turn * p + Vec3(5, -1, 2));
  const Similarity fit = fit_similarity(kPoints, to);
  EXPECT_NEAR(fit.scale, 0.3, 1e-9);
  EXPECT_NEAR((fit.rotation - turn).norm(), 0, 1e-9);
  EXPECT_NEAR((fit.translation - Vec3(5, -1, 2)).norm(), 0, 1e-9);
  EXPECT_NEAR(fit.error, 0, 1e-6);
}

TEST(Similarity, AMirrorImageIsNoTurn) {
  std::vector<Vec3> to;
  for (const Vec3& p : kPoints) to.push_back({-p.x(), p.y(), p.z()});
  const Similarity fit = fit_similarity(kPoints, to);
  EXPECT_NEAR(fit.rotation.determinant(), 1, 1e-9);
  EXPECT_GT(fit.error, 0.1);
}

TEST(Similarity, PointsWithoutExtentHaveNoScale) {
  const std::vector<Vec3> one(3, Vec3(1, 2, 3));
  EXPECT_EQ(fit_similarity(one, one).scale, 0);
}

}  // namespace
}  // namespace sinew::autorig
