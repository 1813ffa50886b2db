// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/ground_root.h"

#include <gtest/gtest.h>

#include "sinew/skeleton/pose.h"

namespace sinew {
namespace {

// Hips at 1 and a head at 2 above the ground, 0.3 in front of the origin.
Skeleton two_joints(const char* first = "Hips", double height = 1) {
  std::vector<Joint> joints(2);
  joints[0].name = first;
  joints[0].rest_local.translation() = Vec3(0, height, 0.3);
  joints[0].rest_local.linear() = Eigen::AngleAxisd(0.4, Vec3::UnitX()).toRotationMatrix();
  joints[1].name = "Head";
  joints[1].parent = 0;
  joints[1].rest_local.translation() = Vec3(0, 1, 0);
  return *Skeleton::create(joints);
}

std::vector<Vec3> box(const Vec3& low, const Vec3& high) {
  return {low, high};
}

std::vector<Affine3> rest(const Skeleton& skeleton) {
  return global_transforms(skeleton, rest_pose(skeleton).local);
}

TEST(GroundRoot, StandsUnderTheOriginAndLeavesAllJointsWhereTheyAre) {
  const Skeleton before = two_joints();
  const auto made = with_ground_root(before, box({-1, -0.1, -1}, {1, 2.4, 1}), Mat3::Identity());
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_EQ(made->size(), 3u);
  EXPECT_EQ(made->deforming_count(), 2u);
  EXPECT_EQ((*made)[2].name, "Root");
  EXPECT_FALSE((*made)[2].deforms);
  EXPECT_EQ((*made)[2].parent, -1);
  EXPECT_EQ((*made)[0].parent, 2);
  const auto was = rest(before), is = rest(*made);
  for (std::size_t j = 0; j < was.size(); ++j) EXPECT_LT((was[j].matrix() - is[j].matrix()).norm(), 1e-12);
  EXPECT_LT((is[2].translation() - Vec3(0, -0.1, 0)).norm(), 1e-12);
}

TEST(GroundRoot, StandsUnderTheFirstJointWhereTheOriginIsBesideTheBody) {
  Skeleton skeleton = two_joints();
  const auto made = with_ground_root(skeleton, box({-1, 0, 0.1}, {1, 2.4, 0.5}), Mat3::Identity());
  ASSERT_TRUE(made.ok());
  EXPECT_LT((rest(*made)[2].translation() - Vec3(0, 0, 0.3)).norm(), 1e-12);
}

TEST(GroundRoot, TheGroundIsLevelUnderABodyThatLeansAndTurnsWithOneThatLies) {
  const auto points = box({-1, 0, -1}, {1, 2.4, 1});
  const Mat3 leaning = Eigen::AngleAxisd(0.5, Vec3::UnitX()).toRotationMatrix();
  const auto level = with_ground_root(two_joints(), points, leaning);
  ASSERT_TRUE(level.ok());
  EXPECT_LT((rest(*level)[2].linear().col(1) - Vec3::UnitY()).norm(), 1e-12);
  EXPECT_LT(rest(*level)[2].translation().norm(), 1e-12);
  // z is up: the body lies on its back in the file's axes.
  const Mat3 z_up = Eigen::AngleAxisd(M_PI / 2, Vec3::UnitX()).toRotationMatrix();
  const auto turned = with_ground_root(two_joints(), points, z_up);
  ASSERT_TRUE(turned.ok());
  EXPECT_LT((rest(*turned)[2].translation() - Vec3(0, 0, -1)).norm(), 1e-12);
  EXPECT_LT((rest(*turned)[2].linear() - z_up).norm(), 1e-12);
}

TEST(GroundRoot, NamesStayDifferentAndARootOnTheGroundIsEnough) {
  const auto points = box({-1, 0, -1}, {1, 2.4, 1});
  const auto named = with_ground_root(two_joints("root"), points, Mat3::Identity());
  ASSERT_TRUE(named.ok());
  EXPECT_EQ((*named)[2].name, "Ground");
  const auto standing = with_ground_root(two_joints("Hips", 0.05), points, Mat3::Identity());
  ASSERT_TRUE(standing.ok());
  EXPECT_EQ(standing->size(), 2u);
  EXPECT_TRUE(with_ground_root({}, points, Mat3::Identity())->empty());
}

}  // namespace
}  // namespace sinew
