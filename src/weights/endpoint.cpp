// SPDX-License-Identifier: Apache-2.0
// Endpoint weights [jacobson2011]. The paper takes one pair of point weights a bone; here
// bones that meet share the handle of their joint, or the two handles at one place would halve each other.
#include "sinew/weights/endpoint.h"

#include "sinew/core/parallel.h"
#include "sinew/math/segment.h"
#include "sinew/weights/bbw.h"
#include "sinew/weights/bone_heat.h"
#include "sinew/weights/inverse_distance.h"

namespace sinew {
namespace {

constexpr double kSamePlace = 1e-6;  // of the bones' own box: ends that meet there are one joint

// Handles at the different ends of bones, as bones without length, and the two of each bone.
struct JointPoints {
  std::vector<Bone> points;
  std::vector<Eigen::Index> head, tail;  // per bone
};

JointPoints joint_points(std::span<const Bone> bones) {
  Box3 box;
  for (const Bone& bone : bones) box.extend(bone.head).extend(bone.tail);
  const double near = kSamePlace * box.diagonal().norm();
  JointPoints joints;
  const auto point_at = [&](const Vec3& place) {
    for (std::size_t k = 0; k < joints.points.size(); ++k)
      if ((joints.points[k].head - place).norm() <= near) return static_cast<Eigen::Index>(k);
    joints.points.push_back({joints.points.size(), place, place});
    return static_cast<Eigen::Index>(joints.points.size() - 1);
  };
  for (const Bone& bone : bones) {
    joints.head.push_back(point_at(bone.head));
    joints.tail.push_back(point_at(bone.tail));
  }
  return joints;
}

Result<BoneWeights> point_weights(const BindInput& input, const EndpointOptions& options) {
  switch (options.method) {
    case EndpointMethod::kHeat: {
      BoneHeatOptions heat;
      heat.progress = options.progress;
      return bone_heat_weights(input, heat);
    }
    case EndpointMethod::kBbw: {
      BbwOptions bbw;
      bbw.voxels = options.voxels;
      bbw.progress = options.progress;
      SINEW_TRY(BbwWeights result, bbw_weights(input, bbw));
      return std::move(result.weights);
    }
    default:
      return inverse_distance_weights(input);
  }
}

}  // namespace

double endpoint_by_projection(const Bone& bone, const Vec3& p) {
  return nearest_on_segment(p, bone.head, bone.tail);
}

Result<EndpointFields> endpoint_weights(const BindInput& input, const EndpointOptions& options) {
  const std::size_t n = input.surface.positions.size(), m = input.bones.size();
  EndpointFields fields;
  fields.values.resize(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(m));
  BoneWeights weights;
  weights.bound.assign(n, 0);
  JointPoints joints;
  if (options.method != EndpointMethod::kProjection) {
    joints = joint_points(input.bones);
    SINEW_TRY(weights, point_weights({input.surface, joints.points}, options));
    for (const std::uint8_t bound : weights.bound) fields.filled += !bound;
  }
  parallel_for(n, 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        const auto row = static_cast<Eigen::Index>(i);
        double& e = fields.values(row, static_cast<Eigen::Index>(j));
        if (weights.bound[i])
          e = 0.5 * ((1 - weights.values(row, joints.head[j])) + weights.values(row, joints.tail[j]));
        else
          e = endpoint_by_projection(input.bones[j], input.surface.positions[i]);
      }
  });
  return fields;
}

}  // namespace sinew
