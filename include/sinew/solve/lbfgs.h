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
    std::vector<double>
        products;      // of the steps before, oldest first, and this one with this change; the last above 0
    double slope = 0;  // step times the gradient where the last one was found
  };
  // Long vectors are read as seldom as can be: a piece of all of them at a time. Short runs are summed in the vectors' own
  // precision, their sum in double.
  constexpr Eigen::Index kRun = 128;
  using Run = Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>;
  const auto run_of = [&](const Vector& a, Eigen::Index begin) {
    return Run(a.data() + begin, std::min(kRun, a.size() - begin));
  };
  std::deque<Pair> pairs;
  // Products of every step, or change, with one vector.
  const auto products = [&](Vector Pair::*of, const Vector& with) {
    std::vector<double> sums(pairs.size(), 0.0);
    for (Eigen::Index begin = 0; begin < with.size(); begin += kRun)
      for (std::size_t i = 0; i < pairs.size(); ++i)
        sums[i] += static_cast<double>(run_of(pairs[i].*of, begin).dot(run_of(with, begin)));
    return sums;
  };
  const auto dot = [&](const Vector& a, const Vector& b) {
    double sum = 0;
    for (Eigen::Index begin = 0; begin < a.size(); begin += kRun)
      sum += static_cast<double>(run_of(a, begin).dot(run_of(b, begin)));
    return sum;
  };
  const auto add = [&](Vector Pair::*of, const std::vector<double>& amounts, Vector& to) {
    for (Eigen::Index begin = 0; begin < to.size(); begin += kRun) {
      Eigen::Map<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>> piece(to.data() + begin,
                                                                 std::min(kRun, to.size() - begin));
      for (std::size_t i = 0; i < pairs.size(); ++i)
        piece += Scalar(amounts[i]) * run_of(pairs[i].*of, begin);
    }
  };
  LbfgsResult<Vector> best{std::move(x), 0, 0, {}};
  best.energy = evaluate(best.x);
  best.history.push_back(best.energy);
  Vector g = gradient(best.x);
  // Two loops over numbers instead of vectors: products of steps and changes are known.
  const auto direction = [&]() {
    const std::size_t count = pairs.size();
    std::vector<double> shares(count);
    for (std::size_t i = count; i-- > 0;) {
      double sum = pairs[i].slope;
      for (std::size_t j = i + 1; j < count; ++j) sum += shares[j] * pairs[j].products[i];
      shares[i] = -sum / pairs[i].products[i];
    }
    Vector q = g;
    add(&Pair::change, shares, q);
    Vector d = precondition(q);
    const std::vector<double> slopes = products(&Pair::change, d);
    for (std::size_t i = 0; i < count; ++i) {
      double sum = slopes[i];
      for (std::size_t j = 0; j < i; ++j) sum += shares[j] * pairs[i].products[j];
      shares[i] = -shares[i] - sum / pairs[i].products[i];
    }
    add(&Pair::step, shares, d);
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
      const std::vector<double> slopes = products(&Pair::step, g_next);
      Pair pair{next - best.x, g_next - g, {}, 0};
      for (std::size_t i = 0; i < pairs.size(); ++i) {
        pair.products.push_back(slopes[i] - pairs[i].slope);
        pairs[i].slope = slopes[i];
      }
      pair.products.push_back(dot(pair.step, pair.change));
      pair.slope = dot(pair.step, g_next);
      if (pair.products.back() > 0) {
        if (pairs.size() == options.remembered) {
          pairs.pop_front();
          for (Pair& kept : pairs) kept.products.erase(kept.products.begin());
          pair.products.erase(pair.products.begin());
        }
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
