// SPDX-License-Identifier: Apache-2.0
// Inverse-distance weights [jacobson2011]; the interpolant is Shepard's.
#include "sinew/weights/inverse_distance.h"

#include <cmath>

#include "sinew/core/parallel.h"
#include "sinew/skeleton/bone_tree.h"

namespace sinew {
namespace {

// Ratios to the smallest distance stay in [0, 1]: powers of them neither overflow nor become NaN at any
// scale.
void set_weights(const Vec3& p, std::span<const Bone> bones, double power, Eigen::MatrixXd::RowXpr row) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t j = 0; j < bones.size(); ++j) {
    const double d = distance_to_bone(bones[j], p);
    row[static_cast<Eigen::Index>(j)] = d;
    nearest = std::min(nearest, d);
  }
  for (double& value : row)
    value = value == nearest ? 1 : nearest == 0 ? 0 : std::pow(nearest / value, power);
}

}  // namespace

BoneWeights inverse_distance_weights(const BindInput& input, const InverseDistanceOptions& options) {
  BoneWeights weights;
  const auto positions = input.surface.positions;
  weights.values.resize(static_cast<Eigen::Index>(positions.size()),
                        static_cast<Eigen::Index>(input.bones.size()));
  parallel_for(positions.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      set_weights(positions[i], input.bones, options.power, weights.values.row(static_cast<Eigen::Index>(i)));
  });
  normalise_rows(weights);
  return weights;
}

}  // namespace sinew
