// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <functional>

#include "sinew/core/progress.h"
#include "sinew/core/result.h"

namespace sinew {

/// A linear map over columns: out = map(in), both n x k; out has its size already and does not alias in.
using LinearMap = std::function<void(const Eigen::MatrixXd& in, Eigen::MatrixXd& out)>;

/// Options of conjugate_gradient().
struct ConjugateGradientOptions {
  double tolerance = 1e-10;  ///< of |b - A x| / |b|, for every column
  int max_iterations = 1000;
  const Progress* progress = nullptr;
};

/// What conjugate_gradient() did.
struct ConjugateGradientReport {
  int iterations = 0;
  bool converged = false;
  double residual = 0;  ///< the largest true |b - A x| / |b| over the columns, computed anew at the end
};

/// Solves A x = b for all k columns at once, from the x that is there (n x k), for symmetric positive definite
/// maps `apply` and `precondition` (empty: none). Columns have their own step lengths; a column that is done
/// no longer moves. Without convergence x is the best so far and the report says so. kImpossible where a map
/// is not positive definite or a number not finite; kCancelled. Memory: four n x k matrices beside b and x.
/// The same bits for any thread count where the maps have them.
Result<ConjugateGradientReport> conjugate_gradient(const LinearMap& apply, const LinearMap& precondition,
                                                   const Eigen::MatrixXd& b, Eigen::MatrixXd& x,
                                                   const ConjugateGradientOptions& options = {});

}  // namespace sinew
