// SPDX-License-Identifier: Apache-2.0
// Quadratic programs with bounds on the grid, after the truncated nonsmooth Newton multigrid idea: projected
// Gauss-Seidel sweeps settle which entries a bound holds (and alone let them go again); a cycle of the
// hierarchy with the held entries masked out gives a direction for the others, conjugate to the last one. A
// step that crosses a bound is projected, its length found again by a line search, and shortened where
// projection took most of what it promised. The energy never rises.
#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/core/piece_progress.h"
#include "volume/hierarchy.h"
#include "volume/lanes.h"

namespace sinew {
namespace {

constexpr int kSettlingSweeps = 4;
constexpr int kTrials = 5;  // of ever shorter steps
constexpr double kShorter = 0.25;
constexpr double kWorthwhile = 0.1;  // of the fall in energy that the unbounded step would bring

template <std::size_t L>
class BoundedBlock {
 public:
  BoundedBlock(const Multigrid::Hierarchy& hierarchy, std::vector<double> start, double low, double high)
      : hierarchy_(hierarchy),
        A_(hierarchy.levels[0].A),
        low_(low),
        high_(high),
        x_(std::move(start)),
        work_(hierarchy) {
    for (double& value : x_) value = std::clamp(value, low_, high_);
    for (auto* list : {&g_, &work_.masks[0], &p_, &Ap_, &step_, &previous_}) list->assign(x_.size(), 0.0);
  }

  // One iteration; the estimate of (energy - minimum) / energy before it.
  double iterate() {
    for (int k = 0; k < kSettlingSweeps; ++k) sweep_within<L>(A_, low_, high_, x_.data());
    multiply<L, double>(A_, x_.data(), g_.data());
    hold();
    v_cycle(hierarchy_, true, work_);
    const double estimate = choose_direction();
    if (estimate > 0) move();
    return estimate;
  }

  std::vector<double> take() { return std::move(x_); }

 private:
  // What lies on a bound is held; the residual is that of the others.
  void hold() {
    std::vector<double>&r = work_.right[0], &mask = work_.masks[0];
    for (std::size_t i = 0; i < A_.rows; ++i) {
      const bool fixed = hierarchy_.fixed[i] != 0;
      for (std::size_t l = 0; l < L; ++l) {
        const std::size_t k = i * L + l;
        mask[k] = fixed || x_[k] <= low_ || x_[k] >= high_ ? 0.0 : 1.0;
        r[k] = -g_[k] * mask[k];
      }
    }
  }

  double choose_direction() {
    const std::vector<double>&r = work_.right[0], &z = work_.correction[0];
    const Lanes<L> rz = lane_dot<L>(r, z), energy = lane_dot<L>(x_, g_), old = lane_dot<L>(previous_, z);
    double estimate = 0;
    Lanes<L> beta{};
    for (std::size_t l = 0; l < L; ++l) {
      if (energy[l] > 0) estimate = std::max(estimate, rz[l] / energy[l]);
      // Polak and Ribiere's formula forgives a preconditioner whose mask moved a little.
      beta[l] = rz_[l] > 0 ? std::max(0.0, (rz[l] - old[l]) / rz_[l]) : 0.0;
    }
    rz_ = rz;
    lane_xpay<L>(z, beta, p_);
    for (std::size_t k = 0; k < p_.size(); ++k) p_[k] *= work_.masks[0][k];
    previous_ = r;
    return estimate;
  }

