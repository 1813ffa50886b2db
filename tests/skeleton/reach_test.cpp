// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/reach.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "skeletons.h"

namespace sinew {
namespace {

// An arm of two bones, lengths 3 and 2, a little bent.
Skeleton arm() {
  return placed({{0, 0, 0}, {3, 0, 0}, {3 + 2 * std::cos(0.3), 2 * std::sin(0.3), 0}}, {-1, 0, 1});
}

// The angle at the elbow that the law of cosines asks for.
double elbow(double upper, double lower, double distance) {
  return std::acos((upper * upper + lower * lower - distance * distance) / (2 * upper * lower));
}

double angle_at(const std::vector<Vec3>& heads, std::size_t j) {
  const Vec3 back = heads[j - 1] - heads[j], on = heads[j + 1] - heads[j];
  return std::atan2(back.cross(on).norm(), back.dot(on));
}

TEST(Reach, TwoBonesMeetTheLawOfCosines) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  const Skeleton skeleton = arm();
  for (int round = 0; round < 200; ++round) {
    const double distance = 1.1 + 3.8 * round / 200;
    const Vec3 place = distance * Vec3(normal(random), normal(random), normal(random)).normalized();
    Pose pose = rest_pose(skeleton);
    const auto reached = reach(skeleton, 2, place, pose);
    ASSERT_TRUE(reached);
    const auto heads = heads_of(skeleton, pose);
    EXPECT_LT((heads[2] - place).norm(), 1e-7) << place.transpose();
    EXPECT_NEAR(reached->distance, (heads[2] - place).norm(), 1e-12);
    EXPECT_EQ(reached->turned, 2u);
    EXPECT_NEAR(angle_at(heads, 1), elbow(3, 2, distance), 1e-6) << place.transpose();
    EXPECT_EQ(heads[0], Vec3(0, 0, 0));
  }
}

TEST(Reach, LongChainsArriveAndKeepTheirLengths) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> unit(-1, 1);
  const Skeleton skeleton = bent_chain(9, random);
  Pose pose = rest_pose(skeleton);
  for (int round = 0; round < 100; ++round) {
    const Vec3 base = heads_of(skeleton, pose)[0];
    const Vec3 place = base + 4 * Vec3(unit(random), unit(random), unit(random));
    const auto reached = reach(skeleton, 8, place, pose);
    ASSERT_TRUE(reached);
    EXPECT_LT(reached->distance, 1e-6);
    const auto heads = heads_of(skeleton, pose);
    EXPECT_EQ(heads[0], base);
    for (std::size_t j = 1; j < 9; ++j) EXPECT_NEAR((heads[j] - heads[j - 1]).norm(), 1, 1e-9);
    for (const Affine3& local : pose.local)
      EXPECT_LT((local.linear().transpose() * local.linear() - Mat3::Identity()).norm(), 1e-9);
  }
}

TEST(Reach, TooFarEndsAllButStraightTowardsIt) {
  const Skeleton skeleton = arm();
  std::mt19937 random(2);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 50; ++round) {
    const Vec3 towards = Vec3(normal(random), normal(random), normal(random)).normalized();
    Pose pose = rest_pose(skeleton);
    const auto reached = reach(skeleton, 2, 12 * towards, pose);
    ASSERT_TRUE(reached);
    EXPECT_NEAR(reached->distance, 12 - 5, 1e-3);
    EXPECT_LT((heads_of(skeleton, pose)[2] - 5 * towards).norm(), 2e-3);
  }
}

TEST(Reach, TooNearFoldsAsFarAsItGoes) {
  const Skeleton skeleton = arm();
  Pose pose = rest_pose(skeleton);
  const auto reached = reach(skeleton, 2, {0.2, 0.1, 0}, pose);
  ASSERT_TRUE(reached);
  EXPECT_NEAR(reached->distance, 1 - std::hypot(0.2, 0.1), 1e-3);
}

