// SPDX-License-Identifier: Apache-2.0
#include "synthetic_rig.h"

#include <algorithm>
#include <cassert>
#include <random>
#include <string>

namespace sinew {
namespace {

constexpr double kBoneLength = 0.1;

Skeleton make_chain(std::size_t joint_count) {
  std::vector<Joint> joints(joint_count);
  for (std::size_t j = 0; j < joint_count; ++j) {
    joints[j].name = "joint" + std::to_string(j);
    joints[j].parent = static_cast<int>(j) - 1;
    if (j > 0) joints[j].rest_local.translation() = Vec3(0, kBoneLength, 0);
  }
  auto skeleton = Skeleton::create(std::move(joints));
  assert(skeleton.ok());
  return *std::move(skeleton);
}

// std::mt19937's bits are the same everywhere; the standard's distributions are not.
double uniform(std::mt19937& random) {
  return static_cast<double>(random()) / 4294967296.0;
}

void add_vertex(std::mt19937& random, const SyntheticOptions& options, SyntheticFrame& frame) {
  const double height = uniform(random) * kBoneLength * static_cast<double>(options.joints);
  const Vec3 p(uniform(random) - 0.5, height, uniform(random) - 0.5);
  frame.rig.mesh.positions.push_back(p);
  frame.positions.push_back(p.cast<float>());
  frame.normals.push_back(Vec3(p.x(), 0.01, p.z()).normalized().cast<float>());

  const std::size_t influences = std::min(options.influences, options.joints);
  const std::size_t first =
      std::min(static_cast<std::size_t>(height / kBoneLength), options.joints - influences);
  std::vector<Influence> row;
  double sum = 0;
  for (std::size_t k = 0; k < influences; ++k) {
    row.push_back({static_cast<std::uint32_t>(first + k), 0.1 + uniform(random)});
    sum += row.back().weight;
  }
  for (Influence& influence : row) influence.weight /= sum;
  frame.rig.weights.add_row(row);
  JointWeights& joints = frame.rig.joint_weights;
  if (joints.empty()) joints.offsets.push_back(0);
  for (const Influence& influence : row)
    joints.entries.push_back({influence.joint, static_cast<float>(influence.weight),
                              static_cast<float>(uniform(random)), static_cast<float>(uniform(random))});
  joints.offsets.push_back(static_cast<std::uint32_t>(joints.entries.size()));
}

}  // namespace

SyntheticFrame make_synthetic_frame(const SyntheticOptions& options) {
  SyntheticFrame frame;
  std::mt19937 random(7);
  frame.rig.skeleton = make_chain(options.joints);
  for (std::size_t i = 0; i < options.vertices; ++i) add_vertex(random, options, frame);

  Pose pose = rest_pose(frame.rig.skeleton);
  for (const Affine3& global : global_transforms(frame.rig.skeleton, pose.local))
    frame.rig.inverse_bind.push_back(global.inverse());
  for (Affine3& local : pose.local) {
    local.rotate(
        Eigen::AngleAxisd(0.2 * uniform(random), Vec3(uniform(random), 1, uniform(random)).normalized()));
    if (options.stretched) local.scale(Vec3(1, 0.9 + 0.2 * uniform(random), 1));
  }
  frame.globals = global_transforms(frame.rig.skeleton, pose.local);
  frame.matrices.resize(frame.globals.size());
  skinning_matrices(frame.rig, frame.globals, frame.matrices);
  return frame;
}

}  // namespace sinew
