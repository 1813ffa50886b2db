// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <string>
#include <vector>

#include "sinew/skeleton/pose.h"

// Skeletons that tests of poses share.
namespace sinew {

// A chain of joints with random turns, one length apart.
inline Skeleton bent_chain(int count, std::mt19937& random) {
  std::normal_distribution<double> normal;
  std::vector<Joint> joints(static_cast<std::size_t>(count));
  for (int j = 0; j < count; ++j) {
    Joint& joint = joints[static_cast<std::size_t>(j)];
    joint.name = "joint" + std::to_string(j);
    joint.parent = j - 1;
    joint.rest_local.linear() =
        Quat(normal(random), normal(random), normal(random), normal(random)).normalized().toRotationMatrix();
    joint.rest_local.translation() = Vec3(normal(random), normal(random), normal(random)).normalized();
  }
  return *Skeleton::create(std::move(joints));
}

// Joints of axes like the world's, at these places; parents[j] < j.
inline Skeleton placed(const std::vector<Vec3>& heads, const std::vector<int>& parents) {
  std::vector<Joint> joints(heads.size());
  for (std::size_t j = 0; j < heads.size(); ++j) {
    joints[j].name = "joint" + std::to_string(j);
    joints[j].parent = parents[j];
    joints[j].rest_local.translation() =
        parents[j] < 0 ? heads[j] : Vec3(heads[j] - heads[static_cast<std::size_t>(parents[j])]);
  }
  return *Skeleton::create(std::move(joints));
}

inline std::vector<Vec3> heads_of(const Skeleton& skeleton, const Pose& pose) {
  std::vector<Vec3> heads;
  for (const Affine3& global : global_transforms(skeleton, pose.local)) heads.push_back(global.translation());
  return heads;
}

}  // namespace sinew
