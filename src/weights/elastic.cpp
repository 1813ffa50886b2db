// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/elastic.h"

#include <cmath>
#include <numbers>

#include "sinew/solve/lbfgs.h"
#include "sinew/volume/multigrid.h"
#include "weights/elastic_solve.h"

namespace sinew {
namespace {

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;

using weights_detail::kRegularisation, weights_detail::kSolveIterations, weights_detail::kSolveTolerance;

JointSamples turns_about(const Vec3& axis, int count) {
  JointSamples samples;
  for (int k = 0; k < count; ++k) {
    // Both ends first and no sample at rest, which has no energy whatever the weights: +-90, +-90 (1 - 2/n)
    // ...
    const double angle = std::numbers::pi / 2 * (1 - 2.0 * (k / 2) / count);
    samples.push_back(Eigen::AngleAxisd(k % 2 ? -angle : angle, axis).toRotationMatrix());
  }
  return samples;
}

// What the descent keeps between steps.
class LinearDescent {
 public:
  LinearDescent(const Corotational& model, const Vec3& origin, std::span<const Mat3> samples)
      : model_(model), samples_(samples), relative_(model.rest().rowwise() - origin.transpose()) {
    model.pull(CellRotations(model.grid().cell_count(), Eigen::Matrix3f::Identity()), rest_pull_);
  }

  // Y = sum_k D_k' L D_k with D_k the offsets S_k p - p: entry by entry L times p_i' G p_j.
  RowMatrix system() const {
    Mat3 G = Mat3::Zero();
    for (const Mat3& S : samples_) G += (S - Mat3::Identity()).transpose() * (S - Mat3::Identity());
    RowMatrix Y = model_.matrix();
    double mean_y = 0, mean_l = 0;
    for (Eigen::Index i = 0; i < Y.rows(); ++i) {
      const Eigen::RowVector3d left = relative_.row(i) * G;
      for (RowMatrix::InnerIterator it(Y, i); it; ++it) {
        const double l = it.value();
        it.valueRef() *= left.dot(relative_.row(it.col()));
        if (it.col() == i) mean_y += it.value(), mean_l += l;
      }
    }
    epsilon_ = mean_l > 0 ? kRegularisation * mean_y / mean_l : 0;
    return Y + epsilon_ * model_.matrix();
  }

  // Energy at w; also the right-hand side of the next global step.
  double evaluate(const Eigen::VectorXd& w, Eigen::VectorXd& right) {
    right.setZero(w.size());
    double sum = 0.5 * epsilon_ * w.dot(model_.matrix() * w);
    for (const Mat3& S : samples_) {
      const GridPositions offsets = relative_ * (S - Mat3::Identity()).transpose();
      moved_ = model_.rest() + w.asDiagonal() * offsets;
      sum += model_.fit(moved_, rotations_);
      model_.pull(rotations_, pull_);
      right += offsets.cwiseProduct(pull_ - rest_pull_).rowwise().sum();
    }
    return sum;
  }

 private:
  const Corotational& model_;
  std::span<const Mat3> samples_;
  GridPositions relative_, rest_pull_, moved_, pull_;
  CellRotations rotations_;
  mutable double epsilon_ = 0;
};

}  // namespace

JointSamples swing_samples(const JointFrame& frame, int count) {
  JointSamples samples = turns_about(frame.axes.col(0), count / 2);
  for (const Mat3& turn : turns_about(frame.axes.col(1), count / 2)) samples.push_back(turn);
  return samples;
}

JointSamples twist_samples(const JointFrame& frame, int count) {
  return turns_about(frame.axes.col(2), count);
}

Result<GridWeight> energy_minimising_weight(const Corotational& model, std::span<const std::uint8_t> fixed,
                                            const Eigen::VectorXd& start, const Vec3& origin,
                                            std::span<const Mat3> samples, const DescentOptions& options) {
  LinearDescent descent(model, origin, samples);
  const RowMatrix Y = descent.system();
  SINEW_TRY(const Multigrid hierarchy, Multigrid::build(model.grid(), Y, fixed));
  Eigen::VectorXd right;
  const auto evaluate = [&](const Eigen::VectorXd& w) { return descent.evaluate(w, right); };
  const auto gradient = [&](const Eigen::VectorXd& w) {
    Eigen::VectorXd g = Y * w - right;
    for (Eigen::Index i = 0; i < g.size(); ++i)
      if (fixed[static_cast<std::size_t>(i)]) g[i] = 0;
    return g;
  };
  // L-BFGS wants a metric, for which one cycle of the system with the rotations held does.
  const auto solve = [&](const Eigen::VectorXd& g) {
    if (!options.accelerated)
      return Eigen::VectorXd(
          hierarchy.solve(g, Eigen::MatrixXd::Zero(g.size(), 1), kSolveTolerance, kSolveIterations).x);
    return Eigen::VectorXd(hierarchy.precondition(Multigrid::Columns(g.cast<float>())).cast<double>());
  };
  LbfgsOptions steps;
  steps.tolerance = options.tolerance;
  steps.max_steps = options.max_steps;
  steps.progress = options.progress;
  if (!options.accelerated) steps.remembered = 0;
  auto best = lbfgs(start, evaluate, gradient, solve, steps);
  if (is_cancelled(options.progress)) return cancelled();
  return GridWeight{std::move(best.x), best.steps, best.energy, std::move(best.history)};
}

double linear_energy(const Corotational& model, const Eigen::VectorXd& weight, const Vec3& origin,
                     std::span<const Mat3> samples) {
  Eigen::VectorXd unused;
  return LinearDescent(model, origin, samples).evaluate(weight, unused);
}

}  // namespace sinew
