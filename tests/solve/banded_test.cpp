// SPDX-License-Identifier: Apache-2.0
#include "sinew/solve/banded.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <random>

namespace sinew {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

template <class Entry>
BandedMatrix banded(Index n, Index below, Index above, Entry&& entry) {
  BandedMatrix A(n, below, above);
  for (Index i = 0; i < n; ++i)
    for (Index j = std::max<Index>(0, i - below); j <= std::min(n - 1, i + above); ++j) A(i, j) = entry(i, j);
  return A;
}

MatrixXd dense(const BandedMatrix& A) {
  MatrixXd D = MatrixXd::Zero(A.size(), A.size());
  for (Index i = 0; i < A.size(); ++i)
    for (Index j = std::max<Index>(0, i - A.below()); j <= std::min(A.size() - 1, i + A.above()); ++j)
      D(i, j) = A(i, j);
  return D;
}

TEST(BandedLu, AgreesWithADenseSolveForEveryBand) {
  std::mt19937 random(41);
  std::normal_distribution<double> normal;
  for (const Index n : {1, 2, 5, 40})
    for (Index below = 0; below <= 3; ++below)
      for (Index above = 0; above <= 3; ++above) {
        // Triangular ones get a diagonal of their own: random ones are nearly singular.
        const BandedMatrix A = banded(n, below, above, [&](Index i, Index j) {
          return normal(random) + (i == j && (below == 0 || above == 0) ? 5 : 0);
        });
        const MatrixXd b = MatrixXd::Random(n, 3);
        const auto lu = BandedLu::factor(A);
        ASSERT_TRUE(lu.ok()) << lu.error().message;
        EXPECT_LT((dense(A) * lu->solve(b) - b).norm(), 1e-9) << n << " " << below << " " << above;
        const MatrixXd expected = dense(A).partialPivLu().solve(b);
        EXPECT_LT((lu->solve(b) - expected).norm(), 1e-8 * (1 + expected.norm()));
      }
}

TEST(BandedLu, SolvesTheBendingBeamInClosedForm) {
  // u'''' = 24 with u = u'' = 0 at both ends of [0, 1]: u = x^4 - 2 x^3 + x, which the stencil reproduces
  // exactly.
  const Index n = 99;
  const double h = 0.01;
  const BandedMatrix A = banded(n, 2, 2, [&](Index i, Index j) {
    const double stencil[] = {6, -4, 1};
    const bool edge = i == j && (i == 0 || i == n - 1);
    return stencil[std::abs(i - j)] - (edge ? 1 : 0);
  });
  const auto lu = BandedLu::factor(A);
  ASSERT_TRUE(lu.ok());
  const MatrixXd u = lu->solve(MatrixXd::Constant(n, 1, 24 * h * h * h * h));
  for (Index i = 0; i < n; ++i) {
    const double x = h * static_cast<double>(i + 1);
    EXPECT_NEAR(u(i), x * x * x * x - 2 * x * x * x + x, 1e-4);  // the end condition is of second order
  }
}

TEST(BandedLu, PivotsWhereTheDiagonalIsZero) {
  const BandedMatrix A = banded(6, 1, 1, [](Index i, Index j) { return i == j ? 0.0 : 1.0; });
  const auto lu = BandedLu::factor(A);
  ASSERT_TRUE(lu.ok());
  const MatrixXd b = MatrixXd::Random(6, 1);
  EXPECT_LT((dense(A) * lu->solve(b) - b).norm(), 1e-13);
}

TEST(BandedLu, RefusesSingularAndNonFiniteSystems) {
  const auto singular =
      BandedLu::factor(banded(5, 1, 1, [](Index i, Index j) { return i == j ? 0.0 : 1.0; }));
  ASSERT_FALSE(singular.ok());
  EXPECT_EQ(singular.error().code, ErrorCode::kImpossible);
  EXPECT_FALSE(BandedLu::factor(BandedMatrix(3, 1, 1)).ok());
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()})
    EXPECT_FALSE(
        BandedLu::factor(banded(3, 1, 1, [&](Index i, Index j) { return i == j ? bad : 1.0; })).ok());
}

}  // namespace
}  // namespace sinew
