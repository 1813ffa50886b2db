// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/retarget.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>

#include "pipeline/retarget_feet.h"
#include "sinew/characters/characters.h"
#include "sinew/math/quaternion.h"
#include "sinew/skeleton/pose.h"
#include "support/wave_clip.h"

namespace sinew {
namespace {

using test::wave;

constexpr double kPi = 3.14159265358979323846;

Joint joint(std::string name, int parent, const Vec3& offset) {
  Joint made;
  made.name = std::move(name);
  made.parent = parent;
  made.rest_local = Affine3(Eigen::Translation3d(offset));
  return made;
}

Rig rig_of(std::vector<Joint> joints) {
  Rig rig;
  auto skeleton = Skeleton::create(std::move(joints));
  EXPECT_TRUE(skeleton.ok());
  rig.skeleton = *std::move(skeleton);
  for (const Affine3& global : global_transforms(rig.skeleton, rest_pose(rig.skeleton).local))
    rig.inverse_bind.push_back(global.inverse());
  return rig;
}

// Hips at height `size`, an upper arm along `arm` and a forearm beyond it: no humanoid, matched by names.
Rig arm_rig(double size, const Vec3& arm, const std::string& prefix = "") {
  return rig_of({joint(prefix + "Hips", -1, Vec3(0, size, 0)),
                 joint(prefix + "LeftArm", 0, size * Vec3(0.2, 0.5, 0)),
                 joint(prefix + "LeftForeArm", 1, size * 0.4 * arm.normalized()),
                 joint(prefix + "LeftHand", 2, size * 0.4 * arm.normalized())});
}

std::vector<Affine3> posed(const Rig& rig, const Clip& clip, double time) {
  Pose pose = rest_pose(rig.skeleton);
  sample_clip(clip, rig.skeleton, time, pose);
  return global_transforms(rig.skeleton, pose.local);
}

Vec3 direction(const std::vector<Affine3>& globals, std::size_t from, std::size_t to) {
  return (globals[to].translation() - globals[from].translation()).normalized();
}

TEST(Retarget, TheSameSkeletonPlaysTheSameMotion) {
  const Rig rig = arm_rig(1, Vec3::UnitX());
  const Clip clip = wave(rig.skeleton, "LeftForeArm", 70);
  RetargetRequest request;
  request.fps = 10;
  const auto fitted = retarget(clip, rig, rig, request);
  ASSERT_TRUE(fitted.ok()) << fitted.error().message;
  EXPECT_EQ(fitted->matched, 4u);
  EXPECT_TRUE(fitted->unmatched.empty());
  EXPECT_FALSE(fitted->humanoid);
  for (const double time : {0.0, 0.3, 1.0}) {
    const auto wanted = posed(rig, clip, time), got = posed(rig, fitted->clip, time);
    for (std::size_t j = 0; j < wanted.size(); ++j)
      EXPECT_LT((wanted[j].matrix() - got[j].matrix()).norm(), 1e-5) << "joint " << j << " at " << time;
  }
}

TEST(Retarget, AnArmThatHangsFollowsAMotionMadeForAStretchedOne) {
  const Rig stretched = arm_rig(1, Vec3::UnitX()), hanging = arm_rig(2, Vec3(1, -2, 0), "mixamorig:");
  const Clip clip = wave(stretched.skeleton, "LeftArm", 40);
  const auto fitted = retarget(clip, stretched, hanging);
  ASSERT_TRUE(fitted.ok()) << fitted.error().message;
  for (const double time : {0.0, 1.0})
    EXPECT_LT(
        (direction(posed(stretched, clip, time), 2, 3) - direction(posed(hanging, fitted->clip, time), 2, 3))
            .norm(),
        1e-5);
  // The path is scaled with the body.
  EXPECT_NEAR(posed(hanging, fitted->clip, 1)[0].translation().x(), 2.0, 1e-5);
}

TEST(Retarget, SkeletonsWithoutACommonNameAreRefused) {
  const Rig rig = arm_rig(1, Vec3::UnitX());
  const auto fitted =
      retarget(wave(rig.skeleton, "LeftArm", 10), rig, rig_of({joint("wheel", -1, Vec3::Zero())}));
  ASSERT_FALSE(fitted.ok());
  EXPECT_EQ(fitted.error().code, ErrorCode::kImpossible);
}

TEST(Retarget, AHumanoidNeedsTenJoints) {
  auto biped = make_character("biped");
  ASSERT_TRUE(biped.ok());
  const Rig arm = arm_rig(1, Vec3::UnitX());
  const auto fitted = retarget(wave(arm.skeleton, "LeftArm", 10), arm, *biped);
  ASSERT_FALSE(fitted.ok());
  EXPECT_EQ(fitted.error().code, ErrorCode::kImpossible);
  EXPECT_NE(fitted.error().message.find("only 4"), std::string::npos) << fitted.error().message;
  EXPECT_NE(fitted.error().message.find("LeftForeArm"), std::string::npos) << fitted.error().message;
}

// A child of children of offset zero has no direction, whatever rounding left of it: the rig keeps its own.
TEST(Retarget, RoundingNoiseIsNoDirection) {
  const Rig noisy =
      rig_of({joint("Hips", -1, Vec3(0, 1, 0)), joint("Spine", 0, Vec3(0, 0.2, 0)),
              joint("Neck", 1, Vec3(-1e-17, -2e-17, 1e-17)), joint("Head", 2, Vec3(0, 0.5, 0))});
  const Rig plain = rig_of({joint("Hips", -1, Vec3(0, 1, 0)), joint("Spine", 0, Vec3(0, 0.2, 0)),
                            joint("Neck", 1, Vec3(0, 0.3, 0)), joint("Head", 2, Vec3(0, 0.2, 0))});
  const auto fitted = retarget(wave(noisy.skeleton, "Head", 0), noisy, plain);
  ASSERT_TRUE(fitted.ok()) << fitted.error().message;
  EXPECT_GT(direction(posed(plain, fitted->clip, 0), 1, 2).y(), 0.999);
}

// A built-in walk on a body that is turned by a right angle, twice as large, in another file's space.
TEST(Retarget, ABodyThatFacesAnotherWayWalksThatWay) {
  auto made = make_character("biped");
  ASSERT_TRUE(made.ok());
  ASSERT_FALSE(made->clips.empty());
  Rig& source = *made;
  std::vector<Joint> joints(source.skeleton.joints().begin(), source.skeleton.joints().end());
  const Mat3 turn = Eigen::AngleAxisd(kPi / 2, Vec3::UnitY()).toRotationMatrix();
  for (Joint& one : joints) {
    one.rest_local.translation() *= 2;
    one.tail.reset();
    one.rest_parts.reset();
    if (one.parent < 0) one.rest_local = Affine3(turn) * one.rest_local;
  }
  const Rig target = rig_of(std::move(joints));
  const Clip& walk = source.clips[0];
  const auto fitted = retarget(walk, source, target);
  ASSERT_TRUE(fitted.ok()) << fitted.error().message;
  EXPECT_TRUE(fitted->humanoid);
  for (const double time : {0.1, 0.4, 0.7}) {
    const double t = time * walk.duration();
    const auto wanted = posed(source, walk, t), got = posed(target, fitted->clip, t);
    for (std::size_t j = 0; j < wanted.size(); ++j) {
      const int parent = source.skeleton[j].parent;
      if (parent < 0) continue;
      const Vec3 bone = turn * direction(wanted, static_cast<std::size_t>(parent), j);
      EXPECT_LT((bone - direction(got, static_cast<std::size_t>(parent), j)).norm(), 0.1)
          << source.skeleton[j].name;
    }
  }
}

TEST(Retarget, AFrameRateThatCannotBeIsRefusedAndCancellingStops) {
  const Rig rig = arm_rig(1, Vec3::UnitX());
  const Clip clip = wave(rig.skeleton, "LeftArm", 10);
  RetargetRequest request;
  for (const double fps : {0.0, -1.0, 2000.0, std::nan("")}) {
    request.fps = fps;
    const auto fitted = retarget(clip, rig, rig, request);
    ASSERT_FALSE(fitted.ok());
    EXPECT_EQ(fitted.error().code, ErrorCode::kUsage);
  }
  const std::atomic<bool> stop = true;
  const Progress progress{{}, &stop};
  request.fps = 30;
  request.progress = &progress;
  const auto fitted = retarget(clip, rig, rig, request);
  ASSERT_FALSE(fitted.ok());
  EXPECT_EQ(fitted.error().code, ErrorCode::kCancelled);
}

// The law of cosines: where the ankle must be, the knee's angle is known.
TEST(RetargetFeet, TwoBonesReachWhatTheyCan) {
  const Vec3 hip(0.1, 1, 0), knee(0.1, 0.55, 0.1), ankle(0.1, 0.1, 0);
  const double upper = (knee - hip).norm(), lower = (ankle - knee).norm();
  for (const Vec3& goal : {Vec3(0.2, 0.3, 0.2), Vec3(0, 0.15, -0.3), Vec3(0.1, 0.25, 0.05)}) {
    const TwoBones bones = reach_two_bones(hip, knee, ankle, goal, Vec3::UnitZ());
    const Vec3 new_knee = hip + bones.upper * (knee - hip), end = new_knee + bones.lower * (ankle - knee);
    EXPECT_LT((end - goal).norm(), 1e-9);
    EXPECT_LT((bones.ankle - goal).norm(), 1e-9);
    const double d = (goal - hip).norm();
    const double cosine = (hip - new_knee).dot(end - new_knee) / (upper * lower);
    EXPECT_NEAR(cosine, (upper * upper + lower * lower - d * d) / (2 * upper * lower), 1e-9);
    EXPECT_GT((new_knee - hip).cross(end - hip).dot((knee - hip).cross(ankle - hip)),
              0);  // bends the same way
  }
  const Vec3 far = hip + Vec3(0, -3, 0);
  const TwoBones bones = reach_two_bones(hip, knee, ankle, far, Vec3::UnitZ());
  EXPECT_NEAR((bones.ankle - hip).norm(), upper + lower, 1e-3);
  EXPECT_GT((bones.ankle - hip).normalized().dot(-Vec3::UnitY()), 1 - 1e-9);
}

// A foot that stands for a second, walks on in half of one, and stands again, its target drifting meanwhile.
TEST(RetargetFeet, WhatStandsStaysAndNothingJumps) {
  constexpr double kFps = 30;
  std::vector<FootTracks> feet(1);
  std::vector<Vec3> ankle, toe;
  for (int k = 0; k < 75; ++k) {
    const double step = std::clamp((k - 30) / 15.0, 0.0, 1.0), lift = std::sin(kPi * step);
    const Vec3 place(0, 0.08 + 0.2 * lift, 0.8 * step);
    feet[0].ankle.places.push_back(place);
    feet[0].toe.places.push_back(place + Vec3(0, -0.06, 0.14));
    ankle.push_back(place + Vec3(0.002 * k, 0.03, 0.01 * std::sin(0.1 * k)));
    toe.push_back(ankle.back() + Vec3(0, -0.06, 0.14));
  }
  find_contacts(feet, Vec3::UnitY(), 0.9, kFps);
  const auto contacts = contacts_of(feet[0]);
  ASSERT_EQ(contacts.size(), 2u);
  EXPECT_LE(contacts[0].end, 33u);
  EXPECT_GE(contacts[1].begin, 43u);
  const HeldFoot held = hold_foot(feet[0], ankle, toe, 0.08, 0.02, Vec3::UnitY(), kFps);
  std::vector<Vec3> moved = ankle, ball = toe;
  for (std::size_t k = 0; k < ankle.size(); ++k) {
    moved[k] += held.shift[k];
    ball[k] += held.shift[k];
    if (k > 0) {
      EXPECT_LT((held.shift[k] - held.shift[k - 1]).norm(), 0.02) << k;
    }
  }
  for (const double slide : foot_slides(feet[0], ankle, toe, Vec3::UnitY())) EXPECT_GT(slide, 0.02);
  for (const double slide : foot_slides(feet[0], moved, ball, Vec3::UnitY())) EXPECT_LT(slide, 1e-9);
  EXPECT_NEAR(moved[10].y(), 0.08, 1e-9);
}

}  // namespace
}  // namespace sinew
