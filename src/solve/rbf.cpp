// SPDX-License-Identifier: Apache-2.0
#include "sinew/solve/rbf.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <cmath>

namespace sinew {
namespace {

double bell(double squared_distance, double radius) {
  const double t = std::sqrt(3 * squared_distance) / radius;
  return (1 + t) * std::exp(-t);
}

}  // namespace

Result<RadialBasis> RadialBasis::fit(const Eigen::MatrixXd& points, const Eigen::MatrixXd& values,
                                     double radius) {
  if (points.rows() != values.rows() || !(radius > 0) || !std::isfinite(radius))
    return usage_error("values at points need one row a point and a radius above 0");
  if (!points.allFinite() || !values.allFinite())
    return impossible("values at points hold numbers that are not finite");
  const Eigen::Index n = points.rows();
  Eigen::MatrixXd system(n, n);
  for (Eigen::Index a = 0; a < n; ++a)
    for (Eigen::Index b = 0; b < n; ++b)
      system(a, b) = bell((points.row(a) - points.row(b)).squaredNorm(), radius);
  const Eigen::LDLT<Eigen::MatrixXd> factor(system);
  if (n > 0 && (factor.info() != Eigen::Success || !(factor.vectorD().minCoeff() > 1e-13)))
    return impossible("two points are too close to each other to interpolate both their values");
  RadialBasis basis;
  basis.points_ = points;
  basis.radius_ = radius;
  basis.coefficients_ = n > 0 ? Eigen::MatrixXd(factor.solve(values)) : values;
  return basis;
}

void RadialBasis::evaluate(std::span<const double> point, std::span<double> out) const noexcept {
  assert(point.size() == inputs() && out.size() == outputs());
  std::fill(out.begin(), out.end(), 0.0);
  for (Eigen::Index k = 0; k < points_.rows(); ++k) {
    double squared = 0;
    for (std::size_t c = 0; c < point.size(); ++c) {
      const double difference = points_(k, static_cast<Eigen::Index>(c)) - point[c];
      squared += difference * difference;
    }
    const double height = bell(squared, radius_);
    for (std::size_t c = 0; c < out.size(); ++c)
      out[c] += height * coefficients_(k, static_cast<Eigen::Index>(c));
  }
}

}  // namespace sinew
