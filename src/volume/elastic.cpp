// SPDX-License-Identifier: Apache-2.0
#include "sinew/volume/elastic.h"

#include <cassert>

#include "sinew/solve/lbfgs.h"

namespace sinew {
namespace {

constexpr double kSolveTolerance = 1e-3;  // of the linear solve in a plain step: it is only a direction
constexpr int kSolveIterations = 20;

}  // namespace

Result<ElasticBody> ElasticBody::build(const VoxelGrid& grid, std::span<const std::uint8_t> fixed,
                                       std::span<const float> stiffness, ElasticSprings springs) {
  auto model = std::make_shared<const Corotational>(grid, stiffness);
  Eigen::SparseMatrix<double, Eigen::RowMajor> matrix = model->matrix();
  if (springs.points.rows() > 0)
    matrix += Eigen::SparseMatrix<double, Eigen::RowMajor>(springs.points.transpose() *
                                                           springs.stiffness.asDiagonal() * springs.points);
  SINEW_TRY(Multigrid hierarchy, Multigrid::build(grid, matrix, fixed, {.sweeps = 1}));
  return ElasticBody(std::move(model), std::move(hierarchy), {fixed.begin(), fixed.end()},
                     std::move(springs));
}

ElasticBody::ElasticBody(std::shared_ptr<const Corotational> model, Multigrid hierarchy,
                         std::vector<std::uint8_t> fixed, ElasticSprings springs)
    : model_(std::move(model)),
      hierarchy_(std::move(hierarchy)),
      fixed_(std::move(fixed)),
      springs_(std::move(springs)) {}

ElasticBody::Solution ElasticBody::minimise(const GridPositions& start, const ElasticOptions& options) const {
  CellRotations rotations;
  GridPositions pull, apart;  // of points from their places
  const bool sprung = springs_.points.rows() > 0;
  assert(!sprung || (options.places && options.places->rows() == springs_.points.rows()));
  const auto evaluate = [&](const GridPositions& v) {
    model_->fit(v, rotations);
    double energy = model_->energy(v, rotations);
    if (sprung) {
      apart = springs_.points * v - *options.places;
      energy += 0.5 * springs_.stiffness.dot(apart.rowwise().squaredNorm());
    }
    return energy;
  };
  const auto gradient = [&](const GridPositions& v) {
    model_->pull(rotations, pull);
    GridPositions g = model_->matrix() * v - pull;
    if (sprung) g += springs_.points.transpose() * GridPositions(springs_.stiffness.asDiagonal() * apart);
    for (Eigen::Index i = 0; i < g.rows(); ++i)
      if (fixed_[static_cast<std::size_t>(i)]) g.row(i).setZero();
    return g;
  };
  const auto solve = [&](const GridPositions& g) {
    // L-BFGS wants a metric, for which one cycle does: as many steps, to the same energy, each cheaper.
    if (options.accelerated) return GridPositions(hierarchy_.precondition(g.cast<float>()).cast<double>());
    const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(g.rows(), 3);
    return GridPositions(hierarchy_.solve(g, zero, kSolveTolerance, kSolveIterations).x);
  };
  LbfgsOptions descent;
  descent.tolerance = options.tolerance;
  descent.max_steps = options.max_iterations;
  descent.progress = options.progress;
  descent.enough = options.enough;
  if (!options.accelerated) descent.remembered = 0;
  auto best = lbfgs(start, evaluate, gradient, solve, descent);
  return {std::move(best.x), best.energy, best.steps, std::move(best.history)};
}

}  // namespace sinew
