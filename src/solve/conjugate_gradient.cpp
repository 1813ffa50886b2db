// SPDX-License-Identifier: Apache-2.0
#include "sinew/solve/conjugate_gradient.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sinew/core/parallel.h"

namespace sinew {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;

constexpr std::size_t kRows = 16384;  // a piece of work

// a_c . b_c for every column.
ArrayXd column_dots(const MatrixXd& a, const MatrixXd& b) {
  return parallel_reduce(
      static_cast<std::size_t>(a.rows()), kRows, ArrayXd(ArrayXd::Zero(a.cols())),
      [&](std::size_t begin, std::size_t end) {
        const auto first = static_cast<Index>(begin), count = static_cast<Index>(end - begin);
        return ArrayXd(a.middleRows(first, count).cwiseProduct(b.middleRows(first, count)).colwise().sum());
      },
      [](const ArrayXd& x, const ArrayXd& y) { return ArrayXd(x + y); });
}

// body(first row, rows) over pieces.
template <class Body>
void for_rows(const MatrixXd& matrix, Body&& body) {
  parallel_for(static_cast<std::size_t>(matrix.rows()), kRows, [&](std::size_t begin, std::size_t end) {
    body(static_cast<Index>(begin), static_cast<Index>(end - begin));
  });
}

// What is left of b, relative to it; a zero column asks for an absolute zero.
ArrayXd relative_size(const ArrayXd& squared, const ArrayXd& squared_b) {
  return (squared_b > 0).select((squared / squared_b.max(1e-300)).sqrt(), squared.sqrt());
}

Error indefinite() {
  return impossible(
      "the system of equations cannot be solved by conjugate gradients: its matrix is not positive definite");
}

}  // namespace

Result<ConjugateGradientReport> conjugate_gradient(const LinearMap& apply, const LinearMap& precondition,
                                                   const MatrixXd& b, MatrixXd& x,
                                                   const ConjugateGradientOptions& options) {
  assert(x.rows() == b.rows() && x.cols() == b.cols());
  MatrixXd r(b.rows(), b.cols()), z(b.rows(), b.cols()), p(b.rows(), b.cols()), Ap(b.rows(), b.cols());
  const ArrayXd squared_b = column_dots(b, b);
  const auto residual = [&] {
    apply(x, Ap);
    for_rows(r, [&](Index first, Index count) {
      r.middleRows(first, count) = b.middleRows(first, count) - Ap.middleRows(first, count);
    });
    return relative_size(column_dots(r, r), squared_b);
  };
  const auto smooth = [&] {
    if (precondition)
      precondition(r, z);
    else
      z = r;
    return column_dots(r, z);
  };

  ConjugateGradientReport report;
  ArrayXd left = residual();
  if (!left.isFinite().all()) return impossible("the system of equations holds numbers that are not finite");
  ArrayXd rz = smooth();
  p = z;
  for (; report.iterations < options.max_iterations && (left > options.tolerance).any();
       ++report.iterations) {
    if (is_cancelled(options.progress)) return cancelled();
    apply(p, Ap);
    const ArrayXd pAp = column_dots(p, Ap);
    const auto active = (left > options.tolerance).eval();
    if ((active && !(pAp > 0)).any() || (active && !(rz > 0)).any()) return indefinite();
    const ArrayXd alpha = active.select(rz / pAp, 0.0);
    for_rows(r, [&](Index first, Index count) {
      x.middleRows(first, count) += p.middleRows(first, count) * alpha.matrix().asDiagonal();
      r.middleRows(first, count) -= Ap.middleRows(first, count) * alpha.matrix().asDiagonal();
    });
    left = relative_size(column_dots(r, r), squared_b);
    const ArrayXd rz_before = rz;
    rz = smooth();
    const ArrayXd beta = active.select(rz / rz_before, 0.0);
    for_rows(p, [&](Index first, Index count) {
      p.middleRows(first, count) =
          z.middleRows(first, count) + p.middleRows(first, count) * beta.matrix().asDiagonal();
    });
    if (options.progress && report.iterations % 16 == 0)
      sinew::report(options.progress, "solving", report.iterations / double(options.max_iterations));
  }
  report.residual = left.size() == 0 ? 0 : residual().maxCoeff();
  if (!std::isfinite(report.residual)) return indefinite();
  // The recursive residual drifts from the true one by rounding: a factor of ten is still what was asked for.
  report.converged = report.residual <= 10 * options.tolerance;
  return report;
}

}  // namespace sinew
