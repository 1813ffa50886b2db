// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/pose_space.h"

#include <gtest/gtest.h>

#include "deform/key_samples.h"

namespace sinew {
namespace {

Rig two_joints() {
  Rig rig = test::keyed_rig(test::box(Vec3::Zero(), Vec3::Ones()));
  rig.skeleton = test::chain(3, Vec3(1, 0, 0));
  for (const char* name : {"a", "b", "c", "channel"})
    test::add_key(rig, name, [](const Vec3& p) { return Vec3(p * 1.1); });
  return rig;
}

Quat turn_about(double degrees, const Vec3& axis) {
  return Quat(Eigen::AngleAxisd(degrees * std::numbers::pi / 180, axis.normalized()));
}

std::vector<Affine3> posed(const Rig& rig, const Quat& first, const Quat& second) {
  std::vector<Affine3> local = rest_pose(rig.skeleton).local;
  local[1].rotate(first);
  local[2].rotate(second);
  return local;
}

std::vector<double> weights(const Rig& rig, std::span<const Affine3> local, double channel = 0) {
  const auto spaces = PoseSpaces::build(rig);
  EXPECT_TRUE(spaces.ok()) << (spaces.ok() ? "" : spaces.error().message);
  std::vector<double> keys(rig.keys.size(), 0.0);
  keys[3] = channel;
  auto scratch = spaces->make_scratch();
  spaces->add_weights(rig.skeleton, local, keys, scratch);
  return keys;
}

Rig with_examples() {
  Rig rig = two_joints();
  PoseSpace space;
  space.name = "arm";
  space.joints = {{1, 1.0}, {2, 0.5}};
  space.examples = {{0, {turn_about(90, Vec3::UnitZ()), Quat::Identity()}, {}},
                    {1, {turn_about(90, Vec3::UnitZ()), turn_about(60, Vec3::UnitX())}, {}},
                    {2, {turn_about(170, Vec3(1, 1, 0)), turn_about(-30, Vec3::UnitY())}, {}}};
  rig.pose_spaces.push_back(space);
  return rig;
}

// A body in several meshes has a key of one name in each.
TEST(PoseSpaces, KeysOfTheSameNameHaveTheSameWeight) {
  Rig rig = with_examples();
  for (const char* name : {"b", "b"}) test::add_key(rig, name, [](const Vec3& p) { return Vec3(p * 1.1); });
  rig.pose_spaces[0].examples[2].key = 4;  // a second pose for one of them
  for (const std::size_t example : {1u, 2u}) {
    const auto& rotations = rig.pose_spaces[0].examples[example].rotations;
    const auto out = weights(rig, posed(rig, rotations[0], rotations[1]));
    const double expected[] = {0, 1, 0, 0, 1, 1};
    for (std::size_t k = 0; k < 6; ++k) EXPECT_NEAR(out[k], expected[k], 1e-9) << example << " " << k;
  }
}

TEST(PoseSpaces, EveryExampleIsHitExactly) {
  const Rig rig = with_examples();
  for (std::size_t k = 0; k < 3; ++k) {
    const auto& rotations = rig.pose_spaces[0].examples[k].rotations;
    const auto out = weights(rig, posed(rig, rotations[0], rotations[1]));
    for (std::size_t other = 0; other < 3; ++other) EXPECT_NEAR(out[other], k == other ? 1 : 0, 1e-9);
  }
}

TEST(PoseSpaces, AtRestAllKeysAreOff) {
  const Rig rig = with_examples();
  for (const double w : weights(rig, rest_pose(rig.skeleton).local)) EXPECT_NEAR(w, 0, 1e-9);
}

TEST(PoseSpaces, BetweenRestAndAnExampleTheKeyFadesIn) {
  Rig rig = with_examples();
  rig.pose_spaces[0].examples.resize(1);
  double before = -1e-9;
  for (double degrees = 0; degrees <= 90; degrees += 5) {
    const double now = weights(rig, posed(rig, turn_about(degrees, Vec3::UnitZ()), Quat::Identity()))[0];
    EXPECT_GT(now, before);
    before = now;
  }
  // Half way both count alike.
  EXPECT_NEAR(weights(rig, posed(rig, turn_about(45, Vec3::UnitZ()), Quat::Identity()))[0], 0.5, 0.15);
}

TEST(PoseSpaces, TheSameRotationSaidOtherwiseIsTheSamePose) {
  Rig rig = with_examples();
  const auto a = weights(rig, posed(rig, turn_about(90, Vec3::UnitZ()), Quat::Identity()));
  const auto b = weights(rig, posed(rig, turn_about(450, Vec3::UnitZ()), Quat::Identity()));
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(a[k], b[k], 1e-9);
}

TEST(PoseSpaces, PosesWithinADegreeAreMergedAndReported) {
  Rig rig = with_examples();
  rig.pose_spaces[0].examples[1].rotations = {turn_about(90.6, Vec3::UnitZ()), Quat::Identity()};
  const auto spaces = PoseSpaces::build(rig);
  ASSERT_TRUE(spaces.ok());
  ASSERT_EQ(spaces->merged().size(), 1u);
  EXPECT_NE(spaces->merged()[0].find("'a'"), std::string::npos);
  const auto out = weights(rig, posed(rig, turn_about(90, Vec3::UnitZ()), Quat::Identity()));
  EXPECT_NEAR(out[0], 0.5, 1e-9);
  EXPECT_NEAR(out[1], 0.5, 1e-9);
  rig.pose_spaces[0].examples[1].rotations = {turn_about(91.2, Vec3::UnitZ()), Quat::Identity()};
  EXPECT_TRUE(PoseSpaces::build(rig)->merged().empty());
}

TEST(PoseSpaces, ChannelsDriveLikeJoints) {
  Rig rig = two_joints();
  PoseSpace space;
  space.name = "lid";
  space.channels = {{3, 1.0}};
  space.examples = {{0, {}, {1.0}}, {1, {}, {2.0}}};
  rig.pose_spaces.push_back(space);
  const auto local = rest_pose(rig.skeleton).local;
  EXPECT_NEAR(weights(rig, local, 1)[0], 1, 1e-9);
  EXPECT_NEAR(weights(rig, local, 1)[1], 0, 1e-9);
  EXPECT_NEAR(weights(rig, local, 2)[1], 1, 1e-9);
  EXPECT_NEAR(weights(rig, local, 0)[0], 0, 1e-9);
  EXPECT_EQ(weights(rig, local, 0.7)[3], 0.7);
}

TEST(PoseSpaces, JointsWithMoreInfluenceTellPosesApart) {
  Rig rig = with_examples();
  const auto near = posed(rig, turn_about(90, Vec3::UnitZ()), turn_about(30, Vec3::UnitX()));
  rig.pose_spaces[0].radius = 1;
  const double little = weights(rig, near)[0];
  rig.pose_spaces[0].joints[1].influence = 8;
  EXPECT_LT(weights(rig, near)[0], little);
}

TEST(PoseSpaces, RefusesWhatDoesNotFit) {
  Rig rig = with_examples();
  rig.pose_spaces[0].joints[0].index = 99;
  EXPECT_EQ(PoseSpaces::build(rig).error().code, ErrorCode::kBadInput);
  rig = with_examples();
  rig.pose_spaces[0].examples[0].rotations.pop_back();
  EXPECT_EQ(PoseSpaces::build(rig).error().code, ErrorCode::kBadInput);
  rig = with_examples();
  rig.pose_spaces[0].joints.clear();
  EXPECT_EQ(PoseSpaces::build(rig).error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace sinew
