// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

#include "sinew/core/progress.h"

namespace sinew {

/// Options of lbfgs().
struct LbfgsOptions {
  double tolerance = 1e-4;  ///< stop where a step lowers the energy by less than this part of itself
  int max_steps = 200;
  std::size_t remembered =
      8;              ///< pairs of steps and changes of the gradient; 0: steepest descent in the metric
  int halvings = 12;  ///< of a step that does not lower the energy enough
  double enough = -std::numeric_limits<double>::infinity();  ///< stop where the energy is below this
  const Progress* progress = nullptr;
};

template <class Vector>
struct LbfgsResult {
  Vector x;
  double energy = 0;
  int steps = 0;
  std::vector<double> history;  ///< energy of the start and after every step
};

/// Minimises a smooth function from `x` by L-BFGS [nocedal1980] with a preconditioner: the two-loop recursion
/// starts from `precondition(g)`, an approximate inverse Hessian times g. `evaluate(x)` returns the energy,
/// `gradient(x)` its gradient where it was evaluated last. The energy never rises. Vector: any dense matrix.
template <class Vector, class Evaluate, class Gradient, class Precondition>
LbfgsResult<Vector> lbfgs(Vector x, const Evaluate& evaluate, const Gradient& gradient,
                          const Precondition& precondition, const LbfgsOptions& options) {
  using Scalar = typename Vector::Scalar;
  struct Pair {
    Vector step, change;
    double curvature;  // their product, above 0
  };
  // Short runs in the vectors' own precision, their sum in double.
  const auto dot = [](const Vector& a, const Vector& b) {
    constexpr Eigen::Index kRun = 128;
    using Run = Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>;
    double sum = 0;
    for (Eigen::Index begin = 0; begin < a.size(); begin += kRun) {
      const Eigen::Index length = std::min(kRun, a.size() - begin);
      sum += static_cast<double>(Run(a.data() + begin, length).dot(Run(b.data() + begin, length)));
    }
    return sum;
  };
  LbfgsResult<Vector> best{std::move(x), 0, 0, {}};
  best.energy = evaluate(best.x);
  best.history.push_back(best.energy);
  Vector g = gradient(best.x);
  std::deque<Pair> pairs;
  std::vector<double> shares;
  const auto direction = [&]() {
    Vector q = g;
    shares.assign(pairs.size(), 0.0);
    for (std::size_t i = pairs.size(); i-- > 0;) {
      shares[i] = dot(pairs[i].step, q) / pairs[i].curvature;
      q -= Scalar(shares[i]) * pairs[i].change;
    }
    Vector d = precondition(q);
    for (std::size_t i = 0; i < pairs.size(); ++i)
      d += Scalar(shares[i] - dot(pairs[i].change, d) / pairs[i].curvature) * pairs[i].step;
    return d;
  };
  while (best.steps < options.max_steps && !is_cancelled(options.progress)) {
    Vector d = direction();
    double slope = dot(d, g);
    if (!(slope > 0) && !pairs.empty()) {
      pairs.clear();
      d = direction();
      slope = dot(d, g);
    }
    if (!(slope > 0)) break;
    double length = 1, energy = best.energy;
    Vector next;
    for (int halving = 0; halving <= options.halvings; ++halving, length /= 2) {
      next = best.x - Scalar(length) * d;
      energy = evaluate(next);
      if (energy <= best.energy - 1e-4 * length * slope) break;
    }
    if (!(energy < best.energy)) break;
    Vector g_next = gradient(next);
    if (options.remembered > 0) {
      Pair pair{next - best.x, g_next - g, 0};
      pair.curvature = dot(pair.step, pair.change);
      if (pair.curvature > 0) {
        if (pairs.size() == options.remembered) pairs.pop_front();
        pairs.push_back(std::move(pair));
      }
    }
    const double decrease = best.energy - energy;
    best.x = std::move(next);
    best.energy = energy;
    g = std::move(g_next);
    ++best.steps;
    best.history.push_back(energy);
    if (decrease <= options.tolerance * energy || energy < options.enough) break;
  }
  return best;
}

}  // namespace sinew
