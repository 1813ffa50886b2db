// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/drag.h"

#include <gtest/gtest.h>

#include <random>

#include "skeletons.h"

namespace sinew {
namespace {

std::vector<Affine3> bind_of(const Skeleton& skeleton) {
  return global_transforms(skeleton, rest_pose(skeleton).local);
}

TEST(DragJoint, HeadEndsThereExactlyAndWhatLiesBeyondKeepsItsShape) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int round = 0; round < 50; ++round) {
    const Skeleton skeleton = bent_chain(6, random);
    const auto bind = bind_of(skeleton);
    Pose pose = rest_pose(skeleton);
    for (std::size_t j = 0; j < 6; ++j)
      rotate_joint(skeleton, j, 60 * Vec3(unit(random), unit(random), unit(random)), pose);
    const auto before = global_transforms(skeleton, pose.local);
    const Vec3 place = before[2].translation() + 3 * Vec3(unit(random), unit(random), unit(random));
    ASSERT_TRUE(drag_joint(skeleton, bind, 3, place, pose));
    const auto after = global_transforms(skeleton, pose.local);
    EXPECT_LT((after[3].translation() - place).norm(), 1e-12);
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_LT((after[j].translation() - before[j].translation()).norm(), 1e-12);
    // Joint 2 turns by the least angle, and all beyond turns with it, without scale.
    const Vec3 from = before[3].translation() - before[2].translation(), to = place - before[2].translation();
    const Mat3 turn = Quat::FromTwoVectors(from, to).toRotationMatrix();
    for (std::size_t j = 2; j < 6; ++j)
      EXPECT_LT((after[j].linear() - turn * before[j].linear()).norm(), 1e-9) << j;
    for (std::size_t j = 4; j < 6; ++j)
      EXPECT_NEAR((after[j].translation() - after[j - 1].translation()).norm(), 1, 1e-12);
    EXPECT_NEAR(pose.bones[2].stretch, to.norm(), 1e-12);  // bones of length 1
    EXPECT_EQ(pose.bones[3].stretch, 1);
  }
}

// What is dragged in the bone's own direction is what stretch_bone does, in closed form.
TEST(DragJoint, AlongTheBoneIsAStretch) {
  const Skeleton skeleton = placed({{0, 0, 0}, {2, 0, 0}, {2, 3, 0}}, {-1, 0, 1});
  const auto bind = bind_of(skeleton);
  Pose dragged = rest_pose(skeleton), stretched = dragged;
  ASSERT_TRUE(drag_joint(skeleton, bind, 1, {5, 0, 0}, dragged));
  ASSERT_TRUE(stretch_bone(skeleton, bind, 0, 2.5, stretched));
  for (const Pose& pose : {dragged, stretched}) {
    const auto heads = heads_of(skeleton, pose);
    EXPECT_LT((heads[1] - Vec3(5, 0, 0)).norm(), 1e-12);
    EXPECT_LT((heads[2] - Vec3(5, 3, 0)).norm(), 1e-12);
    EXPECT_NEAR(pose.bones[0].stretch, 2.5, 1e-12);
  }
  ASSERT_TRUE(stretch_bone(skeleton, bind, 0, 1, dragged));  // and back
  EXPECT_LT((heads_of(skeleton, dragged)[2] - Vec3(2, 3, 0)).norm(), 1e-12);
}

TEST(DragJoint, OfSeveralAtABonesEndOneMovesAlone) {
  const Skeleton skeleton = placed({{0, 0, 0}, {1, 2, 0}, {-1, 2, 0}, {-1, 4, 0}}, {-1, 0, 0, 2});
  Pose pose = rest_pose(skeleton);
  ASSERT_TRUE(drag_joint(skeleton, bind_of(skeleton), 2, {-3, 3, 1}, pose));
  const auto heads = heads_of(skeleton, pose);
  EXPECT_LT((heads[0] - Vec3(0, 0, 0)).norm(), 1e-12);
  EXPECT_LT((heads[1] - Vec3(1, 2, 0)).norm(), 1e-12);
  EXPECT_LT((heads[2] - Vec3(-3, 3, 1)).norm(), 1e-12);
  EXPECT_LT((heads[3] - Vec3(-3, 5, 1)).norm(), 1e-12);
}

TEST(DragJoint, ARootTakesAllAlong) {
  const Skeleton skeleton = placed({{0, 0, 0}, {2, 0, 0}}, {-1, 0});
  Pose pose = rest_pose(skeleton);
  ASSERT_TRUE(drag_joint(skeleton, bind_of(skeleton), 0, {1, 1, 1}, pose));
  EXPECT_LT((heads_of(skeleton, pose)[1] - Vec3(3, 1, 1)).norm(), 1e-12);
}

TEST(DragJoint, OntoItsBonesHeadStaysFinite) {
  const Skeleton skeleton = placed({{0, 0, 0}, {2, 0, 0}, {3, 0, 0}}, {-1, 0, 1});
  const auto bind = bind_of(skeleton);
  Pose pose = rest_pose(skeleton);
  ASSERT_TRUE(drag_joint(skeleton, bind, 1, {0, 0, 0}, pose));
  EXPECT_LT(heads_of(skeleton, pose)[1].norm(), 1e-12);
  EXPECT_GT(pose.bones[0].stretch, 0);
  ASSERT_TRUE(drag_joint(skeleton, bind, 1, {0, 4, 0}, pose));  // and out again
  EXPECT_LT((heads_of(skeleton, pose)[1] - Vec3(0, 4, 0)).norm(), 1e-12);
}

TEST(DragJoint, FailuresLeaveThePose) {
  const Skeleton skeleton = placed({{0, 0, 0}, {2, 0, 0}, {3, 0, 0}}, {-1, 0, 1});
  const auto bind = bind_of(skeleton);
  Pose pose = rest_pose(skeleton);
  EXPECT_EQ(drag_joint(skeleton, bind, 1, {0, std::nan(""), 0}, pose).error().code, ErrorCode::kUsage);
  EXPECT_EQ(stretch_bone(skeleton, bind, 1, 0, pose).error().code, ErrorCode::kUsage);
  EXPECT_EQ(stretch_bone(skeleton, bind, 7, 2, pose).error().code, ErrorCode::kUsage);
  pose.local[0].linear().setZero();
  const Pose before = pose;
  EXPECT_EQ(drag_joint(skeleton, bind, 2, {1, 1, 0}, pose).error().code, ErrorCode::kImpossible);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(pose.local[j].matrix(), before.local[j].matrix());
}

}  // namespace
}  // namespace sinew
