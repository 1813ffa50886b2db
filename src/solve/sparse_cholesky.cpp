// SPDX-License-Identifier: Apache-2.0
#include "sinew/solve/sparse_cholesky.h"

#include <Eigen/SparseCholesky>
#ifdef SINEW_METIS
#include <iostream>
// MetisSupport uses std::cerr without including it: it has to come second.
#include <Eigen/MetisSupport>
#include <mutex>
#endif
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <new>
#include <type_traits>
#include <vector>

#include "sinew/core/parallel.h"
#include "solve/substitution_kernel.h"

namespace sinew {

struct SparseCholesky::Factor {
  Eigen::SparseMatrix<double> lower;  // strictly below the diagonal, whose ones are implied
  std::vector<double> inverse_diagonal;
  std::vector<int> source;  // row i of the factor is row source[i] of A
};

namespace {

using Lower = Eigen::SparseMatrix<double>;

// Solves for `width` columns side by side: every number of L is loaded once for all of them.
template <int kWidth>
class ColumnGroup {
 public:
  using Row = std::array<double, kWidth>;

  ColumnGroup(const Lower& lower, const std::vector<double>& inverse_diagonal, const std::vector<int>& source,
              std::span<Row> rows)
      : lower_(lower), inverse_diagonal_(inverse_diagonal), source_(source), rows_(rows) {}

  // `used` <= kWidth columns of b and x, n apart.
  void solve(const double* b, double* x, int used) {
    const std::size_t n = rows_.size();
    for (std::size_t i = 0; i < n; ++i)
      for (int c = 0; c < kWidth; ++c)
        rows_[i][c] =
            c < used ? b[static_cast<std::size_t>(c) * n + static_cast<std::size_t>(source_[i])] : 0.0;
    substitute();
    for (std::size_t i = 0; i < n; ++i)
      for (int c = 0; c < used; ++c)
        x[static_cast<std::size_t>(c) * n + static_cast<std::size_t>(source_[i])] = rows_[i][c];
  }

  // Solves what `rows` holds, in the order of the factor.
  void substitute() {
    substitute_forward();
    substitute_backward();
  }

 private:
  void substitute_forward() {
    const int* outer = lower_.outerIndexPtr();
    const int* inner = lower_.innerIndexPtr();
    const double* value = lower_.valuePtr();
    for (std::size_t j = 0; j < rows_.size(); ++j) {
      const Row row = rows_[j];
      for (int k = outer[j]; k < outer[j + 1]; ++k) {
        Row& target = rows_[static_cast<std::size_t>(inner[k])];
        for (int c = 0; c < kWidth; ++c) target[c] -= value[k] * row[c];
      }
    }
  }

  void substitute_backward() {
    const int* outer = lower_.outerIndexPtr();
    const int* inner = lower_.innerIndexPtr();
    const double* value = lower_.valuePtr();
    for (std::size_t j = rows_.size(); j-- > 0;) {
      Row row = rows_[j];
      for (int c = 0; c < kWidth; ++c) row[c] *= inverse_diagonal_[j];
      for (int k = outer[j]; k < outer[j + 1]; ++k) {
        const Row& other = rows_[static_cast<std::size_t>(inner[k])];
        for (int c = 0; c < kWidth; ++c) row[c] -= value[k] * other[c];
      }
      rows_[j] = row;
    }
  }