  void move() {
    const std::vector<double>& r = work_.right[0];
    multiply<L, double>(A_, p_.data(), Ap_.data());
    const Lanes<L> rp = lane_dot<L>(r, p_), pAp = lane_dot<L>(p_, Ap_);
    Lanes<L> alpha, promised{};
    for (std::size_t l = 0; l < L; ++l) {
      alpha[l] = pAp[l] > 0 && rp[l] > 0 ? rp[l] / pAp[l] : 0;
      promised[l] = alpha[l] * rp[l];
    }
    std::array<bool, L> done{};
    for (int trial = 0; trial < kTrials; ++trial) {
      Lanes<L> clipped = step_within(alpha, done);
      Lanes<L> length;
      length.fill(1);
      bool any = false;
      for (std::size_t l = 0; l < L; ++l) any = any || (!done[l] && clipped[l] > 0);
      if (any) {
        multiply<L, double>(A_, step_.data(), Ap_.data());
        const Lanes<L> down = lane_dot<L>(r, step_), curvature = lane_dot<L>(step_, Ap_);
        for (std::size_t l = 0; l < L; ++l) {
          if (done[l] || clipped[l] == 0) continue;
          const bool falls = down[l] > 0 && curvature[l] > 0;
          const double gain = falls ? down[l] * down[l] / curvature[l] : 0;
          length[l] = falls ? std::min(1.0, down[l] / curvature[l]) : 0;
          if (gain < kWorthwhile * promised[l] && trial + 1 < kTrials) {
            alpha[l] *= kShorter;
            length[l] = -1;
          }
        }
      }
      for (std::size_t k = 0; k < x_.size(); k += L)
        for (std::size_t l = 0; l < L; ++l)
          if (!done[l] && length[l] > 0)
            x_[k + l] = std::clamp(x_[k + l] + length[l] * step_[k + l], low_, high_);
      bool all = true;
      for (std::size_t l = 0; l < L; ++l) {
        done[l] = done[l] || length[l] >= 0;
        all = all && done[l];
      }
      if (all) break;
    }
  }

  Lanes<L> step_within(const Lanes<L>& alpha, const std::array<bool, L>& done) {
    Lanes<L> clipped{};
    for (std::size_t k = 0; k < x_.size(); k += L)
      for (std::size_t l = 0; l < L; ++l) {
        const double wanted = x_[k + l] + (done[l] ? 0 : alpha[l]) * p_[k + l],
                     got = std::clamp(wanted, low_, high_);
        clipped[l] += got != wanted;
        step_[k + l] = got - x_[k + l];
      }
    return clipped;
  }

  const Multigrid::Hierarchy& hierarchy_;
  const SpanMatrix& A_;
  double low_, high_;
  std::vector<double> x_, g_, p_, Ap_, step_, previous_;
  CycleWorkspace<L, double> work_;
  Lanes<L> rz_{};
};

}  // namespace

Multigrid::BoundedSolution Multigrid::solve_bounded(const Eigen::MatrixXd& start, double low, double high,
                                                    double energy_tolerance, int max_iterations,
                                                    const Progress* progress) const {
  BoundedSolution solution;
  solution.x = start;
  with_lanes(static_cast<std::size_t>(start.rows()), start.cols(), [&]<std::size_t L>() {
    const auto blocks = (static_cast<std::size_t>(start.cols()) + L - 1) / L;
    std::vector<std::vector<double>> columns(blocks), histories(blocks);
    PieceProgress solved(progress, "bounded weights", blocks);
    parallel_for(blocks, 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t k = begin; k < end; ++k) {
        BoundedBlock<L> block(*hierarchy_, load_block<L>(start, static_cast<Eigen::Index>(k * L)), low, high);
        while (static_cast<int>(histories[k].size()) < max_iterations && !is_cancelled(progress)) {
          histories[k].push_back(block.iterate());
          if (histories[k].back() <= energy_tolerance) break;
        }
        columns[k] = block.take();
        solved.add();
      }
    });
    for (std::size_t k = 0; k < blocks; ++k) {
      store_block<L>(columns[k], static_cast<Eigen::Index>(k * L), solution.x);
      solution.iterations = std::max(solution.iterations, static_cast<int>(histories[k].size()));
      if (!histories[k].empty()) solution.residual = std::max(solution.residual, histories[k].back());
      solution.history.resize(std::max(solution.history.size(), histories[k].size()), 0.0);
      for (std::size_t i = 0; i < histories[k].size(); ++i)
        solution.history[i] = std::max(solution.history[i], histories[k][i]);
    }
  });
  return solution;
}

}  // namespace sinew
