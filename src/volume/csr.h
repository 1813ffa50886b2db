// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinew {

// Right-hand sides that go through a kernel together; a block of k vertices is k * kLanes numbers, vertex by
// vertex.
inline constexpr std::size_t kLanes = 8;

// A square sparse matrix by rows, and the inverse of its diagonal (0 at fixed rows, so that sweeps leave
// those alone).
struct CsrMatrix {
  std::vector<std::uint32_t> offsets, columns;
  std::vector<double> values, inverse_diagonal;

  std::size_t rows() const { return offsets.size() - 1; }
};
CsrMatrix to_csr(const Eigen::SparseMatrix<double, Eigen::RowMajor>& matrix);

// Trilinear interpolation: row i of the fine grid takes weights[k] of columns[k].
struct Interpolation3 {
  std::vector<std::uint32_t> offsets, columns;
  std::vector<double> weights;
};

// out = b - A x.
void residual(const CsrMatrix& A, const double* b, const double* x, double* out);
// out = A x.
void multiply(const CsrMatrix& A, const double* x, double* out);
// One Gauss-Seidel sweep on A x = b, forwards or backwards. `mask` (a number a lane, 0 or 1) freezes entries;
// null: none.
void sweep(const CsrMatrix& A, const double* b, double* x, const double* mask, bool forwards);
// The same on A x = 0 with every new value put into [low, high].
void sweep_within(const CsrMatrix& A, double low, double high, double* x);
// coarse = P' fine; fine += P coarse. `count` is the number of coarse vertices.
void restrict_to(const Interpolation3& P, const double* fine, double* coarse, std::size_t count);
void prolong_add(const Interpolation3& P, const double* coarse, double* fine);

}  // namespace sinew