  const Lower& lower_;
  const std::vector<double>& inverse_diagonal_;
  const std::vector<int>& source_;
  std::span<Row> rows_;
};

bool is_finite(const Lower& A) {
  for (Eigen::Index j = 0; j < A.outerSize(); ++j)
    for (Lower::InnerIterator entry(A, j); entry; ++entry)
      if (!std::isfinite(entry.value())) return false;
  return true;
}

// A pivot that has lost (almost) all digits of its diagonal entry is zero up to rounding. On closed grids
// what rounding leaves there was 0.5e-16 n of the entry for n up to 160000; of a biharmonic system that has a
// solution, 3e-5.
bool pivots_are_positive(const Eigen::VectorXd& pivots, const Eigen::VectorXd& diagonal) {
  const double lost = std::max(1e-14, 4e-16 * static_cast<double>(pivots.size()));
  for (Eigen::Index i = 0; i < pivots.size(); ++i)
    if (!(pivots[i] > lost * diagonal[i])) return false;
  return true;
}

// The pieces of A = P^T L D L^T P under an ordering.
template <class Ordering>
bool run_ldlt(const Lower& A, Lower& lower, Eigen::VectorXd& pivots, std::vector<int>& forward) {
  Eigen::SimplicialLDLT<Lower, Eigen::Lower, Ordering> ldlt(A);
  if (ldlt.info() != Eigen::Success) return false;
  pivots = ldlt.vectorD();
  const auto& indices = ldlt.permutationP().indices();  // row j of A becomes row indices[j]
  forward.assign(indices.data(), indices.data() + indices.size());
  lower = ldlt.matrixL().nestedExpression();
  return true;
}

// Nested dissection pays from some ten thousand equations on: of a mesh of 1 M vertices it leaves a fifth
// fewer entries than minimum degree and is factored four times as fast; of 6,400 it takes longer to find than
// it saves.
bool decompose(const Lower& A, [[maybe_unused]] SolveCount solves, Lower& lower, Eigen::VectorXd& pivots,
               std::vector<int>& forward) {
#ifdef SINEW_METIS
  const Eigen::Index large = solves == SolveCount::kMany ? 500 : 30000;
  if (A.rows() >= large) {
    // METIS draws from std::rand, which it seeds at every call: one call at a time gives the same answer
    // always.
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    return run_ldlt<Eigen::MetisOrdering<int>>(A, lower, pivots, forward);
  }
#endif
  return run_ldlt<Eigen::AMDOrdering<int>>(A, lower, pivots, forward);
}

Error not_positive_definite() {
  return impossible(
      "the system of equations has no unique solution (its matrix is not positive definite): a part of the "
      "mesh may "
      "have no fixed value, or triangles may be degenerate");
}

}  // namespace

SparseCholesky::SparseCholesky(std::shared_ptr<const Factor> factor) : factor_(std::move(factor)) {}

Result<SparseCholesky> SparseCholesky::factor(const Eigen::SparseMatrix<double>& A, SolveCount solves) {
  assert(A.rows() == A.cols());
  if (!is_finite(A)) return impossible("the system of equations holds numbers that are not finite");
  try {
    auto factor = std::make_shared<Factor>();
    if (A.rows() == 0) return SparseCholesky(std::move(factor));
    Eigen::VectorXd pivots;
    std::vector<int> forward;
    if (!decompose(A, solves, factor->lower, pivots, forward)) return not_positive_definite();
    factor->source.resize(static_cast<std::size_t>(A.rows()));
    Eigen::VectorXd diagonal(A.rows());
    for (int j = 0; j < A.rows(); ++j) {
      const int to = forward[static_cast<std::size_t>(j)];
      factor->source[static_cast<std::size_t>(to)] = j;
      diagonal[to] = A.coeff(j, j);
    }
    if (!pivots_are_positive(pivots, diagonal)) return not_positive_definite();
    factor->inverse_diagonal.resize(static_cast<std::size_t>(A.rows()));
    for (Eigen::Index i = 0; i < pivots.size(); ++i)
      factor->inverse_diagonal[static_cast<std::size_t>(i)] = 1 / pivots[i];
    return SparseCholesky(std::move(factor));
  } catch (const std::bad_alloc&) {
    return limit_error("not enough memory to factor a system of " + std::to_string(A.rows()) + " equations");
  }
}

Eigen::Index SparseCholesky::size() const {
  return static_cast<Eigen::Index>(factor_->source.size());
}

Eigen::Index SparseCholesky::factor_entries() const {
  return factor_->lower.nonZeros();
}

std::span<const int> SparseCholesky::order() const {
  return factor_->source;
}

void SparseCholesky::solve_ordered(std::span<Row4> rows) const noexcept {
  assert(static_cast<Eigen::Index>(rows.size()) == size());
  const Factor& f = *factor_;
  substitute(
      {f.lower.outerIndexPtr(), f.lower.innerIndexPtr(), f.lower.valuePtr(), f.inverse_diagonal.data()},
      rows);
}

void SparseCholesky::solve_columns(const double* b, double* x, [[maybe_unused]] Eigen::Index rows,
                                   Eigen::Index columns) const {
  assert(rows == size());
  constexpr std::size_t kGroup = 8;
  const auto count = static_cast<std::size_t>(columns), n = static_cast<std::size_t>(size());
  const Factor& f = *factor_;
  parallel_for(count, kGroup, [&](std::size_t begin, std::size_t end) {
    const int used = static_cast<int>(end - begin);
    const auto run = [&]<int kWidth>(std::integral_constant<int, kWidth>) {
      std::vector<std::array<double, kWidth>> buffer(n);
      ColumnGroup<kWidth>(f.lower, f.inverse_diagonal, f.source, buffer)
          .solve(b + begin * n, x + begin * n, used);
    };
    if (used == 1)
      run(std::integral_constant<int, 1>());
    else if (used <= 4)
      run(std::integral_constant<int, 4>());
    else
      run(std::integral_constant<int, 8>());
  });
}

void SparseCholesky::solve_rows(std::span<Row> rows, std::span<Row> scratch) const noexcept {
  const Factor& f = *factor_;
  assert(rows.size() == f.source.size() && scratch.size() == rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) scratch[i] = rows[static_cast<std::size_t>(f.source[i])];
  ColumnGroup<4>(f.lower, f.inverse_diagonal, f.source, scratch).substitute();
  for (std::size_t i = 0; i < rows.size(); ++i) rows[static_cast<std::size_t>(f.source[i])] = scratch[i];
}

}  // namespace sinew
