// SPDX-License-Identifier: Apache-2.0
// Envelope weights [vanlommel2008, Sec. 6.7].
#include "sinew/weights/envelope.h"

#include <algorithm>
#include <array>

#include "sinew/core/parallel.h"
#include "sinew/mesh/topology.h"
#include "weights/visibility.h"

namespace sinew {
namespace {

double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// 1 inside the capsule, a smooth step to 0 at the end of the falloff.
double strength(const Vec3& p, const Bone& bone, const Envelope& envelope) {
  const PointOnBone nearest = nearest_on_bone(bone, p);
  const double radius = envelope.head_radius + nearest.t * (envelope.tail_radius - envelope.head_radius);
  const double beyond = (nearest.point - p).norm() - radius;
  if (beyond <= 0) return 1;
  if (beyond >= envelope.falloff) return 0;
  const double s = 1 - beyond / envelope.falloff;
  return s * s * (3 - 2 * s);
}

void smooth(const BindInput& input, int rounds, Eigen::MatrixXd& values) {
  const std::size_t n = input.surface.positions.size();
  const IndexLists neighbours = vertex_neighbours(n, edge_table(n, FaceList(input.surface.triangles)));
  Eigen::MatrixXd next(values.rows(), values.cols());
  for (int round = 0; round < rounds; ++round) {
    parallel_for(n, 1024, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        next.row(row) = values.row(row);
        const auto around = neighbours[i];
        if (around.empty()) continue;
        Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(values.cols());
        for (const std::uint32_t k : around) mean += values.row(static_cast<Eigen::Index>(k));
        next.row(row) = 0.5 * values.row(row) + 0.5 / static_cast<double>(around.size()) * mean;
      }
    });
    values.swap(next);
  }
}

}  // namespace

std::vector<Envelope> default_envelopes(const BindInput& input) {
  std::vector<std::array<std::vector<double>, 2>> distances(input.bones.size());
  for (const Vec3& p : input.surface.positions) {
    const std::size_t j = nearest_bone(p, input.bones);
    const PointOnBone nearest = nearest_on_bone(input.bones[j], p);
    distances[j][nearest.t > 0.5].push_back((nearest.point - p).norm());
  }
  std::vector<Envelope> envelopes(input.bones.size());
  for (std::size_t j = 0; j < envelopes.size(); ++j) {
    const double head = median(distances[j][0]), tail = median(distances[j][1]);
    envelopes[j] = {head > 0 ? head : tail, tail > 0 ? tail : head, 0};
    envelopes[j].falloff = std::max(envelopes[j].head_radius, envelopes[j].tail_radius);
  }
  return envelopes;
}

BoneWeights envelope_weights(const BindInput& input, const EnvelopeOptions& options) {
  const std::vector<Envelope> envelopes =
      options.envelopes.empty() ? default_envelopes(input) : options.envelopes;
  assert(envelopes.size() == input.bones.size());
  const auto positions = input.surface.positions;
  BoneWeights weights;
  weights.values.resize(static_cast<Eigen::Index>(positions.size()),
                        static_cast<Eigen::Index>(input.bones.size()));
  parallel_for(positions.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      auto row = weights.values.row(static_cast<Eigen::Index>(i));
      for (std::size_t j = 0; j < envelopes.size(); ++j)
        row[static_cast<Eigen::Index>(j)] = strength(positions[i], input.bones[j], envelopes[j]);
      if (row.maxCoeff() <= 0) row[static_cast<Eigen::Index>(nearest_bone(positions[i], input.bones))] = 1;
    }
  });
  if (options.smoothing > 0) smooth(input, options.smoothing, weights.values);
  if (options.outlier > 0)
    for (Eigen::Index i = 0; i < weights.values.rows(); ++i) {
      const double floor = options.outlier * weights.values.row(i).maxCoeff();
      for (double& value : weights.values.row(i))
        if (value < floor) value = 0;
    }
  normalise_rows(weights);
  return weights;
}

}  // namespace sinew
