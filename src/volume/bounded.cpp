// SPDX-License-Identifier: Apache-2.0
// Quadratic programs with bounds on the grid: conjugate gradients on the entries that no bound holds,
// preconditioned by the hierarchy with the held entries masked out. A step that would cross a bound is
// projected and its length found again by a line search, so the energy never rises; where the set of held
// entries has changed, projected Gauss-Seidel sweeps settle it before the next direction.
#include <algorithm>
#include <cmath>

#include "sinew/core/parallel.h"
#include "volume/hierarchy.h"
#include "volume/lanes.h"

namespace sinew {
namespace {

// More of them save iterations but not time.
constexpr int kSettlingSweeps = 2;

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
    for (auto* list : {&g_, &mask_, &p_, &Ap_, &step_, &previous_}) list->assign(x_.size(), 0.0);
    settled_.fill(0);
  }

  // One iteration; the estimate of (energy - minimum) / energy before it.
  double iterate() {
    if (std::any_of(settled_.begin(), settled_.end(), [](double s) { return s == 0; })) sweep_projected();
    multiply(A_, x_.data(), g_.data());
    hold_and_release();
    v_cycle(hierarchy_, mask_.data(), work_);
    const double estimate = choose_direction();
    if (estimate > 0) move();
    return estimate;
  }

  std::vector<double> take() { return std::move(x_); }

 private:
  // Gauss-Seidel with every new value put between the bounds: it changes what is held, and never raises the
  // energy.
  void sweep_projected() {
    Lanes loose;
    for (std::size_t l = 0; l < kLanes; ++l) loose[l] = settled_[l] == 0 ? 1 : 0;
    for (int k = 0; k < kSettlingSweeps; ++k) sweep_within(A_, loose.data(), low_, high_, x_.data());
  }

  // The gradient tells which entries a bound holds; a lane whose set changed is swept before its next
  // direction.
  void hold_and_release() {
    std::vector<double>& r = work_.right[0];
    Lanes changes{};
    for (std::size_t i = 0; i < A_.rows(); ++i) {
      const bool fixed = A_.inverse_diagonal[i] == 0;
      for (std::size_t l = 0; l < kLanes; ++l) {
        const std::size_t k = i * kLanes + l;
        const bool held = fixed || (x_[k] <= low_ && g_[k] > 0) || (x_[k] >= high_ && g_[k] < 0);
        const double free = held ? 0.0 : 1.0;
        changes[l] += free != mask_[k];
        mask_[k] = free;
        r[k] = -g_[k] * free;
      }
    }
    for (std::size_t l = 0; l < kLanes; ++l)
      if (changes[l] > 0) settled_[l] = 0;
  }

  double choose_direction() {
    const std::vector<double>&r = work_.right[0], &z = work_.correction[0];
    const Lanes rz = lane_dot(r, z), energy = lane_dot(x_, g_), old = lane_dot(previous_, z);
    double estimate = 0;
    Lanes beta{};
    for (std::size_t l = 0; l < kLanes; ++l) {
      if (energy[l] > 0) estimate = std::max(estimate, rz[l] / energy[l]);
      // Polak and Ribiere's formula forgives a preconditioner whose mask moved a little: starting afresh at
      // every change took half as many iterations again.
      beta[l] = rz_[l] > 0 ? std::max(0.0, (rz[l] - old[l]) / rz_[l]) : 0.0;
    }
    rz_ = rz;
    lane_xpay(z, beta, p_);
    for (std::size_t k = 0; k < p_.size(); ++k) p_[k] *= mask_[k];
    previous_ = r;
    return estimate;
  }

  void move() {
    const std::vector<double>& r = work_.right[0];
    multiply(A_, p_.data(), Ap_.data());
    const Lanes rp = lane_dot(r, p_), pAp = lane_dot(p_, Ap_);
    Lanes alpha, clipped{};
    for (std::size_t l = 0; l < kLanes; ++l) alpha[l] = pAp[l] > 0 && rp[l] > 0 ? rp[l] / pAp[l] : 0;
    for (std::size_t k = 0; k < x_.size(); k += kLanes)
      for (std::size_t l = 0; l < kLanes; ++l) {
        const double wanted = x_[k + l] + alpha[l] * p_[k + l], got = std::clamp(wanted, low_, high_);
        clipped[l] += got != wanted;
        step_[k + l] = got - x_[k + l];
      }
    Lanes length;
    length.fill(1);
    if (std::any_of(clipped.begin(), clipped.end(), [](double c) { return c > 0; })) {
      multiply(A_, step_.data(), Ap_.data());
      const Lanes down = lane_dot(r, step_), curvature = lane_dot(step_, Ap_);
      for (std::size_t l = 0; l < kLanes; ++l)
        if (clipped[l] > 0)
          length[l] = down[l] > 0 && curvature[l] > 0 ? std::min(1.0, down[l] / curvature[l]) : 0;
    }
    for (std::size_t k = 0; k < x_.size(); k += kLanes)
      for (std::size_t l = 0; l < kLanes; ++l)
        x_[k + l] = std::clamp(x_[k + l] + length[l] * step_[k + l], low_, high_);
    for (std::size_t l = 0; l < kLanes; ++l) settled_[l] = clipped[l] > 0 ? 0 : 1;
  }

  const Multigrid::Hierarchy& hierarchy_;
  const CsrMatrix& A_;
  double low_, high_;
  std::vector<double> x_, g_, mask_, p_, Ap_, step_, previous_;
  CycleWorkspace work_;
  Lanes settled_, rz_{};
};

}  // namespace

Multigrid::BoundedSolution Multigrid::solve_bounded(const Eigen::MatrixXd& start, double low, double high,
                                                    double energy_tolerance, int max_iterations,
                                                    const Progress* progress) const {
  BoundedSolution solution;
  solution.x = start;
  const auto blocks = (static_cast<std::size_t>(start.cols()) + kLanes - 1) / kLanes;
  std::vector<std::vector<double>> columns(blocks), histories(blocks);
  parallel_for(blocks, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) {
      BoundedBlock block(*hierarchy_, load_block(start, static_cast<Eigen::Index>(k * kLanes)), low, high);
      while (static_cast<int>(histories[k].size()) < max_iterations && !is_cancelled(progress)) {
        histories[k].push_back(block.iterate());
        if (histories[k].back() <= energy_tolerance) break;
      }
      columns[k] = block.take();
    }
  });
  for (std::size_t k = 0; k < blocks; ++k) {
    store_block(columns[k], static_cast<Eigen::Index>(k * kLanes), solution.x);
    solution.iterations = std::max(solution.iterations, static_cast<int>(histories[k].size()));
    if (!histories[k].empty()) solution.residual = std::max(solution.residual, histories[k].back());
    solution.history.resize(std::max(solution.history.size(), histories[k].size()), 0.0);
    for (std::size_t i = 0; i < histories[k].size(); ++i)
      solution.history[i] = std::max(solution.history[i], histories[k][i]);
  }
  return solution;
}

}  // namespace sinew
