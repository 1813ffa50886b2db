// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/elastic.h"

#include <cmath>
#include <deque>

namespace sinew {
namespace {

constexpr std::size_t kRemembered = 8;    // pairs of L-BFGS
constexpr double kSolveTolerance = 1e-3;  // of the linear solve in a step: it is only a direction
constexpr int kSolveIterations = 20;
constexpr int kHalvings = 12;

double dot(const GridPositions& a, const GridPositions& b) {
  return a.cwiseProduct(b).sum();
}

struct Pair {
  GridPositions step, change;  // of positions and of the gradient
  double curvature;            // their product, above 0
};

// H g by the two-loop recursion, H0 the inverse of the grid's matrix.
template <class Solve>
GridPositions apply_inverse_hessian(const std::deque<Pair>& pairs, GridPositions g, const Solve& solve) {
  std::vector<double> shares(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    shares[i] = dot(pairs[i].step, g) / pairs[i].curvature;
    g -= shares[i] * pairs[i].change;
  }
  GridPositions d = solve(g);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double share = dot(pairs[i].change, d) / pairs[i].curvature;
    d += (shares[i] - share) * pairs[i].step;
  }
  return d;
}

}  // namespace

Result<ElasticBody> ElasticBody::build(const VoxelGrid& grid, std::span<const std::uint8_t> fixed,
                                       std::span<const float> stiffness) {
  auto model = std::make_shared<const Corotational>(grid, stiffness);
  SINEW_TRY(Multigrid hierarchy, Multigrid::build(grid, model->matrix(), fixed));
  return ElasticBody(std::move(model), std::move(hierarchy), {fixed.begin(), fixed.end()});
}

ElasticBody::ElasticBody(std::shared_ptr<const Corotational> model, Multigrid hierarchy,
                         std::vector<std::uint8_t> fixed)
    : model_(std::move(model)), hierarchy_(std::move(hierarchy)), fixed_(std::move(fixed)) {}

ElasticBody::Solution ElasticBody::minimise(const GridPositions& start, const ElasticOptions& options) const {
  Solution best{start, 0, 0, {}};
  CellRotations rotations;
  GridPositions pull;
  const auto evaluate = [&](const GridPositions& v) {
    model_->fit(v, rotations);
    return model_->energy(v, rotations);
  };
  const auto gradient_at = [&](const GridPositions& v) {
    model_->pull(rotations, pull);
    GridPositions g = model_->matrix() * v - pull;
    for (Eigen::Index i = 0; i < g.rows(); ++i)
      if (fixed_[static_cast<std::size_t>(i)]) g.row(i).setZero();
    return g;
  };
  const auto solve = [&](const GridPositions& g) {
    const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(g.rows(), 3);
    return GridPositions(hierarchy_.solve(g, zero, kSolveTolerance, kSolveIterations).x);
  };
  best.energy = evaluate(best.positions);
  best.history.push_back(best.energy);
  GridPositions g = gradient_at(best.positions);
  std::deque<Pair> pairs;
  while (best.iterations < options.max_iterations && !is_cancelled(options.progress)) {
    GridPositions d = apply_inverse_hessian(pairs, g, solve);
    double slope = dot(d, g);
    if (!(slope > 0) && !pairs.empty()) {
      pairs.clear();
      d = solve(g);
      slope = dot(d, g);
    }
    if (!(slope > 0)) break;
    double length = 1, energy = best.energy;
    GridPositions next;
    for (int halving = 0; halving <= kHalvings; ++halving, length /= 2) {
      next = best.positions - length * d;
      energy = evaluate(next);
      if (energy <= best.energy - 1e-4 * length * slope) break;
    }
    if (!(energy < best.energy)) break;
    const GridPositions g_next = gradient_at(next);
    if (options.accelerated) {
      Pair pair{next - best.positions, g_next - g, 0};
      pair.curvature = dot(pair.step, pair.change);
      if (pair.curvature > 0) {
        if (pairs.size() == kRemembered) pairs.pop_front();
        pairs.push_back(std::move(pair));
      }
    }
    const double decrease = best.energy - energy;
    best.positions = std::move(next);
    best.energy = energy;
    g = g_next;
    ++best.iterations;
    best.history.push_back(energy);
    if (decrease <= options.tolerance * energy) break;
  }
  return best;
}

}  // namespace sinew
