// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/pose.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sinew {
namespace {

constexpr double kDegree = 3.14159265358979323846 / 180;

Affine3 random_affine(std::mt19937& random, bool with_shear) {
  std::uniform_real_distribution<double> unit(-1, 1);
  Affine3 transform = Affine3::Identity();
  transform.translation() = Vec3(unit(random), unit(random), unit(random));
  transform.linear() =
      Quat(unit(random), unit(random), unit(random), unit(random)).normalized().toRotationMatrix();
  if (with_shear)
    for (int k = 0; k < 9; ++k) transform.linear()(k % 3, k / 3) += 0.3 * unit(random);
  return transform;
}

Skeleton random_chain(int count, std::mt19937& random, bool with_shear) {
  std::vector<Joint> joints(static_cast<std::size_t>(count));
  for (int j = 0; j < count; ++j) {
    joints[static_cast<std::size_t>(j)].parent = j - 1;
    joints[static_cast<std::size_t>(j)].rest_local = random_affine(random, with_shear);
  }
  return *Skeleton::create(std::move(joints));
}

Affine3 about(const Vec3& head, const Mat3& turn) {
  Affine3 result = Affine3::Identity();
  result.linear() = turn;
  result.translation() = head - turn * head;
  return result;
}

Mat3 turn_xyz(const Vec3& degrees) {
  Mat3 turn = Mat3::Identity();
  for (int axis = 0; axis < 3; ++axis)
    turn = Eigen::AngleAxisd(degrees[axis] * kDegree, Vec3::Unit(axis)).toRotationMatrix() * turn;
  return turn;
}

// The convention of the pose pairs: what moves a rest point is G = G_parent * T(head) R T(-head).
TEST(TurnJoint, MovesRestPointsAboutTheHeadsInWorldAxes) {
  std::mt19937 random(3);
  for (const bool with_shear : {false, true}) {
    const Skeleton skeleton = random_chain(5, random, with_shear);
    Pose pose = rest_pose(skeleton);
    const auto rest = global_transforms(skeleton, pose.local);
    const Vec3 degrees[5] = {{10, 20, 30}, {-80, 0, 0}, {0, 0, 0}, {0, 170, 5}, {1, 2, 3}};
    for (std::size_t j = 0; j < 5; ++j) rotate_joint(skeleton, j, degrees[j], pose);
    const auto posed = global_transforms(skeleton, pose.local);
    Affine3 expected = Affine3::Identity();
    for (std::size_t j = 0; j < 5; ++j) {
      expected = expected * about(rest[j].translation(), turn_xyz(degrees[j]));
      EXPECT_LT(((posed[j] * rest[j].inverse()).matrix() - expected.matrix()).norm(), 1e-10) << j;
    }
  }
}

TEST(TurnJoint, TurnsOnTopOfWhatThePoseHas) {
  std::mt19937 random(4);
  const Skeleton skeleton = random_chain(3, random, false);
  Pose once = rest_pose(skeleton), twice = once;
  rotate_joint(skeleton, 1, {25, 40, -10}, once);
  rotate_joint(skeleton, 1, {25, 0, 0}, twice);
  rotate_joint(skeleton, 1, {0, 40, 0}, twice);
  rotate_joint(skeleton, 1, {0, 0, -10}, twice);
  EXPECT_LT((once.local[1].matrix() - twice.local[1].matrix()).norm(), 1e-12);
  EXPECT_EQ(once.local[1].translation(), skeleton[1].rest_local.translation());
  EXPECT_EQ(once.local[0].matrix(), skeleton[0].rest_local.matrix());
}

TEST(TurnJoint, BelowAFlatParentItTurnsInTheParentsAxes) {
  for (const Vec3& scale : {Vec3(0, 1, 1), Vec3(0, 0, 0)}) {
    std::vector<Joint> joints(2);
    joints[0].rest_local.linear() = scale.asDiagonal();
    joints[1].parent = 0;
    const Skeleton skeleton = *Skeleton::create(joints);
    Pose pose = rest_pose(skeleton);
    rotate_joint(skeleton, 1, {0, 0, 90}, pose);
    EXPECT_LT((pose.local[1].linear() - turn_xyz({0, 0, 90})).norm(), 1e-12);
  }
}

TEST(TurnJoint, TinyAndHugeParentsDoNotMatter) {
  for (const double size : {1e-6, 1e6}) {
    std::vector<Joint> joints(2);
    joints[0].rest_local.linear() = size * turn_xyz({0, 90, 0});
    joints[1].parent = 0;
    const Skeleton skeleton = *Skeleton::create(joints);
    Pose pose = rest_pose(skeleton);
    rotate_joint(skeleton, 1, {0, 0, 30}, pose);
    const auto posed = global_transforms(skeleton, pose.local);
    EXPECT_LT((posed[1].linear() / size - turn_xyz({0, 0, 30}) * turn_xyz({0, 90, 0})).norm(), 1e-12);
  }
}

TEST(ForwardKinematics, MultipliesFromTheRootAlsoWhereParentsComeLast) {
  std::mt19937 random(5);
  std::vector<Joint> joints(3);
  joints[0].parent = 1;
  joints[1].parent = 2;
  std::vector<Affine3> local = {random_affine(random, true), random_affine(random, true),
                                random_affine(random, true)};
  const auto globals = global_transforms(*Skeleton::create(joints), local);
  EXPECT_LT((globals[0].matrix() - local[2].matrix() * local[1].matrix() * local[0].matrix()).norm(), 1e-12);
  EXPECT_EQ(globals[2].matrix(), local[2].matrix());
}

TEST(RestPose, IsTheSkeletonsOwnTransforms) {
  std::mt19937 random(6);
  const Skeleton skeleton = random_chain(4, random, true);
  const Pose pose = rest_pose(skeleton);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(pose.local[j].matrix(), skeleton[j].rest_local.matrix());
  EXPECT_TRUE(pose.key_weights.empty());
  EXPECT_TRUE(pose.bones.empty());
}

}  // namespace
}  // namespace sinew
