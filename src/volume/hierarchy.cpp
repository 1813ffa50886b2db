// SPDX-License-Identifier: Apache-2.0
#include "volume/hierarchy.h"

#include <cassert>

#include "volume/coarsen.h"

namespace sinew {
namespace {

// The coarsest matrix without empty rows, and its factor.
Result<void> factor_coarsest(Multigrid::Hierarchy& hierarchy) {
  const SpanMatrix& A = hierarchy.levels.back().A;
  std::vector<int> number(A.rows, -1);
  for (const SpanMatrix::Span& span : A.spans)
    for (std::uint32_t i = span.first; i < span.first + span.count && span.inverse_diagonal > 0; ++i) {
      number[i] = static_cast<int>(hierarchy.coarsest_free.size());
      hierarchy.coarsest_free.push_back(i);
    }
  const auto size = static_cast<Eigen::Index>(hierarchy.coarsest_free.size());
  if (size == 0) return {};
  Eigen::MatrixXd& dense = hierarchy.coarsest_matrix;
  dense = Eigen::MatrixXd::Zero(size, size);
  for (const SpanMatrix::Span& span : A.spans)
    for (std::uint32_t i = span.first; i < span.first + span.count; ++i)
      for (std::size_t e = span.entries; e < span.entries + span.width; ++e) {
        const auto j = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + A.columns[e]);
        if (number[i] >= 0 && number[j] >= 0) dense(number[i], number[j]) = A.values[e];
      }
  // Coarse functions that agree on all fine vertices make the matrix semidefinite: a touch on the diagonal
  // picks one of them.
  dense.diagonal() *= 1 + 1e-10;
  hierarchy.coarsest.compute(dense);
  if (hierarchy.coarsest.info() != Eigen::Success)
    return impossible(
        "the system on the voxel grid has no single solution: a part of the body touches no handle");
  return {};
}

std::size_t free_rows(const SpanMatrix& A) {
  std::size_t free = 0;
  for (const SpanMatrix::Span& span : A.spans)
    if (span.inverse_diagonal > 0) free += span.count;
  return free;
}

Result<std::shared_ptr<const Multigrid::Hierarchy>> build_hierarchy(const VoxelGrid& grid, SpanMatrix matrix,
                                                                    std::span<const std::uint8_t> fixed,
                                                                    const MultigridOptions& options) {
  assert(matrix.rows == grid.vertex_count() && fixed.size() == grid.vertex_count());
  auto hierarchy = std::make_shared<Multigrid::Hierarchy>();
  hierarchy->sweeps = options.sweeps;
  hierarchy->fixed.assign(fixed.begin(), fixed.end());
  LatticeSet cells = grid.cells(), vertices = grid.vertices();
  std::vector<std::uint8_t> held = hierarchy->fixed;
  for (;;) {
    const LatticeSet coarse_cells = coarsen_cells(cells);
    LatticeSet coarse = corners_of_cells(coarse_cells);
    const bool last = free_rows(matrix) <= static_cast<std::size_t>(options.coarsest) ||
                      coarse.size() * 4 > vertices.size() * 3;
    auto& level = hierarchy->levels.emplace_back();
    level.A = std::move(matrix);
    if (last) break;
    level.P = make_transfer(vertices, coarse, held);
    matrix = galerkin(vertices, level.A, held, coarse);
    cells = coarse_cells;
    vertices = std::move(coarse);
    held.assign(vertices.size(), 0);
  }
  SINEW_CHECK(factor_coarsest(*hierarchy));
  return std::shared_ptr<const Multigrid::Hierarchy>(std::move(hierarchy));
}

}  // namespace

Multigrid::Multigrid(std::shared_ptr<const Hierarchy> hierarchy) : hierarchy_(std::move(hierarchy)) {}

Result<Multigrid> Multigrid::build(const VoxelGrid& grid,
                                   const Eigen::SparseMatrix<double, Eigen::RowMajor>& A,
                                   std::span<const std::uint8_t> fixed, const MultigridOptions& options) {
  SINEW_TRY(auto hierarchy, build_hierarchy(grid, to_spans(grid.vertices(), A, fixed), fixed, options));
  return Multigrid(std::move(hierarchy));
}

Result<Multigrid> Multigrid::build_laplacian(const VoxelGrid& grid, std::span<const std::uint8_t> fixed,
                                             const MultigridOptions& options) {
  SINEW_TRY(auto hierarchy, build_hierarchy(grid, laplacian_spans(grid, fixed), fixed, options));
  return Multigrid(std::move(hierarchy));
}

Result<Multigrid> Multigrid::build_bilaplacian(const VoxelGrid& grid, std::span<const std::uint8_t> fixed,
                                               const MultigridOptions& options) {
  SINEW_TRY(auto hierarchy, build_hierarchy(grid, bilaplacian_spans(grid, fixed), fixed, options));
  return Multigrid(std::move(hierarchy));
}

std::size_t Multigrid::levels() const {
  return hierarchy_->levels.size();
}

std::size_t Multigrid::memory_bytes() const {
  std::size_t bytes = hierarchy_->fixed.size();
  for (const auto& level : hierarchy_->levels)
    bytes += level.A.memory_bytes() + level.P.runs.size() * sizeof(GridTransfer::Run) + level.P.held.size() +
             level.P.coverage.size() * sizeof(double);
  return bytes;
}

}  // namespace sinew
