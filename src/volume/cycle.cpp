// SPDX-License-Identifier: Apache-2.0
// The V-cycle. With a mask, coarse vertices are masked too: those of whose support bounds hold more than a
// tenth. Left free they would answer as if the body could move beyond the bounds; the iterations of the
// bounded solver fall by a factor of two to six (docs/algorithms/multigrid.md).
#include <algorithm>

#include "volume/hierarchy.h"

namespace sinew {
namespace {

constexpr double kFreeShare = 0.9;
constexpr std::size_t kFactorEachTime = 256;  // unknowns up to which the coarsest matrix is factored per mask
constexpr int kCoarsestSweeps = 8;

template <std::size_t L, class T>
void solve_coarsest(const Multigrid::Hierarchy& hierarchy, const T* right, T* x) {
  const auto& free = hierarchy.coarsest_free;
  if (free.empty()) return;
  Eigen::MatrixXd b(static_cast<Eigen::Index>(free.size()), static_cast<Eigen::Index>(L));
  for (std::size_t i = 0; i < free.size(); ++i)
    for (std::size_t l = 0; l < L; ++l)
      b(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(l)) =
          static_cast<double>(right[free[i] * L + l]);
  hierarchy.coarsest.solveInPlace(b);
  for (std::size_t i = 0; i < free.size(); ++i)
    for (std::size_t l = 0; l < L; ++l)
      x[free[i] * L + l] = static_cast<T>(b(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(l)));
}

template <std::size_t L, class T>
void solve_coarsest_masked(const Multigrid::Hierarchy& hierarchy, const T* right, const T* mask, T* x) {
  const auto& free = hierarchy.coarsest_free;
  std::vector<Eigen::Index> kept;
  for (std::size_t l = 0; l < L; ++l) {
    kept.clear();
    for (std::size_t i = 0; i < free.size(); ++i)
      if (mask[free[i] * L + l] != 0) kept.push_back(static_cast<Eigen::Index>(i));
    if (kept.empty()) continue;
    Eigen::VectorXd b(static_cast<Eigen::Index>(kept.size()));
    for (Eigen::Index i = 0; i < b.size(); ++i)
      b[i] = static_cast<double>(
          right[free[static_cast<std::size_t>(kept[static_cast<std::size_t>(i)])] * L + l]);
    const Eigen::MatrixXd matrix = hierarchy.coarsest_matrix(kept, kept);
    matrix.llt().solveInPlace(b);
    for (Eigen::Index i = 0; i < b.size(); ++i)
      x[free[static_cast<std::size_t>(kept[static_cast<std::size_t>(i)])] * L + l] = static_cast<T>(b[i]);
  }
}

template <std::size_t L, class T>
void coarsen_mask(const GridTransfer& P, const std::vector<T>& fine, std::vector<T>& coarse) {
  const std::size_t count = P.coverage.size();
  coarse.resize(count * L);
  restrict_to<L, T>(P, fine.data(), coarse.data(), count);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t l = 0; l < L; ++l)
      coarse[i * L + l] = static_cast<double>(coarse[i * L + l]) > kFreeShare * P.coverage[i] ? T(1) : T(0);
}

template <std::size_t L, class T>
void cycle(const Multigrid::Hierarchy& hierarchy, std::size_t level, bool masked,
           CycleWorkspace<L, T>& work) {
  const auto& here = hierarchy.levels[level];
  T* x = work.correction[level].data();
  const T* b = work.right[level].data();
  const T* mask = masked ? work.masks[level].data() : nullptr;
  std::fill(x, x + here.size() * L, T(0));
  const bool last = level + 1 == hierarchy.levels.size();
  if (last && !masked) return solve_coarsest<L, T>(hierarchy, b, x);
  if (last && hierarchy.coarsest_free.size() <= kFactorEachTime)
    return solve_coarsest_masked<L, T>(hierarchy, b, mask, x);
  const int sweeps = last ? kCoarsestSweeps : hierarchy.sweeps;
  for (int k = 0; k < sweeps; ++k) sweep<L, T>(here.A, b, x, mask, true);
  if (!last) {
    T* r = work.residual[level].data();
    residual<L, T>(here.A, b, x, r);
    if (mask)
      for (std::size_t k = 0; k < here.size() * L; ++k) r[k] *= mask[k];
    restrict_to<L, T>(here.P, r, work.right[level + 1].data(), hierarchy.levels[level + 1].size());
    if (mask) coarsen_mask<L, T>(here.P, work.masks[level], work.masks[level + 1]);
    cycle<L, T>(hierarchy, level + 1, masked, work);
    prolong_add<L, T>(here.P, work.correction[level + 1].data(), mask, x);
  }
  for (int k = 0; k < sweeps; ++k) sweep<L, T>(here.A, b, x, mask, false);
}

}  // namespace

template <std::size_t L, class T>
void v_cycle(const Multigrid::Hierarchy& hierarchy, bool masked, CycleWorkspace<L, T>& work) {
  cycle<L, T>(hierarchy, 0, masked, work);
}
template void v_cycle<2>(const Multigrid::Hierarchy&, bool, CycleWorkspace<2, double>&);
template void v_cycle<4>(const Multigrid::Hierarchy&, bool, CycleWorkspace<4, double>&);
template void v_cycle<8>(const Multigrid::Hierarchy&, bool, CycleWorkspace<8, double>&);
template void v_cycle<4>(const Multigrid::Hierarchy&, bool, CycleWorkspace<4, float>&);
template void v_cycle<8>(const Multigrid::Hierarchy&, bool, CycleWorkspace<8, float>&);
template void v_cycle<16>(const Multigrid::Hierarchy&, bool, CycleWorkspace<16, float>&);

}  // namespace sinew
