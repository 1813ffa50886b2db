// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/carry_clip.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/wave_clip.h"

namespace sinew {
namespace {

using test::wave;

constexpr double kPi = 3.14159265358979323846;

Joint joint(std::string name, int parent, Vec3 offset) {
  Joint made;
  made.name = std::move(name);
  made.parent = parent;
  made.rest_local = Affine3(Eigen::Translation3d(offset));
  return made;
}

// Hips at height `size`, an upper arm along `arm` and a forearm beyond it.
Skeleton arm_skeleton(double size, const Vec3& arm, const std::string& prefix = "") {
  auto skeleton = Skeleton::create({joint(prefix + "Hips", -1, Vec3(0, size, 0)),
                                    joint(prefix + "LeftArm", 0, size * Vec3(0.2, 0.5, 0)),
                                    joint(prefix + "LeftForeArm", 1, size * 0.4 * arm.normalized()),
                                    joint(prefix + "LeftHand", 2, size * 0.4 * arm.normalized())});
  EXPECT_TRUE(skeleton.ok());
  return *std::move(skeleton);
}

// The body of `arm_skeleton` with joints elsewhere in it, that are turned otherwise and have one more
// between.
Skeleton other_arm() {
  const auto turned = [](Joint made, double degrees) {
    made.rest_local.linear() =
        Eigen::AngleAxisd(degrees * kPi / 180, Vec3(1, 2, 3).normalized()).toRotationMatrix();
    return made;
  };
  auto skeleton = Skeleton::create({turned(joint("hips", -1, Vec3(0.05, 1.1, 0)), 20),
                                    turned(joint("Chest", 0, Vec3(0, 0.3, 0.1)), -70),
                                    turned(joint("LeftArm", 1, Vec3(0.2, 0.2, 0)), 40),
                                    turned(joint("LeftForeArm", 2, Vec3(0.3, 0.05, 0)), 110)});
  EXPECT_TRUE(skeleton.ok());
  return *std::move(skeleton);
}

// What every joint does to the body it was bound to.
std::vector<Affine3> body_motions(const Clip& clip, const Skeleton& skeleton, std::span<const Affine3> bind,
                                  double time) {
  Pose pose = rest_pose(skeleton);
  sample_clip(clip, skeleton, time, pose);
  std::vector<Affine3> motions = global_transforms(skeleton, pose.local);
  for (std::size_t j = 0; j < motions.size(); ++j) motions[j] = motions[j] * bind[j].inverse();
  return motions;
}

TEST(CarryClip, ACarriedClipMovesTheBodyAsItDidWhereverTheNewJointsLie) {
  const Skeleton source = arm_skeleton(1, Vec3::UnitX()), target = other_arm();
  const Clip clip = wave(source, "LeftForeArm", 70);
  // The file's world: the body turned onto its back, ten times as large and elsewhere.
  Affine3 world = Affine3::Identity();
  world.linear() = 10 * Eigen::AngleAxisd(-kPi / 2, Vec3::UnitX()).toRotationMatrix();
  world.translation() = Vec3(3, 2, 1);
  std::vector<Affine3> bind = global_transforms(source, rest_pose(source).local);
  for (Affine3& place : bind) place = world.inverse() * place;
  const auto carried = carry_clip(clip, source, bind, target);
  ASSERT_TRUE(carried.ok()) << carried.error().message;
  EXPECT_EQ(carried->matched, 3u);
  EXPECT_EQ(carried->unmatched, std::vector<std::string>{"LeftHand"});
  const auto own_bind = global_transforms(target, rest_pose(target).local);
  for (const double time : {0.0, 0.21, 0.5, 1.0}) {
    const auto before = body_motions(clip, source, bind, time);
    const auto after = body_motions(carried->clip, target, own_bind, time);
    const std::pair<std::size_t, std::size_t> pairs[] = {{0, 0}, {1, 2}, {2, 3}};
    for (const auto& [s, t] : pairs)
      EXPECT_LT((world.linear().inverse() * before[s].linear() - after[t].linear()).norm(), 1e-5) << time;
    const Vec3 hips = own_bind[0].translation();
    EXPECT_LT((world.inverse() * (before[0] * hips) - after[0] * hips).norm(), 1e-5) << time;
  }
}

// A joint that the target lacks grows, and one below it shrinks.
TEST(CarryClip, ACarriedClipScalesTheBodyAsItDid) {
  const Skeleton target = other_arm();
  auto made =
      Skeleton::create({joint("Hips", -1, Vec3(0, 1, 0)), joint("Torso", 0, Vec3(0, 0.3, 0)),
                        joint("LeftArm", 1, Vec3(0.2, 0.2, 0)), joint("LeftForeArm", 2, Vec3(0.4, 0, 0))});
  ASSERT_TRUE(made.ok());
  const Skeleton source = *std::move(made);
  Clip clip = wave(source, "LeftForeArm", 70);
  const auto grow = [&](int j, float end) {
    Channel channel;
    channel.joint = j;
    channel.path = ChannelPath::kScale;
    channel.times = {0, 1};
    channel.values = {1, 1, 1, end, end, end};
    clip.channels.push_back(channel);
  };
  grow(1, 2);
  grow(3, 0.25f);
  const auto bind = global_transforms(source, rest_pose(source).local);
  const auto carried = carry_clip(clip, source, bind, target);
  ASSERT_TRUE(carried.ok());
  const auto own_bind = global_transforms(target, rest_pose(target).local);
  for (const double time : {0.0, 0.5, 1.0}) {
    const auto before = body_motions(clip, source, bind, time);
    const auto after = body_motions(carried->clip, target, own_bind, time);
    const std::pair<std::size_t, std::size_t> pairs[] = {{0, 0}, {2, 2}, {3, 3}};
    for (const auto& [s, t] : pairs)
      EXPECT_LT((before[s].linear() - after[t].linear()).norm(), 1e-5) << time << " " << t;
  }
}

TEST(CarryClip, ACarriedClipKeepsItsKeys) {
  const Skeleton source = arm_skeleton(1, Vec3::UnitX()), target = other_arm();
  Clip clip = wave(source, "LeftForeArm", 70);
  clip.channels[0].times = {0.1234f, 5e8f};  // a file may say so
  const auto carried = carry_clip(clip, source, global_transforms(source, rest_pose(source).local), target);
  ASSERT_TRUE(carried.ok());
  const std::vector<float>& times = carried->clip.channels[0].times;
  for (const float key : {0.0f, 0.1234f, 1.0f, 5e8f})
    EXPECT_EQ(std::count(times.begin(), times.end(), key), 1) << key;
  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_LT(times.size(), 20'000u);
}

TEST(CarryClip, MatchedJointsAreThoseThatTheClipMoves) {
  const Skeleton source = arm_skeleton(1, Vec3::UnitX());
  auto forearm = Skeleton::create({joint("leftforearm", -1, Vec3::Zero()), joint("Else", 0, Vec3::UnitX())});
  ASSERT_TRUE(forearm.ok());
  const MatchedJoints count = count_matched(wave(source, "LeftForeArm", 70), source, *forearm);
  EXPECT_EQ(count.moved, 2u);  // the hips travel
  EXPECT_EQ(count.matched, 1u);
  auto none = Skeleton::create({joint("a", -1, Vec3::Zero())});
  EXPECT_FALSE(carry_clip(wave(source, "LeftArm", 5), source,
                          global_transforms(source, rest_pose(source).local), *none)
                   .ok());
}

}  // namespace
}  // namespace sinew
