// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients over the hierarchy, without bounds.
#include "sinew/volume/multigrid.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "sinew/core/parallel.h"
#include "volume/hierarchy.h"
#include "volume/lanes.h"

namespace sinew {
namespace {

struct BlockSolution {
  std::vector<double> x;
  int iterations = 0;
  double residual = 0;
};

template <std::size_t L>
BlockSolution solve_block(const Multigrid::Hierarchy& hierarchy, std::vector<double> b, std::vector<double> x,
                          double tolerance, int max_iterations) {
  const SpanMatrix& A = hierarchy.levels[0].A;
  CycleWorkspace<L, double> work(hierarchy);
  std::vector<double>& r = work.right[0];
  std::vector<double>& z = work.correction[0];
  residual<L, double>(A, b.empty() ? nullptr : b.data(), x.data(), r.data());
  // Against what the fixed values and b ask for, not against a lucky start.
  std::vector<double> zero(x.size(), 0.0), scale_vector(x.size());
  for (std::size_t i = 0; i < A.rows; ++i)
    if (hierarchy.fixed[i])
      for (std::size_t l = 0; l < L; ++l) zero[i * L + l] = x[i * L + l];
  residual<L, double>(A, b.empty() ? nullptr : b.data(), zero.data(), scale_vector.data());
  const Lanes<L> scale = lane_dot<L>(scale_vector, scale_vector);

  std::vector<double> p(x.size(), 0.0), Ap(x.size());
  Lanes<L> rz{};
  BlockSolution result;
  for (;; ++result.iterations) {
    const Lanes<L> rr = lane_dot<L>(r, r);
    result.residual = 0;
    for (std::size_t l = 0; l < L; ++l)
      if (rr[l] > 0)
        result.residual = std::max(result.residual, std::sqrt(rr[l] / (scale[l] > 0 ? scale[l] : rr[l])));
    if (result.residual <= tolerance || result.iterations >= max_iterations) break;
    v_cycle(hierarchy, false, work);
    const Lanes<L> next = lane_dot<L>(r, z);
    Lanes<L> beta{}, alpha{};
    for (std::size_t l = 0; l < L; ++l) beta[l] = rz[l] > 0 ? next[l] / rz[l] : 0;
    rz = next;
    lane_xpay<L>(z, beta, p);
    multiply<L, double>(A, p.data(), Ap.data());
    const Lanes<L> pAp = lane_dot<L>(p, Ap);
    for (std::size_t l = 0; l < L; ++l) alpha[l] = pAp[l] > 0 ? rz[l] / pAp[l] : 0;
    lane_axpy<L>(alpha, p, x);
    residual<L, double>(A, b.empty() ? nullptr : b.data(), x.data(), r.data());
  }
  result.x = std::move(x);
  return result;
}

}  // namespace

Multigrid::Solution Multigrid::solve(const Eigen::MatrixXd& b, const Eigen::MatrixXd& start, double tolerance,
                                     int max_iterations) const {
  Solution solution;
  solution.x = start;
  with_lanes(static_cast<std::size_t>(start.rows()), start.cols(), [&]<std::size_t L>() {
    const auto blocks = (static_cast<std::size_t>(start.cols()) + L - 1) / L;
    std::vector<BlockSolution> solved(blocks);
    parallel_for(blocks, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        const auto first = static_cast<Eigen::Index>(k * L);
        solved[k] =
            solve_block<L>(*hierarchy_, b.rows() > 0 ? load_block<L>(b, first) : std::vector<double>(),
                           load_block<L>(start, first), tolerance, max_iterations);
      }
    });
    for (std::size_t k = 0; k < blocks; ++k) {
      store_block<L>(solved[k].x, static_cast<Eigen::Index>(k * L), solution.x);
      solution.iterations = std::max(solution.iterations, solved[k].iterations);
      solution.residual = std::max(solution.residual, solved[k].residual);
    }
  });
  return solution;
}

Multigrid::Columns Multigrid::precondition(const Eigen::Ref<const Columns>& b) const {
  Columns x(b.rows(), b.cols());
  const auto with = [&]<std::size_t L>(std::integral_constant<std::size_t, L>) {
    const auto blocks = (static_cast<std::size_t>(b.cols()) + L - 1) / L;
    parallel_for(blocks, 1, [&](std::size_t begin, std::size_t end) {
      CycleWorkspace<L, float> work(*hierarchy_);
      float* right = work.right[0].data();
      const float* found = work.correction[0].data();
      for (std::size_t k = begin; k < end; ++k) {
        const auto first = static_cast<Eigen::Index>(k * L);
        const Eigen::Index width = std::min<Eigen::Index>(L, b.cols() - first);
        for (Eigen::Index i = 0; i < b.rows(); ++i) {
          float* row = right + i * static_cast<Eigen::Index>(L);
          std::fill_n(row, L, 0.0f);
          if (!hierarchy_->fixed[static_cast<std::size_t>(i)])
            std::copy_n(b.data() + i * b.outerStride() + first, width, row);
        }
        v_cycle(*hierarchy_, false, work);
        for (Eigen::Index i = 0; i < b.rows(); ++i)
          std::copy_n(found + i * static_cast<Eigen::Index>(L), width, &x(i, first));
      }
    });
  };
  if (b.cols() <= 4)
    with(std::integral_constant<std::size_t, 4>());
  else if (b.cols() <= 8)
    with(std::integral_constant<std::size_t, 8>());
  else
    with(std::integral_constant<std::size_t, 16>());
  return x;
}

}  // namespace sinew
