// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/joint_axes.h"

#include <gtest/gtest.h>

#include <random>

namespace sinew {
namespace {

Channel channel(int joint, ChannelPath path, Interpolation interpolation, std::vector<float> values) {
  Channel made;
  made.joint = joint;
  made.path = path;
  made.interpolation = interpolation;
  made.width = path == ChannelPath::kRotation ? 4 : 3;
  made.times = {0, 1};
  made.values = std::move(values);
  return made;
}

// A chain of four joints, the second bound elsewhere than it rests, with clips of all kinds.
Rig moving_chain() {
  std::vector<Joint> joints(4);
  Rig rig;
  for (std::size_t j = 0; j < 4; ++j) {
    joints[j].name = "j" + std::to_string(j);
    joints[j].parent = static_cast<int>(j) - 1;
    joints[j].rest_local =
        Affine3(Eigen::Translation3d(0.3, 1, 0.1)) *
        Affine3(Eigen::AngleAxisd(0.4 * static_cast<double>(j), Vec3(1, 2, 3).normalized()));
    joints[j].tail = Vec3(0, 1, 0.2);
  }
  joints[1].rest_local *= Eigen::Scaling(2.0);
  rig.skeleton = *Skeleton::create(joints);
  for (const Affine3& global : global_transforms(rig.skeleton, rest_pose(rig.skeleton).local))
    rig.inverse_bind.push_back(global.inverse());
  rig.inverse_bind[1].pretranslate(Vec3(0.1, 0, 0));
  rig.clips.resize(1);
  rig.clips[0].channels = {
      channel(0, ChannelPath::kTranslation, Interpolation::kLinear, {0, 0, 0, 1, 2, 3}),
      channel(1, ChannelPath::kRotation, Interpolation::kLinear, {0, 0, 0, 1, 0.6f, 0, 0, 0.8f}),
      channel(2, ChannelPath::kRotation, Interpolation::kCubicSpline,
              {0, 0, 0, 0, 0, 0, 0, 1, 0.5f, 0, 0.2f, 0, 0, 0.3f, 0, 0, 0, 0.6f, 0, 0.8f, 0, 0, 0, 0}),
      channel(3, ChannelPath::kScale, Interpolation::kLinear, {1, 1, 1, 2, 2, 2})};
  return rig;
}

std::vector<Affine3> matrices_at(const Rig& rig, double time) {
  Pose pose = rest_pose(rig.skeleton);
  if (time >= 0) sample_clip(rig.clips[0], rig.skeleton, time, pose);
  std::vector<Affine3> matrices(rig.skeleton.size());
  skinning_matrices(rig, global_transforms(rig.skeleton, pose.local), matrices);
  return matrices;
}

std::vector<Quat> random_turns(std::size_t count) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  std::vector<Quat> turns;
  for (std::size_t j = 0; j < count; ++j)
    turns.push_back(Quat(normal(random), normal(random), normal(random), normal(random)).normalized());
  return turns;
}

TEST(JointAxes, TheSkinMovesAsBefore) {
  const Rig before = moving_chain();
  Rig after = before;
  const std::vector<Quat> turns = random_turns(4);
  EXPECT_TRUE(turn_joint_axes(after, turns).empty());
  for (const double time : {-1.0, 0.0, 0.3, 0.5, 0.9, 1.0}) {
    const auto a = matrices_at(before, time), b = matrices_at(after, time);
    for (std::size_t j = 0; j < a.size(); ++j)
      EXPECT_LT((a[j].matrix() - b[j].matrix()).norm(), 2e-6) << time << " " << j;
  }
  // And the axes are those that were asked for.
  const auto old_rest = global_transforms(before.skeleton, rest_pose(before.skeleton).local),
             new_rest = global_transforms(after.skeleton, rest_pose(after.skeleton).local);
  for (std::size_t j = 0; j < 4; ++j) {
    EXPECT_LT((old_rest[j].linear() * turns[j].toRotationMatrix() - new_rest[j].linear()).norm(), 1e-9);
    EXPECT_LT((old_rest[j] * *before.skeleton[j].tail - new_rest[j] * *after.skeleton[j].tail).norm(), 1e-9);
  }
}

TEST(JointAxes, UnevenScaleKeepsTheAxes) {
  Rig rig = moving_chain();
  rig.clips[0].channels[3].values = {1, 1, 1, 1, 2, 1};
  const Rig before = rig;
  EXPECT_EQ(turn_joint_axes(rig, random_turns(4)), std::vector<std::size_t>{3});
  for (const double time : {0.2, 0.8}) {
    const auto a = matrices_at(before, time), b = matrices_at(rig, time);
    for (std::size_t j = 0; j < a.size(); ++j) EXPECT_LT((a[j].matrix() - b[j].matrix()).norm(), 2e-6);
  }
}

}  // namespace
}  // namespace sinew
