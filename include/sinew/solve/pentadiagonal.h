// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <span>
#include <vector>

#include "sinew/core/result.h"

namespace sinew {

/// A symmetric matrix of five diagonals, or one whose band runs on around its corners, as bending has it on an
/// open and on a closed curve. L D L' without exchange of rows: made for definite matrices; for others it
/// works until a pivot vanishes. Corners are added by the formula of Woodbury.
class Pentadiagonal {
 public:
  enum class Kind { kOpen, kCyclic };
  /// A(i, i) = main[i], A(i, i + 1) = first[i], A(i, i + 2) = second[i]; indices wrap for kCyclic, and what
  /// reaches beyond the end is not read for kOpen. All of length n; n >= 1, for kCyclic n >= 5.
  /// kImpossible where A is singular up to rounding, or not finite.
  static Result<Pentadiagonal> factor(Kind kind, std::span<const double> main, std::span<const double> first,
                                      std::span<const double> second);

  std::size_t size() const { return pivots_.size(); }
  /// x holds n rows of `columns` numbers and becomes A^-1 x. About 5 (open) or 9 (cyclic) multiplications a
  /// number; columns side by side are what makes it fast. Allocates nothing.
  void solve(std::span<double> x, std::size_t columns) const;

 private:
  void solve_band(double* x, std::size_t columns) const;
  std::vector<double> pivots_, below_, far_below_;  ///< 1 / D, and the two diagonals of L
  std::vector<double> corner_columns_;              ///< n x 4: band^-1 of the four rows that corners touch
  Eigen::Matrix4d capacitance_ = Eigen::Matrix4d::Zero();  ///< (I + V' band^-1 U)^-1
  double near_ = 0, far_[2] = {0, 0};                      ///< A(n-1, 0); A(n-2, 0), A(n-1, 1)
};

}  // namespace sinew
