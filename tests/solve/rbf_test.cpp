// SPDX-License-Identifier: Apache-2.0
#include "sinew/solve/rbf.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sinew {
namespace {

std::vector<double> at(const RadialBasis& basis, const Eigen::VectorXd& point) {
  std::vector<double> out(basis.outputs());
  basis.evaluate({point.data(), static_cast<std::size_t>(point.size())}, out);
  return out;
}

TEST(RadialBasis, EveryPointHasItsValue) {
  std::srand(5);
  const Eigen::MatrixXd points = Eigen::MatrixXd::Random(60, 9), values = Eigen::MatrixXd::Random(60, 4);
  for (const double radius : {0.05, 0.7, 30.0}) {
    const auto basis = RadialBasis::fit(points, values, radius);
    ASSERT_TRUE(basis.ok());
    for (Eigen::Index k = 0; k < points.rows(); ++k) {
      const auto out = at(*basis, points.row(k));
      for (Eigen::Index c = 0; c < 4; ++c) EXPECT_NEAR(out[static_cast<std::size_t>(c)], values(k, c), 1e-9);
    }
  }
}

TEST(RadialBasis, OnePointIsItsBell) {
  Eigen::MatrixXd point(1, 1), value(1, 1);
  point << 2;
  value << 5;
  const auto basis = RadialBasis::fit(point, value, 0.5);
  ASSERT_TRUE(basis.ok());
  for (const double x : {2.0, 2.1, 3.0}) {
    const double t = std::sqrt(3.0) * (x - 2) / 0.5;
    EXPECT_NEAR(at(*basis, Eigen::VectorXd::Constant(1, x))[0], 5 * (1 + t) * std::exp(-t), 1e-12);
  }
}

TEST(RadialBasis, PointsADegreeApartAreStillSolved) {
  Eigen::MatrixXd points(40, 1), values(40, 1);
  for (Eigen::Index k = 0; k < 40; ++k) {
    points(k, 0) = static_cast<double>(k) * 0.01745;
    values(k, 0) = static_cast<double>(k % 2);
  }
  const auto basis = RadialBasis::fit(points, values, 1.5);
  ASSERT_TRUE(basis.ok());
  for (Eigen::Index k = 0; k < 40; ++k) EXPECT_NEAR(at(*basis, points.row(k))[0], values(k, 0), 1e-6);
}

TEST(RadialBasis, RefusesWhatHasNoAnswer) {
  const Eigen::MatrixXd two = Eigen::MatrixXd::Ones(2, 3), values = Eigen::MatrixXd::Identity(2, 2);
  EXPECT_EQ(RadialBasis::fit(two, values, 1).error().code, ErrorCode::kImpossible);
  EXPECT_EQ(RadialBasis::fit(two, values, 0).error().code, ErrorCode::kUsage);
  EXPECT_EQ(RadialBasis::fit(two, Eigen::MatrixXd::Ones(3, 1), 1).error().code, ErrorCode::kUsage);
  const Eigen::MatrixXd broken = Eigen::MatrixXd::Constant(2, 1, std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(RadialBasis::fit(broken, values, 1).error().code, ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew
