// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <span>

#include "sinew/core/result.h"

namespace sinew {

/// Values at scattered points that go over into each other: a sum of one bell a point, so that every point has
/// its own value exactly. Bells are Matern's of order 3/2, (1 + t) exp(-t) with t = sqrt(3) distance / radius:
/// smooth once over, always solvable for different points, and well conditioned where a Gaussian is not. Far
/// from all points the sum fades to 0.
class RadialBasis {
 public:
  RadialBasis() = default;
  /// points: one row each, values: as many rows. kUsage: sizes that do not fit, a radius not above 0.
  /// kImpossible: two points are (nearly) the same, or numbers are not finite. O(n^3) for n points.
  static Result<RadialBasis> fit(const Eigen::MatrixXd& points, const Eigen::MatrixXd& values, double radius);

  std::size_t inputs() const { return static_cast<std::size_t>(points_.cols()); }
  std::size_t outputs() const { return static_cast<std::size_t>(coefficients_.cols()); }
  /// Sizes: inputs() and outputs(). Never allocates.
  void evaluate(std::span<const double> point, std::span<double> out) const noexcept;

 private:
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> points_, coefficients_;
  double radius_ = 1;
};

}  // namespace sinew
