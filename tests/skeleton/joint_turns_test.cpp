// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/joint_turns.h"

#include <gtest/gtest.h>

#include <random>

#include "skeletons.h"

namespace sinew {
namespace {

TEST(JointTurns, TurnsAboutTheHeadAndCarriesWhatIsBelow) {
  std::mt19937 random(5);
  const Skeleton skeleton = bent_chain(5, random);
  Pose pose = rest_pose(skeleton);
  for (std::size_t j = 0; j < 5; ++j) rotate_joint(skeleton, j, {20, -30, 40}, pose);
  const auto before = global_transforms(skeleton, pose.local);
  const Quat turn(Eigen::AngleAxisd(1.1, Vec3(1, 2, -1).normalized()));
  ASSERT_TRUE(rotate_joint(skeleton, 2, Quat(3 * turn.coeffs()), pose));  // of any length
  const auto after = global_transforms(skeleton, pose.local);
  const Vec3 head = before[2].translation();
  const Affine3 about = Eigen::Translation3d(head) * turn * Eigen::Translation3d(-head);
  for (std::size_t j = 0; j < 5; ++j) {
    const Affine3 expected = j < 2 ? before[j] : about * before[j];
    EXPECT_LT((after[j].matrix() - expected.matrix()).norm(), 1e-12) << j;
  }
}

TEST(JointTurns, PutsTheHeadInItsPlaceAndKeepsTheAxes) {
  std::mt19937 random(7);
  const Skeleton skeleton = bent_chain(4, random);
  Pose pose = rest_pose(skeleton);
  rotate_joint(skeleton, 1, {0, 70, 10}, pose);
  const auto before = global_transforms(skeleton, pose.local);
  ASSERT_TRUE(place_joint(skeleton, 2, {4, -5, 6}, pose));
  const auto after = global_transforms(skeleton, pose.local);
  EXPECT_LT((after[2].translation() - Vec3(4, -5, 6)).norm(), 1e-12);
  EXPECT_LT((after[2].linear() - before[2].linear()).norm(), 1e-12);
  const Vec3 by = Vec3(4, -5, 6) - before[2].translation();
  EXPECT_LT((after[3].translation() - before[3].translation() - by).norm(), 1e-12);
}

TEST(JointTurns, AnglesAreThoseThatTurnJointTook) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> half(-89, 89), whole(-179, 179);
  const Skeleton skeleton = bent_chain(4, random);
  for (int round = 0; round < 200; ++round) {
    Pose pose = rest_pose(skeleton);
    const Vec3 degrees(whole(random), half(random), whole(random));
    rotate_joint(skeleton, 1, {10, 20, 30}, pose);  // the parent's own turn counts for nothing
    rotate_joint(skeleton, 2, degrees, pose);
    EXPECT_LT((joint_angles(skeleton, 2, pose) - degrees).norm(), 1e-9) << degrees.transpose();
  }
}

TEST(JointTurns, AtNinetyDegreesTheAnglesStillGiveTheSameTurn) {
  std::mt19937 random(13);
  const Skeleton skeleton = bent_chain(3, random);
  for (const double y : {90.0, -90.0})
    for (const double x : {-140.0, 0.0, 35.0})
      for (const double z : {-75.0, 0.0, 160.0}) {
        Pose pose = rest_pose(skeleton), again = pose;
        rotate_joint(skeleton, 2, {x, y, z}, pose);
        const Vec3 angles = joint_angles(skeleton, 2, pose);
        EXPECT_EQ(angles.z(), 0);
        set_joint_angles(skeleton, 2, angles, again);
        EXPECT_LT((again.local[2].matrix() - pose.local[2].matrix()).norm(), 1e-7);
      }
}

TEST(JointTurns, SettingAnglesForgetsTheTurnAndKeepsThePlace) {
  std::mt19937 random(17);
  const Skeleton skeleton = bent_chain(3, random);
  Pose pose = rest_pose(skeleton), expected = pose;
  rotate_joint(skeleton, 1, {80, 10, -60}, pose);
  pose.local[1].translation() += Vec3(1, 2, 3);
  set_joint_angles(skeleton, 1, {5, 6, 7}, pose);
  rotate_joint(skeleton, 1, {5, 6, 7}, expected);
  EXPECT_LT((pose.local[1].linear() - expected.local[1].linear()).norm(), 1e-12);
  EXPECT_LT((pose.local[1].translation() - expected.local[1].translation() - Vec3(1, 2, 3)).norm(), 1e-12);
}

TEST(JointTurns, RefusesWhatCannotBe) {
  std::mt19937 random(19);
  const Skeleton skeleton = bent_chain(3, random);
  Pose pose = rest_pose(skeleton);
  EXPECT_EQ(rotate_joint(skeleton, 1, Quat(0, 0, 0, 0), pose).error().code, ErrorCode::kUsage);
  EXPECT_EQ(rotate_joint(skeleton, 1, Quat(std::nan(""), 0, 0, 0), pose).error().code, ErrorCode::kUsage);
  EXPECT_EQ(place_joint(skeleton, 1, Vec3(1, std::nan(""), 0), pose).error().code, ErrorCode::kUsage);
  pose.local[0].linear().setZero();
  EXPECT_EQ(rotate_joint(skeleton, 1, Quat::Identity(), pose).error().code, ErrorCode::kImpossible);
  EXPECT_EQ(place_joint(skeleton, 1, Vec3::Zero(), pose).error().code, ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew
