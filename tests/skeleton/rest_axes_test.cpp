// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/rest_axes.h"

#include <gtest/gtest.h>

#include "sinew/skeleton/pose.h"
#include "skeletons.h"

namespace sinew {
namespace {

std::vector<Affine3> globals_at_rest(const Skeleton& skeleton) {
  return global_transforms(skeleton, rest_pose(skeleton).local);
}

// Hips, spine, chest, neck; arms (clavicle, arm, fore arm, hand), legs (thigh, shin, foot, toes): 4, 8 left
// first. Arms hang slanted with elbows bent to the front, knees bend back.
Skeleton body(double elbow = 0.1, double knee = 0.1) {
  std::vector<Vec3> heads = {{0, 1, 0}, {0, 1.2, 0}, {0, 1.4, 0.02}, {0, 1.6, 0}};
  std::vector<int> parents = {-1, 0, 1, 2};
  for (const double side : {1.0, -1.0}) {
    const int first = static_cast<int>(heads.size());
    for (const Vec3& p : {Vec3(0.05, 1.5, 0), Vec3(0.2, 1.5, 0), Vec3(0.4, 1.3, 0), Vec3(0.55, 1.15, elbow),
                          Vec3(0.1, 0.95, 0), Vec3(0.1, 0.5, knee), Vec3(0.1, 0.1, 0), Vec3(0.1, 0.02, 0.15)})
      heads.push_back({side * p.x(), p.y(), p.z()});
    for (const int p : {2, first, first + 1, first + 2, 0, first + 4, first + 5, first + 6})
      parents.push_back(p);
  }
  return placed(heads, parents);
}

TEST(RestAxes, PlacesStayAndYPointsToTheOnlyChild) {
  std::mt19937 random(3);
  const Skeleton chain = bent_chain(12, random);
  const Skeleton turned = with_bone_axes(chain);
  const auto before = globals_at_rest(chain), after = globals_at_rest(turned);
  for (std::size_t j = 0; j < 12; ++j) {
    EXPECT_LT((before[j].translation() - after[j].translation()).norm(), 1e-12);
    const Mat3 axes = after[j].linear();
    EXPECT_LT((axes * axes.transpose() - Mat3::Identity()).norm(), 1e-12);
    EXPECT_NEAR(axes.determinant(), 1, 1e-12);
    const std::size_t from = std::min<std::size_t>(j, 10);  // the last goes on as the one above
    const Vec3 along = before[from + 1].translation() - before[from].translation();
    EXPECT_LT((axes.col(1) - along.normalized()).norm(), 1e-12) << j;
  }
}

TEST(RestAxes, BendingAboutXBendsTheLimbFurther) {
  const Skeleton skeleton = with_bone_axes(body());
  const auto globals = globals_at_rest(skeleton);
  for (const std::size_t upper : {5, 8, 13, 16}) {  // arms and thighs
    const Vec3 a = globals[upper].linear().col(1), b = globals[upper + 1].linear().col(1);
    const Mat3 bent = Eigen::AngleAxisd(0.1, globals[upper + 1].linear().col(0)).toRotationMatrix();
    // Exactly by the angle: the axis is that of the joint.
    EXPECT_NEAR(std::acos(a.dot(bent * b)), std::acos(a.dot(b)) + 0.1, 1e-9) << upper;
    EXPECT_LT((globals[upper].linear().col(0) - globals[upper + 1].linear().col(0)).norm(), 1e-9);
  }
}

TEST(RestAxes, StraightKneesBendBackAndElbowsToTheFront) {
  const Skeleton skeleton = with_bone_axes(body(0, 0));
  const auto globals = globals_at_rest(skeleton);
  for (const std::size_t side : {4, 12}) {
    EXPECT_GT(globals[side + 2].linear()(2, 2), 0.9);   // y turned about x goes to z
    EXPECT_LT(globals[side + 5].linear()(2, 2), -0.9);  // of a shin that is the back
  }
  for (std::size_t j = 0; j < 4; ++j) EXPECT_GT(globals[j].linear()(0, 0), 0.999);
}

// A hand held out flat, four straight fingers and a thumb to the front: a positive angle curls them down.
TEST(RestAxes, StraightFingersBendIntoThePalm) {
  for (const double side : {1.0, -1.0}) {
    std::vector<Joint> joints(1);
    joints[0].name = "hips";
    const auto add = [&](int parent, const Vec3& offset) {
      Joint joint;
      joint.name = std::to_string(joints.size());
      joint.parent = parent;
      joint.rest_local.translation() = Vec3(side * offset.x(), offset.y(), offset.z());
      joints.push_back(joint);
      return static_cast<int>(joints.size()) - 1;
    };
    const int chest = add(0, Vec3(0, 0.5, 0));
    add(add(chest, Vec3(0, 0.2, 0)), Vec3(0, 0.1, 0));
    const int hand = add(add(add(chest, Vec3(0.2, 0, 0)), Vec3(0.3, 0, 0)), Vec3(0.3, 0, 0));
    std::vector<int> firsts;
    for (const double z : {-0.03, -0.01, 0.01, 0.03}) {
      firsts.push_back(add(hand, Vec3(0.1, 0, z)));
      add(add(firsts.back(), Vec3(0.04, 0, 0.1 * z)), Vec3(0.03, 0, 0.1 * z));
    }
    add(add(hand, Vec3(0.03, -0.01, 0.04)), Vec3(0.03, -0.01, 0.03));
    const auto globals = globals_at_rest(with_bone_axes(*Skeleton::create(std::move(joints))));
    for (const int first : firsts)
      for (int k = 0; k < 3; ++k) {
        const Mat3 axes = globals[static_cast<std::size_t>(first + k)].linear();
        const Vec3 bent = axes * (Eigen::AngleAxisd(0.5, Vec3::UnitX()) * Vec3::UnitY());
        EXPECT_LT(bent.y(), -0.4) << first + k;
      }
  }
}

TEST(RestAxes, LeftAndRightAreMirrored) {
  const Vec3 mirror(-1, 1, 1);
  for (const double bend : {0.0, 0.02, 0.1, -0.3}) {
    const Skeleton skeleton = with_bone_axes(body(bend, bend));
    const auto globals = globals_at_rest(skeleton);
    for (std::size_t j = 4; j < 12; ++j) {
      const Mat3 image = mirror.asDiagonal() * globals[j].linear() * mirror.asDiagonal();
      EXPECT_LT((image - globals[j + 8].linear()).norm(), 1e-12) << j;
    }
  }
}

TEST(RestAxes, OfSeveralChildrenTheOneThatGoesOnCounts) {
  const auto globals = globals_at_rest(with_bone_axes(body()));
  EXPECT_GT(globals[0].linear()(1, 1), 0.99);  // hips: up, not to the legs
  const Vec3 neck = globals[3].translation() - globals[2].translation();
  EXPECT_LT((globals[2].linear().col(1) - neck.normalized()).norm(), 1e-12);
}

TEST(RestAxes, TailsStayWhereTheyAre) {
  std::vector<Joint> joints(2);
  joints[0].rest_local.linear() = Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  joints[1].parent = 0;
  joints[1].rest_local.translation() = Vec3(0, 0, 2);
  joints[1].tail = Vec3(1, 1, 0);
  const Skeleton skeleton = *Skeleton::create(joints), turned = with_bone_axes(skeleton);
  const Vec3 before = globals_at_rest(skeleton)[1] * *skeleton[1].tail;
  const Vec3 after = globals_at_rest(turned)[1] * *turned[1].tail;
  EXPECT_LT((before - after).norm(), 1e-12);
  EXPECT_LT((*turned[1].tail - Vec3(0, std::sqrt(2), 0)).norm(), 1e-12);
}

TEST(RestAxes, LoneAndCoincidentJointsGetARotation) {
  EXPECT_TRUE(with_bone_axes(Skeleton()).empty());
  const Skeleton alone = with_bone_axes(placed({{1, 2, 3}}, {-1}));
  EXPECT_TRUE(alone[0].rest_local.linear().isIdentity(1e-12));
  const Skeleton same = with_bone_axes(placed({{1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, {-1, 0, 0}));
  for (const Joint& joint : same.joints()) EXPECT_NEAR(joint.rest_local.linear().determinant(), 1, 1e-12);
  const Skeleton spider = with_bone_axes(placed({{0, 0, 0}, {1, 0, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0, -1}},
                                                {-1, 0, 0, 0, 0}));  // the mean is nowhere
  EXPECT_LT((spider[0].rest_local.linear().col(1) - Vec3::UnitY()).norm(), 1e-12);
}

}  // namespace
}  // namespace sinew
