// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/elastic_dqs.h"

#include <cmath>

#include "sinew/volume/multigrid.h"
#include "weights/elastic_solve.h"

namespace sinew {
namespace {

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

using weights_detail::kRegularisation, weights_detail::kSolveIterations, weights_detail::kSolveTolerance;
constexpr int kHalvings = 10;

// Points turned by the dual quaternion blend of rest and one sample, and their derivatives by the weight.
struct Blend {
  GridPositions positions, slopes;
};

Blend blend(const Corotational& model, const Eigen::VectorXd& weight, const Vec3& origin,
            const Mat3& sample) {
  const Eigen::AngleAxisd turn(sample);
  const Vec3 axis = turn.axis();
  const double sine = std::sin(turn.angle() / 2), cosine = std::cos(turn.angle() / 2);
  Blend result{model.rest(), GridPositions(model.rest().rows(), 3)};
  for (Eigen::Index i = 0; i < weight.size(); ++i) {
    const double w = weight[i], n = w * sine, c = 1 - w + w * cosine, square = n * n + c * c;
    const double sin_angle = 2 * n * c / square, cos_angle = (c * c - n * n) / square;
    const Vec3 p = model.rest().row(i).transpose() - origin;
    const Vec3 across = axis.cross(p);
    const Vec3 turned = p + sin_angle * across + (1 - cos_angle) * axis.cross(across);
    result.positions.row(i) = (turned + origin).transpose();
    result.slopes.row(i) = 2 * sine / square * axis.cross(turned).transpose();
  }
  return result;
}

// Adds the Gauss-Newton matrix of one sample.
void add_products(const RowMatrix& L, const GridPositions& slopes, RowMatrix& Y) {
  for (Eigen::Index i = 0; i < L.rows(); ++i) {
    RowMatrix::InnerIterator to(Y, i);
    for (RowMatrix::InnerIterator from(L, i); from; ++from, ++to)
      to.valueRef() += from.value() * slopes.row(i).dot(slopes.row(from.col()));
  }
}

double evaluate(const Corotational& model, const Eigen::VectorXd& weight, const Vec3& origin,
                std::span<const Mat3> samples, Eigen::VectorXd* gradient, RowMatrix* system) {
  if (gradient) gradient->setZero(weight.size());
  if (system) {
    *system = model.matrix();
    system->coeffs().setZero();
  }
  double sum = 0;
  CellRotations rotations;
  GridPositions pull;
  for (const Mat3& sample : samples) {
    const Blend moved = blend(model, weight, origin, sample);
    model.fit(moved.positions, rotations);
    sum += model.energy(moved.positions, rotations);
    if (gradient) {
      model.pull(rotations, pull);
      const GridPositions force = model.matrix() * moved.positions - pull;
      *gradient += moved.slopes.cwiseProduct(force).rowwise().sum();
    }
    if (system) add_products(model.matrix(), moved.slopes, *system);
  }
  return sum;
}

}  // namespace

double dqs_energy(const Corotational& model, const Eigen::VectorXd& weight, const Vec3& origin,
                  std::span<const Mat3> samples, Eigen::VectorXd* gradient) {
  return evaluate(model, weight, origin, samples, gradient, nullptr);
}

Result<GridWeight> energy_minimising_weight_dqs(const Corotational& model,
                                                std::span<const std::uint8_t> fixed,
                                                const Eigen::VectorXd& start, const Vec3& origin,
                                                std::span<const Mat3> samples,
                                                const DescentOptions& options) {
  GridWeight result{start, 0, 0, {}};
  Eigen::VectorXd gradient;
  RowMatrix Y;
  result.energy = evaluate(model, start, origin, samples, &gradient, &Y);
  result.history.push_back(result.energy);
  while (result.steps < options.max_steps) {
    if (is_cancelled(options.progress)) return cancelled();
    const double epsilon = kRegularisation * Y.diagonal().mean() / model.matrix().diagonal().mean();
    Y += epsilon * model.matrix();
    SINEW_TRY(const Multigrid hierarchy, Multigrid::build(model.grid(), Y, fixed));
    const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(start.size(), 1);
    const Eigen::VectorXd step = hierarchy.solve(-gradient, zero, kSolveTolerance, kSolveIterations).x;
    double length = 1, energy = result.energy;
    Eigen::VectorXd next;
    for (int halving = 0; halving <= kHalvings; ++halving, length /= 2) {
      next = result.values + length * step;
      energy = evaluate(model, next, origin, samples, nullptr, nullptr);
      if (energy < result.energy) break;
    }
    if (!(energy < result.energy)) break;
    const double decrease = result.energy - energy;
    result.values = next;
    result.energy = evaluate(model, next, origin, samples, &gradient, &Y);
    ++result.steps;
    result.history.push_back(energy);
    if (decrease <= options.tolerance * energy) break;
  }
  return result;
}

}  // namespace sinew
