// SPDX-License-Identifier: Apache-2.0
#include "volume/hierarchy.h"

#include <algorithm>
#include <cassert>

#include "volume/coarsen.h"

namespace sinew {
namespace {

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

RowMatrix to_matrix(const Interpolation3& P, std::size_t columns) {
  RowMatrix matrix(static_cast<Eigen::Index>(P.offsets.size() - 1), static_cast<Eigen::Index>(columns));
  matrix.reserve(static_cast<Eigen::Index>(P.columns.size()));
  for (std::size_t i = 0; i + 1 < P.offsets.size(); ++i) {
    matrix.startVec(static_cast<Eigen::Index>(i));
    for (std::uint32_t k = P.offsets[i]; k < P.offsets[i + 1]; ++k)
      matrix.insertBack(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(P.columns[k])) = P.weights[k];
  }
  matrix.finalize();
  return matrix;
}

void solve_coarsest(const Multigrid::Hierarchy& hierarchy, const double* right, double* x, std::size_t rows) {
  const auto& free = hierarchy.coarsest_free;
  std::fill(x, x + rows * kLanes, 0.0);
  if (free.empty()) return;
  Eigen::MatrixXd b(static_cast<Eigen::Index>(free.size()), static_cast<Eigen::Index>(kLanes));
  for (std::size_t i = 0; i < free.size(); ++i)
    for (std::size_t l = 0; l < kLanes; ++l)
      b(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(l)) = right[free[i] * kLanes + l];
  hierarchy.coarsest.solveInPlace(b);
  for (std::size_t i = 0; i < free.size(); ++i)
    for (std::size_t l = 0; l < kLanes; ++l)
      x[free[i] * kLanes + l] = b(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(l));
}

void cycle(const Multigrid::Hierarchy& hierarchy, std::size_t level, const double* mask,
           CycleWorkspace& work) {
  const auto& here = hierarchy.levels[level];
  double* x = work.correction[level].data();
  const double* b = work.right[level].data();
  if (level + 1 == hierarchy.levels.size()) return solve_coarsest(hierarchy, b, x, here.size());
  std::fill(x, x + here.size() * kLanes, 0.0);
  for (int k = 0; k < hierarchy.sweeps; ++k) sweep(here.A, b, x, mask, true);
  double* r = work.residual[level].data();
  residual(here.A, b, x, r);
  if (mask)
    for (std::size_t k = 0; k < here.size() * kLanes; ++k) r[k] *= mask[k];
  restrict_to(here.P, r, work.right[level + 1].data(), hierarchy.levels[level + 1].size());
  cycle(hierarchy, level + 1, nullptr, work);
  if (mask) {
    // The coarse grid does not know what a bound holds: its correction counts only elsewhere, which keeps the
    // cycle symmetric.
    std::fill(r, r + here.size() * kLanes, 0.0);
    prolong_add(here.P, work.correction[level + 1].data(), r);
    for (std::size_t k = 0; k < here.size() * kLanes; ++k) x[k] += mask[k] * r[k];
  } else {
    prolong_add(here.P, work.correction[level + 1].data(), x);
  }
  for (int k = 0; k < hierarchy.sweeps; ++k) sweep(here.A, b, x, mask, false);
}

}  // namespace

CycleWorkspace::CycleWorkspace(const Multigrid::Hierarchy& hierarchy) {
  for (const auto& level : hierarchy.levels)
    for (auto* list : {&right, &correction, &residual}) list->emplace_back(level.size() * kLanes, 0.0);
}

void v_cycle(const Multigrid::Hierarchy& hierarchy, const double* mask, CycleWorkspace& work) {
  cycle(hierarchy, 0, mask, work);
}

Multigrid::Multigrid(std::shared_ptr<const Hierarchy> hierarchy) : hierarchy_(std::move(hierarchy)) {}

Result<Multigrid> Multigrid::build(const VoxelGrid& grid, const RowMatrix& A,
                                   std::span<const std::uint8_t> fixed, const MultigridOptions& options) {
  assert(A.rows() == static_cast<Eigen::Index>(grid.vertex_count()) && fixed.size() == grid.vertex_count());
  auto hierarchy = std::make_shared<Hierarchy>();
  hierarchy->sweeps = options.sweeps;
  RowMatrix matrix = A;
  LatticeSet cells = grid.cells(), vertices = grid.vertices();
  std::vector<std::uint8_t> held(fixed.begin(), fixed.end());
  for (;;) {
    Hierarchy::Level level;
    level.A = to_csr(matrix);
    std::size_t free = 0;
    for (std::size_t i = 0; i < held.size(); ++i) {
      if (held[i]) level.A.inverse_diagonal[i] = 0;
      free += level.A.inverse_diagonal[i] > 0;
    }
    const LatticeSet coarse_cells = coarsen_cells(cells);
    const LatticeSet coarse = corners_of_cells(coarse_cells);
    const bool last =
        free <= static_cast<std::size_t>(options.coarsest) || coarse.size() * 4 > vertices.size() * 3;
    if (!last) level.P = interpolate_trilinear(vertices, coarse, held);
    hierarchy->levels.push_back(std::move(level));
    if (last) break;
    const RowMatrix P = to_matrix(hierarchy->levels.back().P, coarse.size());
    const RowMatrix AP = matrix * P;
    matrix = RowMatrix(P.transpose()) * AP;
    cells = coarse_cells;
    vertices = coarse;
    held.assign(coarse.size(), 0);
  }
  const CsrMatrix& last = hierarchy->levels.back().A;
  for (std::uint32_t i = 0; i < last.rows(); ++i)
    if (last.inverse_diagonal[i] > 0) hierarchy->coarsest_free.push_back(i);
  const auto size = static_cast<Eigen::Index>(hierarchy->coarsest_free.size());
  std::vector<int> number(last.rows(), -1);
  for (Eigen::Index k = 0; k < size; ++k)
    number[hierarchy->coarsest_free[static_cast<std::size_t>(k)]] = static_cast<int>(k);
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index k = 0; k < size; ++k) {
    const std::uint32_t row = hierarchy->coarsest_free[static_cast<std::size_t>(k)];
    for (std::uint32_t e = last.offsets[row]; e < last.offsets[row + 1]; ++e)
      if (number[last.columns[e]] >= 0) dense(k, number[last.columns[e]]) = last.values[e];
  }
  if (size > 0) {
    // Coarse functions that agree on all fine vertices make the matrix semidefinite: a touch on the diagonal
    // picks one of them.
    dense.diagonal() *= 1 + 1e-10;
    hierarchy->coarsest.compute(dense);
    if (hierarchy->coarsest.info() != Eigen::Success)
      return impossible(
          "the system on the voxel grid has no single solution: a part of the body touches no handle");
  }
  return Multigrid(std::move(hierarchy));
}

std::size_t Multigrid::levels() const {
  return hierarchy_->levels.size();
}

std::size_t Multigrid::memory_bytes() const {
  std::size_t bytes = 0;
  for (const auto& level : hierarchy_->levels)
    bytes += level.A.values.size() * 12 + level.A.rows() * 12 + level.P.columns.size() * 12 +
             level.P.offsets.size() * 4;
  return bytes;
}

}  // namespace sinew
