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

// The joints of a biped with fingers, as the built-in template has them.
inline Skeleton mixamo_body() {
  std::vector<Joint> joints;
  const auto add = [&](const std::string& name, int parent, const Vec3& offset) {
    Joint joint;
    joint.name = name;
    joint.parent = parent;
    joint.rest_local = Affine3(Eigen::Translation3d(offset));
    joints.push_back(joint);
    return static_cast<int>(joints.size()) - 1;
  };
  const int hips = add("Hips", -1, {0, 1, 0});
  int chest = hips;
  for (const char* name : {"Spine", "Spine1", "Spine2"}) chest = add(name, chest, {0, 0.15, 0});
  add("Head", add("Neck", chest, {0, 0.1, 0}), {0, 0.1, 0});
  for (const auto& [side, x] : {std::pair<std::string, double>{"Left", 1.0}, {"Right", -1.0}}) {
    int arm = add(side + "Shoulder", chest, {x * 0.05, 0.05, 0});
    arm = add(side + "Arm", arm, {x * 0.13, 0, 0});
    arm = add(side + "ForeArm", arm, {x * 0.27, 0, 0});
    const int hand = add(side + "Hand", arm, {x * 0.25, 0, 0});
    double z = 0.04;
    for (const char* finger : {"Thumb", "Index", "Middle", "Ring", "Pinky"}) {
      int bone = hand;
      for (int k = 1; k <= 3; ++k)
        bone = add(side + "Hand" + finger + std::to_string(k), bone, {x * 0.04, 0, k == 1 ? z : 0});
      z -= 0.02;
    }
    int leg = add(side + "UpLeg", hips, {x * 0.1, -0.05, 0});
    leg = add(side + "Leg", leg, {0, -0.45, 0.02});
    leg = add(side + "Foot", leg, {0, -0.42, -0.02});
    add(side + "ToeBase", leg, {0, -0.06, 0.14});
  }
  return *Skeleton::create(std::move(joints));
}

}  // namespace sinew
