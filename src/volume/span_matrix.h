// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/SparseCore>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/volume/voxel_grid.h"

namespace sinew {

// A square sparse matrix on the vertices of a lattice. Neighbouring rows that are alike (the same columns
// counted from the diagonal, the same values), as all are inside a body, are stored once: memory follows the
// surface rather than the volume where the matrix is a stencil, and is that of a plain sparse matrix where it
// is not.
struct SpanMatrix {
  struct Span {
    std::uint32_t first, count;  // rows, all in one run of the lattice
    std::size_t entries;         // where its columns and values begin
    std::uint32_t width;         // how many there are
    double inverse_diagonal;     // 0 at fixed rows and where the diagonal is not positive: sweeps leave them
  };
  std::vector<Span> spans;
  std::vector<std::int32_t> columns;  // less the row
  std::vector<double> values;
  std::size_t rows = 0;

  std::size_t memory_bytes() const;
  std::vector<std::uint32_t> span_of_row() const;
};

// Rows in order, each compared with the one before.
class SpanBuilder {
 public:
  explicit SpanBuilder(SpanMatrix& matrix) : matrix_(matrix) {}
  void begin_run() { new_run_ = true; }
  void add(std::span<const std::int32_t> columns, std::span<const double> values, bool fixed);
  void repeat();  // the last row once more, in the same run

 private:
  SpanMatrix& matrix_;
  bool new_run_ = true, last_fixed_ = false;
};

SpanMatrix to_spans(const LatticeSet& vertices, const Eigen::SparseMatrix<double, Eigen::RowMajor>& matrix,
                    std::span<const std::uint8_t> fixed);
// grid_stiffness and grid_bilaplacian without a sparse matrix on the way.
SpanMatrix laplacian_spans(const VoxelGrid& grid, std::span<const std::uint8_t> fixed);
SpanMatrix bilaplacian_spans(const VoxelGrid& grid, std::span<const std::uint8_t> fixed);

}  // namespace sinew
