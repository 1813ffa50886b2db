// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/retarget.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {
namespace {

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

// Turns the named joint about z by `degrees` at 1 s, and moves the hips by one unit along x.
Clip wave(const Skeleton& skeleton, const std::string& name, double degrees) {
  Channel turn;
  turn.joint = static_cast<int>(*skeleton.find(name));
  turn.path = ChannelPath::kRotation;
  turn.width = 4;
  turn.times = {0, 1};
  const double half = degrees * kPi / 360;
  turn.values = {0, 0, 0, 1, 0, 0, static_cast<float>(std::sin(half)), static_cast<float>(std::cos(half))};
  Channel path;
  path.joint = 0;
  path.times = {0, 1};
  const Vec3 rest = skeleton[0].rest_local.translation();
  for (const double x : {0.0, 1.0})
    for (const double value : {rest.x() + x, rest.y(), rest.z()})
      path.values.push_back(static_cast<float>(value));
  return {"wave", {turn, path}};
}

Vec3 hand_direction(const Clip& clip, const Skeleton& skeleton, double time) {
  Pose pose = rest_pose(skeleton);
  sample_clip(clip, skeleton, time, pose);
  const auto globals = global_transforms(skeleton, pose.local);
  return (globals[3].translation() - globals[2].translation()).normalized();
}

TEST(Retarget, TheSameSkeletonPlaysTheSameMotion) {
  const Skeleton skeleton = arm_skeleton(1, Vec3::UnitX());
  const Clip clip = wave(skeleton, "LeftForeArm", 70);
  const auto fitted = retarget_clip(clip, skeleton, skeleton, 10);
  ASSERT_TRUE(fitted.ok());
  EXPECT_EQ(fitted->matched, 4u);
  EXPECT_TRUE(fitted->unmatched.empty());
  for (const double time : {0.0, 0.3, 1.0}) {
    Pose wanted = rest_pose(skeleton), got = rest_pose(skeleton);
    sample_clip(clip, skeleton, time, wanted);
    sample_clip(fitted->clip, skeleton, time, got);
    for (std::size_t j = 0; j < skeleton.size(); ++j)
      EXPECT_LT((wanted.local[j].matrix() - got.local[j].matrix()).norm(), 1e-5)
          << "joint " << j << " at " << time;
  }
}

TEST(Retarget, AnArmThatHangsFollowsAMotionMadeForAStretchedOne) {
  const Skeleton stretched = arm_skeleton(1, Vec3::UnitX());
  const Skeleton hanging = arm_skeleton(2, Vec3(1, -2, 0), "mixamorig:");
  const Clip clip = wave(stretched, "LeftArm", 40);
  const auto fitted = retarget_clip(clip, stretched, hanging, 30);
  ASSERT_TRUE(fitted.ok());
  EXPECT_EQ(fitted->matched, 4u);
  for (const double time : {0.0, 1.0})
    EXPECT_LT((hand_direction(clip, stretched, time) - hand_direction(fitted->clip, hanging, time)).norm(),
              1e-5);
}

TEST(Retarget, TheRootsPathScalesWithTheSkeleton) {
  const Skeleton small = arm_skeleton(1, Vec3::UnitX()), large = arm_skeleton(3, Vec3::UnitX());
  const auto fitted = retarget_clip(wave(small, "LeftArm", 10), small, large, 30);
  ASSERT_TRUE(fitted.ok());
  Pose pose = rest_pose(large);
  sample_clip(fitted->clip, large, 1, pose);
  EXPECT_NEAR(pose.local[0].translation().x(), 3.0, 1e-5);
}

TEST(Retarget, SkeletonsWithoutACommonNameAreRefused) {
  const Skeleton skeleton = arm_skeleton(1, Vec3::UnitX());
  auto other = Skeleton::create({joint("wheel", -1, Vec3::Zero())});
  ASSERT_TRUE(other.ok());
  const auto fitted = retarget_clip(wave(skeleton, "LeftArm", 10), skeleton, *other, 30);
  ASSERT_FALSE(fitted.ok());
  EXPECT_EQ(fitted.error().code, ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew
