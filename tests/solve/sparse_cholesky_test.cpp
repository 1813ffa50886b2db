// SPDX-License-Identifier: Apache-2.0
#include "sinew/solve/sparse_cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <random>

#include "sinew/core/parallel.h"
#include "solve/grid_laplacian.h"

namespace sinew {
namespace {

using Eigen::MatrixXd;
using Eigen::SparseMatrix;
using Eigen::VectorXd;

SparseMatrix<double> random_definite(int n, std::mt19937& random) {
  std::normal_distribution<double> normal;
  MatrixXd B = MatrixXd::Zero(n, n);
  for (int k = 0; k < 4 * n; ++k)
    B(static_cast<int>(random() % unsigned(n)), static_cast<int>(random() % unsigned(n))) = normal(random);
  return (B * B.transpose() + 0.1 * MatrixXd::Identity(n, n)).sparseView();
}

SparseCholesky factor(const SparseMatrix<double>& A) {
  auto result = SparseCholesky::factor(A);
  EXPECT_TRUE(result.ok()) << result.error().message;
  return *result;
}

TEST(SparseCholesky, AgreesWithADenseSolveForAnyNumberOfColumns) {
  std::mt19937 random(31);
  for (const int n : {1, 2, 7, 60}) {
    const SparseMatrix<double> A = random_definite(n, random);
    const SparseCholesky cholesky = factor(A);
    EXPECT_EQ(cholesky.size(), n);
    for (const int columns : {1, 2, 4, 5, 8, 9, 20}) {
      const MatrixXd B = MatrixXd::Random(n, columns);
      const MatrixXd dense = MatrixXd(A).ldlt().solve(B);
      EXPECT_LT((cholesky.solve(B) - dense).norm(), 1e-10 * dense.norm()) << n << " x " << columns;
    }
  }
}

TEST(SparseCholesky, InvertsTheModesOfTheGridLaplacian) {
  const int m = 40;
  const SparseCholesky cholesky = factor(test::grid_laplacian(m));
  for (const auto& [a, b] : {std::pair{1, 1}, {3, 7}, {40, 40}}) {
    const VectorXd mode = test::grid_mode(m, a, b);
    const VectorXd x = cholesky.solve(mode);
    EXPECT_LT((x * test::grid_eigenvalue(m, a, b) - mode).norm(), 1e-11 * mode.norm());
  }
}

TEST(SparseCholesky, ReadsTheLowerTriangleOnly) {
  const SparseMatrix<double> A = test::grid_laplacian(6);
  const SparseMatrix<double> half = A.triangularView<Eigen::Lower>();
  const VectorXd b = VectorXd::LinSpaced(36, -1, 2);
  EXPECT_EQ(factor(A).solve(b), factor(half).solve(b));
}

TEST(SparseCholesky, BitsDoNotDependOnThreadsOrOtherColumns) {
  const SparseCholesky cholesky = factor(test::grid_laplacian(50));
  const MatrixXd B = MatrixXd::Random(2500, 37);
  set_thread_count(1);
  const MatrixXd alone = cholesky.solve(B);
  set_thread_count(4);
  const MatrixXd together = cholesky.solve(B);
  set_thread_count(0);
  EXPECT_EQ(alone, together);
  for (const int c : {0, 5, 36}) EXPECT_EQ(VectorXd(cholesky.solve(B.col(c))), VectorXd(alone.col(c)));
}

TEST(SparseCholesky, NothingIsFine) {
  const SparseCholesky empty = factor(SparseMatrix<double>(0, 0));
  EXPECT_EQ(empty.solve(MatrixXd(0, 3)).cols(), 3);
  EXPECT_EQ(factor(test::grid_laplacian(4)).solve(MatrixXd(16, 0)).size(), 0);
}

TEST(SparseCholesky, RefusesWhatIsNotPositiveDefinite) {
  SparseMatrix<double> indefinite = test::grid_laplacian(5);
  indefinite.coeffRef(12, 12) = -4;
  SparseMatrix<double> zero_row(3, 3);
  zero_row.insert(0, 0) = 1;
  zero_row.insert(2, 2) = 1;
  zero_row.makeCompressed();
  for (const SparseMatrix<double>& A :
       {indefinite, zero_row, SparseMatrix<double>(-test::grid_laplacian(5))}) {
    const auto result = SparseCholesky::factor(A);
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::kImpossible);
    EXPECT_NE(result.error().message.find("not positive definite"), std::string::npos);
  }
}

TEST(SparseCholesky, RefusesALaplacianWithoutAFixedValue) {
  for (const int m : {2, 3, 10, 33, 100, 200})
    EXPECT_FALSE(SparseCholesky::factor(test::grid_laplacian(m, true)).ok()) << m;
}

TEST(SparseCholesky, AcceptsAStiffSystem) {
  const SparseMatrix<double> L = test::grid_laplacian(100);
  EXPECT_TRUE(SparseCholesky::factor(L * L).ok());
  EXPECT_TRUE(SparseCholesky::factor(L * L * L).ok());
}

TEST(SparseCholesky, RefusesNumbersThatAreNotFinite) {
  SparseMatrix<double> A = test::grid_laplacian(3);
  A.coeffRef(4, 4) = std::nan("");
  const auto result = SparseCholesky::factor(A);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew
