// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/elastic_lsq.h"

#include <algorithm>

#include "sinew/volume/elastic.h"

namespace sinew {

Result<GridWeight> least_squares_weight(const VoxelGrid& grid, std::span<const std::uint8_t> fixed,
                                        const Eigen::VectorXd& start, const Vec3& origin,
                                        std::span<const Mat3> samples, const LeastSquaresOptions& options) {
  SINEW_TRY(const ElasticBody body, ElasticBody::build(grid, fixed));
  const GridPositions& rest = body.model().rest();
  const GridPositions relative = rest.rowwise() - origin.transpose();
  Eigen::VectorXd products = Eigen::VectorXd::Zero(start.size()), squares = products;
  GridWeight result{start, 0, 0, {}};
  for (const Mat3& sample : samples) {
    const GridPositions offsets = relative * (sample - Mat3::Identity()).transpose();
    const auto example = body.minimise(rest + start.asDiagonal() * offsets,
                                       {.tolerance = options.tolerance, .progress = options.progress});
    if (is_cancelled(options.progress)) return cancelled();
    products += offsets.cwiseProduct(example.positions - rest).rowwise().sum();
    squares += offsets.rowwise().squaredNorm();
    result.steps += example.iterations;
  }
  const double least = 1e-12 * squares.maxCoeff();
  for (Eigen::Index i = 0; i < start.size(); ++i) {
    double& w = result.values[i];
    if (fixed[static_cast<std::size_t>(i)] || squares[i] <= least) continue;
    w = products[i] / squares[i];
    if (options.non_negative) w = std::clamp(w, 0.0, 1.0);
  }
  result.energy = linear_energy(body.model(), result.values, origin, samples);
  result.history = {result.energy};
  return result;
}

}  // namespace sinew
