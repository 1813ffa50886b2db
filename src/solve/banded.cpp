// SPDX-License-Identifier: Apache-2.0
#include "sinew/solve/banded.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace sinew {

using Eigen::Index;

BandedMatrix::BandedMatrix(Index n, Index below, Index above) : n_(n), below_(below), above_(above) {
  assert(n >= 0 && below >= 0 && above >= 0);
  entries_.assign(static_cast<std::size_t>(n * (below + above + 1)), 0.0);
}

double& BandedMatrix::operator()(Index i, Index j) {
  assert(i >= 0 && i < n_ && j >= 0 && j < n_ && j - i >= -below_ && j - i <= above_);
  return entries_[static_cast<std::size_t>(i * (below_ + above_ + 1) + (j - i + below_))];
}

double BandedMatrix::operator()(Index i, Index j) const {
  return const_cast<BandedMatrix&>(*this)(i, j);
}

namespace {

// The same matrix with room for what row exchanges bring in.
BandedMatrix widened(const BandedMatrix& A) {
  BandedMatrix wide(A.size(), A.below(), A.below() + A.above());
  for (Index i = 0; i < A.size(); ++i)
    for (Index j = std::max<Index>(0, i - A.below()); j <= std::min(A.size() - 1, i + A.above()); ++j)
      wide(i, j) = A(i, j);
  return wide;
}

double largest_entry(const BandedMatrix& A) {
  double largest = 0;
  for (Index i = 0; i < A.size(); ++i)
    for (Index j = std::max<Index>(0, i - A.below()); j <= std::min(A.size() - 1, i + A.above()); ++j) {
      if (!std::isfinite(A(i, j))) return A(i, j);
      largest = std::max(largest, std::abs(A(i, j)));
    }
  return largest;
}

}  // namespace

Result<BandedLu> BandedLu::factor(const BandedMatrix& A) {
  const double size = largest_entry(A);
  if (!std::isfinite(size))
    return impossible("the banded system of equations holds numbers that are not finite");
  BandedLu lu(widened(A));
  BandedMatrix& U = lu.factors_;
  const Index n = A.size();
  lu.pivots_.resize(static_cast<std::size_t>(n));
  for (Index k = 0; k < n; ++k) {
    const Index last_row = std::min(n - 1, k + U.below()), last_column = std::min(n - 1, k + U.above());
    Index pivot = k;
    for (Index i = k + 1; i <= last_row; ++i)
      if (std::abs(U(i, k)) > std::abs(U(pivot, k))) pivot = i;
    lu.pivots_[static_cast<std::size_t>(k)] = pivot;
    if (!(std::abs(U(pivot, k)) > 1e-15 * size))
      return impossible("the banded system of equations is singular at row " + std::to_string(k));
    // Only what is still to be eliminated moves: the multipliers of earlier columns stay with their step.
    if (pivot != k)
      for (Index j = k; j <= last_column; ++j) std::swap(U(pivot, j), U(k, j));
    for (Index i = k + 1; i <= last_row; ++i) {
      const double factor = U(i, k) / U(k, k);
      for (Index j = k + 1; j <= last_column; ++j) U(i, j) -= factor * U(k, j);
      U(i, k) = factor;
    }
  }
  return lu;
}

Eigen::MatrixXd BandedLu::solve(const Eigen::MatrixXd& b) const {
  const BandedMatrix& U = factors_;
  const Index n = U.size();
  assert(b.rows() == n);
  Eigen::MatrixXd x = b;
  for (Index k = 0; k < n; ++k) {
    const Index pivot = pivots_[static_cast<std::size_t>(k)];
    if (pivot != k) x.row(k).swap(x.row(pivot));
    for (Index i = k + 1; i <= std::min(n - 1, k + U.below()); ++i) x.row(i) -= U(i, k) * x.row(k);
  }
  for (Index k = n; k-- > 0;) {
    for (Index j = k + 1; j <= std::min(n - 1, k + U.above()); ++j) x.row(k) -= U(k, j) * x.row(j);
    x.row(k) /= U(k, k);
  }
  return x;
}

}  // namespace sinew
