// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <vector>

#include "sinew/core/result.h"

namespace sinew {

/// An n x n matrix whose entry (i, j) is zero outside j - i in [-below, above]: tridiagonal is (1, 1),
/// pentadiagonal (2, 2).
class BandedMatrix {
 public:
  BandedMatrix(Eigen::Index n, Eigen::Index below, Eigen::Index above);
  Eigen::Index size() const { return n_; }
  Eigen::Index below() const { return below_; }
  Eigen::Index above() const { return above_; }
  /// (i, j) must lie within the band.
  double& operator()(Eigen::Index i, Eigen::Index j);
  double operator()(Eigen::Index i, Eigen::Index j) const;

 private:
  Eigen::Index n_, below_, above_;
  std::vector<double> entries_;
};

/// P A = L U with row exchanges, n * below * (below + above) operations; needs no symmetry.
class BandedLu {
 public:
  /// kImpossible where A is singular up to rounding, or not finite.
  static Result<BandedLu> factor(const BandedMatrix& A);
  /// X with A X = B, one or many columns of n rows.
  Eigen::MatrixXd solve(const Eigen::MatrixXd& b) const;

 private:
  explicit BandedLu(BandedMatrix factors) : factors_(std::move(factors)) {}
  BandedMatrix factors_;  ///< U in rows k .. k + below + above, multipliers of L below the diagonal
  std::vector<Eigen::Index> pivots_;  ///< row that was exchanged with row k
};

}  // namespace sinew
