// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/spherical_twist.h"

#include <cmath>

#include "sinew/solve/lbfgs.h"
#include "sinew/volume/multigrid.h"
#include "weights/elastic_solve.h"

namespace sinew {
namespace {

constexpr double kRoughTolerance = 0.1;  // of the metric's solves: directions
constexpr int kRoughIterations = 4;

// Grid vertices as they lie about the axis.
class Turns {
 public:
  Turns(const Corotational& model, const Vec3& origin, const Vec3& axis)
      : model_(model), relative_(model.rest().rowwise() - origin.transpose()), origin_(origin), axis_(axis) {
    along_ = (relative_ * axis) * axis.transpose();
    radial_ = relative_ - along_;
    across_.resize(radial_.rows(), 3);
    for (Eigen::Index i = 0; i < radial_.rows(); ++i)
      across_.row(i) = axis.cross(Vec3(radial_.row(i))).transpose();
  }

  double energy(const Eigen::VectorXd& weight, double angle, Eigen::VectorXd* gradient) {
    moved_ = along_.rowwise() + origin_.transpose();
    const Eigen::ArrayXd turn = angle * weight.array();
    const Eigen::VectorXd cosine = turn.cos(), sine = turn.sin();
    moved_ += cosine.asDiagonal() * radial_;
    moved_ += sine.asDiagonal() * across_;
    model_.fit(moved_, rotations_);
    const double sum = model_.energy(moved_, rotations_);
    if (!gradient) return sum;
    model_.pull(rotations_, pull_);
    pull_ = model_.matrix() * moved_ - pull_;
    slope_ = cosine.asDiagonal() * across_;
    slope_ -= sine.asDiagonal() * radial_;
    *gradient += angle * slope_.cwiseProduct(pull_).rowwise().sum();
    return sum;
  }

  // L weighted by what two vertices move together for a small turn.
  Eigen::SparseMatrix<double, Eigen::RowMajor> metric(double squares) const {
    using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor>;
    RowMatrix Y = model_.matrix();
    double mean_y = 0, mean_l = 0;
    for (Eigen::Index i = 0; i < Y.rows(); ++i)
      for (RowMatrix::InnerIterator it(Y, i); it; ++it) {
        const double l = it.value();
        it.valueRef() *= squares * across_.row(i).dot(across_.row(it.col()));
        if (it.col() == i) mean_y += it.value(), mean_l += l;
      }
    const double epsilon = mean_l > 0 ? weights_detail::kRegularisation * mean_y / mean_l : 0;
    return Y + epsilon * model_.matrix();
  }

 private:
  const Corotational& model_;
  GridPositions relative_, along_, radial_, across_, moved_, pull_, slope_;
  Vec3 origin_, axis_;
  CellRotations rotations_;
};

double energy_of(Turns& turns, const Eigen::VectorXd& weight, std::span<const double> angles,
                 Eigen::VectorXd* gradient) {
  if (gradient) gradient->setZero(weight.size());
  double sum = 0;
  for (const double angle : angles) sum += turns.energy(weight, angle, gradient);
  return sum;
}

}  // namespace

double spherical_twist_energy(const Corotational& model, const Eigen::VectorXd& weight, const Vec3& origin,
                              const Vec3& axis, std::span<const double> angles, Eigen::VectorXd* gradient) {
  Turns turns(model, origin, axis);
  return energy_of(turns, weight, angles, gradient);
}

Result<GridWeight> spherical_twist_weight(const Corotational& model, std::span<const std::uint8_t> fixed,
                                          const Eigen::VectorXd& start, const Vec3& origin, const Vec3& axis,
                                          std::span<const double> angles, const DescentOptions& options) {
  Turns turns(model, origin, axis);
  double squares = 0;
  for (const double angle : angles) squares += angle * angle;
  SINEW_TRY(const Multigrid hierarchy, Multigrid::build(model.grid(), turns.metric(squares), fixed));
  Eigen::VectorXd gradient;
  const auto evaluate = [&](const Eigen::VectorXd& t) {
    const double energy = energy_of(turns, t, angles, &gradient);
    for (Eigen::Index i = 0; i < gradient.size(); ++i)
      if (fixed[static_cast<std::size_t>(i)]) gradient[i] = 0;
    return energy;
  };
  const auto solve = [&](const Eigen::VectorXd& g) {
    const Eigen::MatrixXd zero = Eigen::MatrixXd::Zero(g.size(), 1);
    return Eigen::VectorXd(hierarchy.solve(g, zero, kRoughTolerance, kRoughIterations).x);
  };
  LbfgsOptions descent;
  descent.tolerance = options.tolerance;
  descent.max_steps = options.max_steps;
  descent.progress = options.progress;
  auto best = lbfgs(
      start, evaluate, [&](const Eigen::VectorXd&) { return gradient; }, solve, descent);
  if (is_cancelled(options.progress)) return cancelled();
  return GridWeight{std::move(best.x), best.steps, best.energy, std::move(best.history)};
}

}  // namespace sinew
