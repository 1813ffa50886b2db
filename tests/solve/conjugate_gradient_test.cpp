// SPDX-License-Identifier: Apache-2.0
#include "sinew/solve/conjugate_gradient.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/solve/sparse_cholesky.h"
#include "solve/grid_laplacian.h"

namespace sinew {
namespace {

using Eigen::MatrixXd;
using Eigen::SparseMatrix;

LinearMap times(const SparseMatrix<double>& A) {
  return [&A](const MatrixXd& in, MatrixXd& out) { out.noalias() = A * in; };
}

TEST(ConjugateGradient, AgreesWithTheDirectSolve) {
  const SparseMatrix<double> A = test::grid_laplacian(30);
  const MatrixXd b = MatrixXd::Random(900, 5);
  MatrixXd x = MatrixXd::Zero(900, 5);
  const auto report = conjugate_gradient(times(A), nullptr, b, x);
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_TRUE(report->converged);
  EXPECT_LT(report->residual, 1e-9);
  const MatrixXd direct = SparseCholesky::factor(A)->solve(b);
  EXPECT_LT((x - direct).norm(), 1e-8 * direct.norm());
}

TEST(ConjugateGradient, NeedsOneStepForEveryDifferentEigenvalueInTheRightHandSide) {
  const int m = 20;
  const SparseMatrix<double> A = test::grid_laplacian(m);
  MatrixXd b = test::grid_mode(m, 1, 1) + 2 * test::grid_mode(m, 4, 7) - test::grid_mode(m, 20, 3);
  MatrixXd x = MatrixXd::Zero(m * m, 1);
  const auto report = conjugate_gradient(times(A), nullptr, b, x);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->iterations, 3);
}

TEST(ConjugateGradient, AnExactPreconditionerNeedsOneStep) {
  const SparseMatrix<double> A = test::grid_laplacian(20);
  const auto cholesky = SparseCholesky::factor(A);
  const LinearMap inverse = [&](const MatrixXd& in, MatrixXd& out) { out = cholesky->solve(in); };
  const MatrixXd b = MatrixXd::Random(400, 3);
  MatrixXd x = MatrixXd::Random(400, 3);
  const auto report = conjugate_gradient(times(A), inverse, b, x);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->converged);
  EXPECT_LE(report->iterations, 2);
}

TEST(ConjugateGradient, StartsFromTheXThatIsThere) {
  const SparseMatrix<double> A = test::grid_laplacian(20);
  const MatrixXd b = MatrixXd::Random(400, 2);
  MatrixXd x = SparseCholesky::factor(A)->solve(b);
  const auto report = conjugate_gradient(times(A), nullptr, b, x);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->iterations, 0);
  EXPECT_TRUE(report->converged);
}

TEST(ConjugateGradient, ZeroColumnsAndEmptySystemsAreSolved) {
  const SparseMatrix<double> A = test::grid_laplacian(10);
  MatrixXd b = MatrixXd::Random(100, 3), x = MatrixXd::Random(100, 3);
  b.col(1).setZero();
  const auto report = conjugate_gradient(times(A), nullptr, b, x);
  ASSERT_TRUE(report.ok());
  EXPECT_TRUE(report->converged);
  EXPECT_LT(x.col(1).norm(), 1e-9);
  MatrixXd nothing(100, 0);
  EXPECT_TRUE(conjugate_gradient(times(A), nullptr, nothing, nothing)->converged);
}

TEST(ConjugateGradient, ReportsTheResidualWhereItDoesNotConverge) {
  const SparseMatrix<double> A = test::grid_laplacian(50);
  const MatrixXd b = MatrixXd::Random(2500, 2);
  MatrixXd x = MatrixXd::Zero(2500, 2);
  ConjugateGradientOptions options;
  options.max_iterations = 5;
  const auto report = conjugate_gradient(times(A), nullptr, b, x, options);
  ASSERT_TRUE(report.ok());
  EXPECT_FALSE(report->converged);
  EXPECT_EQ(report->iterations, 5);
  const MatrixXd left = b - A * x;
  EXPECT_NEAR(report->residual,
              std::max(left.col(0).norm() / b.col(0).norm(), left.col(1).norm() / b.col(1).norm()), 1e-12);
}

TEST(ConjugateGradient, BitsDoNotDependOnThreads) {
  const SparseMatrix<double> A = test::grid_laplacian(200);
  const MatrixXd b = MatrixXd::Random(40000, 2);
  MatrixXd x[2];
  for (int k = 0; k < 2; ++k) {
    set_thread_count(k == 0 ? 1 : 4);
    x[k] = MatrixXd::Zero(40000, 2);
    ConjugateGradientOptions options;
    options.max_iterations = 30;
    EXPECT_TRUE(conjugate_gradient(times(A), nullptr, b, x[k], options).ok());
  }
  set_thread_count(0);
  EXPECT_EQ(x[0], x[1]);
}

TEST(ConjugateGradient, RefusesIndefiniteMapsAndNan) {
  SparseMatrix<double> A = test::grid_laplacian(5);
  A.coeffRef(12, 12) = -4;
  MatrixXd b = MatrixXd::Zero(25, 1), x = MatrixXd::Zero(25, 1);
  b(12) = 1;
  const auto indefinite = conjugate_gradient(times(A), nullptr, b, x);
  ASSERT_FALSE(indefinite.ok());
  EXPECT_EQ(indefinite.error().code, ErrorCode::kImpossible);
  b(3) = std::nan("");
  EXPECT_FALSE(conjugate_gradient(times(A), nullptr, b, x).ok());
}

TEST(ConjugateGradient, StopsWhenCancelled) {
  const SparseMatrix<double> A = test::grid_laplacian(20);
  const std::atomic<bool> cancel{true};
  Progress progress;
  progress.cancel = &cancel;
  ConjugateGradientOptions options;
  options.progress = &progress;
  const MatrixXd b = MatrixXd::Random(400, 1);
  MatrixXd x = MatrixXd::Zero(400, 1);
  const auto result = conjugate_gradient(times(A), nullptr, b, x, options);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kCancelled);
}

}  // namespace
}  // namespace sinew
