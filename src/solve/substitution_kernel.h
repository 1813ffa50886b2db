// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/solve/sparse_cholesky.h"

namespace sinew {

// L D Lᵀ: the columns of L below its diagonal of ones, and 1 / D.
struct FactorView {
  const int* outer;
  const int* inner;
  const double* value;
  const double* inverse_diagonal;
};

// Solves for four columns at once, in the order of the factor; the same bits on every instruction set.
void substitute(const FactorView& factor, std::span<SparseCholesky::Row4> rows) noexcept;

}  // namespace sinew