// A place that wanders out of reach and back moves the arm a little at a time, there and back.
TEST(Reach, SmallMovesOfThePlaceAreSmallMovesOfTheLimb) {
  const Skeleton skeleton = arm();
  Pose pose = rest_pose(skeleton);
  ASSERT_TRUE(reach(skeleton, 2, {3, 2, 0}, pose));
  auto before = heads_of(skeleton, pose);
  for (int step = 0; step < 400; ++step) {
    const double t = 3.14159265358979 * step / 200;
    ASSERT_TRUE(reach(skeleton, 2, {3 + 4 * std::sin(t), 2 + std::sin(3 * t), std::sin(2 * t)}, pose));
    const auto now = heads_of(skeleton, pose);
    EXPECT_LT((now[2] - before[2]).norm(), 0.5) << step;
    EXPECT_LT((now[1] - before[1]).norm(), 0.7) << step;
    before = now;
  }
}

TEST(Reach, AStraightLimbFolds) {
  const Skeleton skeleton = placed({{0, 0, 0}, {3, 0, 0}, {5, 0, 0}}, {-1, 0, 1});
  Pose pose = rest_pose(skeleton);
  const auto reached = reach(skeleton, 2, {4, 0, 0}, pose);
  ASSERT_TRUE(reached);
  EXPECT_LT(reached->distance, 1e-7);
  EXPECT_NEAR(angle_at(heads_of(skeleton, pose), 1), elbow(3, 2, 4), 1e-6);
}

TEST(Reach, ALimbEndsBelowTheBranch) {
  // A spine of two, then two arms of three joints.
  const Skeleton skeleton =
      placed({{0, 0, 0}, {0, 1, 0}, {1, 2, 0}, {2, 2, 0}, {3, 1.9, 0}, {-1, 2, 0}, {-2, 2, 0}, {-3, 2, 0}},
             {-1, 0, 1, 2, 3, 1, 5, 6});
  Pose pose = rest_pose(skeleton);
  const auto before = heads_of(skeleton, pose);
  const auto reached = reach(skeleton, 4, {2, 3, 0.5}, pose);
  ASSERT_TRUE(reached);
  EXPECT_EQ(reached->turned, 2u);
  EXPECT_LT(reached->distance, 1e-7);
  const auto after = heads_of(skeleton, pose);
  for (const std::size_t j : {0, 1, 2, 5, 6, 7}) EXPECT_EQ(before[j], after[j]) << j;
  Pose whole = rest_pose(skeleton);
  EXPECT_EQ(reach(skeleton, 4, {2, 3, 0.5}, whole, {.joints = 4})->turned, 4u);
  EXPECT_EQ(reach(skeleton, 4, {2, 3, 0.5}, whole, {.joints = 1})->turned, 1u);
}

TEST(Reach, WhatDeformsNothingIsCarriedAlong) {
  std::vector<Joint> joints(4);
  for (std::size_t j = 0; j < 4; ++j) {
    joints[j].parent = j == 0 ? 3 : static_cast<int>(j) - 1;
    joints[j].rest_local.translation() = Vec3(1, 0.1 * static_cast<double>(j), 0);
  }
  joints[3].parent = -1;
  joints[3].deforms = false;
  const Skeleton skeleton = *Skeleton::create(std::move(joints));
  Pose pose = rest_pose(skeleton);
  const Affine3 carrier = pose.local[3];
  const auto reached = reach(skeleton, 2, {2.2, 1, 0.2}, pose);
  ASSERT_TRUE(reached);
  EXPECT_EQ(reached->turned, 2u);
  EXPECT_LT(reached->distance, 1e-7);
  EXPECT_EQ(pose.local[3].matrix(), carrier.matrix());
}

TEST(Reach, FailuresLeaveThePose) {
  const Skeleton skeleton = arm();
  Pose pose = rest_pose(skeleton);
  const Pose before = pose;
  EXPECT_EQ(reach(skeleton, 2, {std::nan(""), 0, 0}, pose).error().code, ErrorCode::kUsage);
  EXPECT_EQ(reach(skeleton, 2, {1, 0, 0}, pose, {.joints = -1}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(reach(skeleton, 0, {1, 0, 0}, pose).error().code, ErrorCode::kImpossible);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(pose.local[j].matrix(), before.local[j].matrix());
}

}  // namespace
}  // namespace sinew
