// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <array>
#include <memory>
#include <span>

#include "sinew/core/result.h"

namespace sinew {

/// How a factor is used: kMany takes longer to find an order of the equations that leaves fewer numbers to go
/// through in each solve.
enum class SolveCount { kFew, kMany };

/// A = P^T L D L^T P of a symmetric positive definite matrix, kept for many solves. Meant for surfaces: the
/// factor of a mesh Laplacian grows about like n log n; that of a 3D grid does not (there: conjugate
/// gradients). Copies share the factor.
class SparseCholesky {
 public:
  /// Reads the lower triangle of A (square, n x n). kImpossible where A is not finite or not positive definite
  /// (also: singular up to rounding, as a Laplacian without a fixed value is), or where memory runs out
  /// (kLimit).
  static Result<SparseCholesky> factor(const Eigen::SparseMatrix<double>& A,
                                       SolveCount solves = SolveCount::kFew);

  Eigen::Index size() const;            ///< n
  Eigen::Index factor_entries() const;  ///< stored numbers of L: 12 bytes each

  /// Four right-hand sides side by side (leave those not needed 0): row i of B becomes row i of X. Never
  /// allocates. `scratch` is overwritten. Sizes: n.
  using Row = std::array<double, 4>;
  void solve_rows(std::span<Row> rows, std::span<Row> scratch) const noexcept;

  /// X with A X = B for one or many columns (n rows) at once. Columns are solved in groups, in parallel; a
  /// column's bits depend neither on the threads nor on the other columns.
  template <class Derived>
  auto solve(const Eigen::MatrixBase<Derived>& b) const {
    using Output = Eigen::Matrix<double, Eigen::Dynamic, Derived::ColsAtCompileTime>;
    const Output columns = b;
    Output x(columns.rows(), columns.cols());
    solve_columns(columns.data(), x.data(), columns.rows(), columns.cols());
    return x;
  }

  /// For loops that solve again and again: up to four columns side by side, rows in the order of the factor
  /// (row i is row order()[i] of A), in place. Never allocates.
  using Row4 = std::array<double, 4>;
  std::span<const int> order() const;
  void solve_ordered(std::span<Row4> rows) const noexcept;

 private:
  struct Factor;
  explicit SparseCholesky(std::shared_ptr<const Factor> factor);
  void solve_columns(const double* b, double* x, Eigen::Index rows, Eigen::Index columns) const;
  std::shared_ptr<const Factor> factor_;
};

}  // namespace sinew
