// SPDX-License-Identifier: Apache-2.0
// The kernels under the multigrid. Eight right-hand sides share every read of the matrix; the loops over
// lanes are written so that the compiler makes vector code of them, in a version for wide vectors that the
// loader picks where the processor has them.
#include "volume/csr.h"

#include <algorithm>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#define SINEW_WIDE_CLONES __attribute__((target_clones("arch=haswell", "default")))
#else
#define SINEW_WIDE_CLONES
#endif

namespace sinew {
namespace {

// One row of b - A x, in registers.
inline void row_residual(const CsrMatrix& A, std::size_t row, const double* b, const double* x, double* sum) {
  for (std::size_t l = 0; l < kLanes; ++l) sum[l] = b ? b[row * kLanes + l] : 0.0;
  for (std::uint32_t k = A.offsets[row]; k < A.offsets[row + 1]; ++k) {
    const double value = A.values[k];
    const double* other = x + static_cast<std::size_t>(A.columns[k]) * kLanes;
    for (std::size_t l = 0; l < kLanes; ++l) sum[l] -= value * other[l];
  }
}

}  // namespace

CsrMatrix to_csr(const Eigen::SparseMatrix<double, Eigen::RowMajor>& matrix) {
  CsrMatrix csr;
  csr.offsets.assign(matrix.outerIndexPtr(), matrix.outerIndexPtr() + matrix.rows() + 1);
  csr.columns.assign(matrix.innerIndexPtr(), matrix.innerIndexPtr() + matrix.nonZeros());
  csr.values.assign(matrix.valuePtr(), matrix.valuePtr() + matrix.nonZeros());
  csr.inverse_diagonal.resize(csr.rows());
  for (std::size_t i = 0; i < csr.rows(); ++i)
    for (std::uint32_t k = csr.offsets[i]; k < csr.offsets[i + 1]; ++k)
      if (csr.columns[k] == i) csr.inverse_diagonal[i] = csr.values[k] > 0 ? 1 / csr.values[k] : 0;
  return csr;
}

SINEW_WIDE_CLONES
void residual(const CsrMatrix& A, const double* b, const double* x, double* out) {
  for (std::size_t i = 0; i < A.rows(); ++i) {
    double sum[kLanes];
    row_residual(A, i, b, x, sum);
    const double keep = A.inverse_diagonal[i] > 0 ? 1.0 : 0.0;
    for (std::size_t l = 0; l < kLanes; ++l) out[i * kLanes + l] = keep * sum[l];
  }
}

SINEW_WIDE_CLONES
void multiply(const CsrMatrix& A, const double* x, double* out) {
  for (std::size_t i = 0; i < A.rows(); ++i) {
    double sum[kLanes];
    row_residual(A, i, nullptr, x, sum);
    for (std::size_t l = 0; l < kLanes; ++l) out[i * kLanes + l] = -sum[l];
  }
}

SINEW_WIDE_CLONES
void sweep(const CsrMatrix& A, const double* b, double* x, const double* mask, bool forwards) {
  const std::size_t n = A.rows();
  for (std::size_t step = 0; step < n; ++step) {
    const std::size_t i = forwards ? step : n - 1 - step;
    double sum[kLanes];
    row_residual(A, i, b, x, sum);
    const double scale = A.inverse_diagonal[i];
    double* own = x + i * kLanes;
    if (mask)
      for (std::size_t l = 0; l < kLanes; ++l) own[l] += scale * mask[i * kLanes + l] * sum[l];
    else
      for (std::size_t l = 0; l < kLanes; ++l) own[l] += scale * sum[l];
  }
}

SINEW_WIDE_CLONES
void sweep_within(const CsrMatrix& A, double low, double high, double* x) {
  for (std::size_t i = 0; i < A.rows(); ++i) {
    double sum[kLanes];
    row_residual(A, i, nullptr, x, sum);
    const double scale = A.inverse_diagonal[i];
    double* own = x + i * kLanes;
    for (std::size_t l = 0; l < kLanes; ++l) own[l] = std::min(std::max(own[l] + scale * sum[l], low), high);
  }
}

SINEW_WIDE_CLONES
void restrict_to(const Interpolation3& P, const double* fine, double* coarse, std::size_t count) {
  std::fill(coarse, coarse + count * kLanes, 0.0);
  for (std::size_t i = 0; i + 1 < P.offsets.size(); ++i)
    for (std::uint32_t k = P.offsets[i]; k < P.offsets[i + 1]; ++k) {
      double* to = coarse + static_cast<std::size_t>(P.columns[k]) * kLanes;
      for (std::size_t l = 0; l < kLanes; ++l) to[l] += P.weights[k] * fine[i * kLanes + l];
    }
}

SINEW_WIDE_CLONES
void prolong_add(const Interpolation3& P, const double* coarse, double* fine) {
  for (std::size_t i = 0; i + 1 < P.offsets.size(); ++i)
    for (std::uint32_t k = P.offsets[i]; k < P.offsets[i + 1]; ++k) {
      const double* from = coarse + static_cast<std::size_t>(P.columns[k]) * kLanes;
      for (std::size_t l = 0; l < kLanes; ++l) fine[i * kLanes + l] += P.weights[k] * from[l];
    }
}

}  // namespace sinew
