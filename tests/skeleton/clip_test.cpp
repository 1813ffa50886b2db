// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/clip.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace sinew {
namespace {

const float kNan = std::numeric_limits<float>::quiet_NaN();

Skeleton one_joint(const Affine3& rest, std::optional<Trs> parts = std::nullopt) {
  Joint joint;
  joint.rest_local = rest;
  joint.rest_parts = parts;
  return *Skeleton::create({joint});
}

Channel channel(ChannelPath path, Interpolation interpolation, std::vector<float> times,
                std::vector<float> values) {
  Channel result;
  result.joint = 0;
  result.path = path;
  result.interpolation = interpolation;
  result.width = path == ChannelPath::kRotation ? 4 : path == ChannelPath::kKeyWeights ? 2 : 3;
  result.times = std::move(times);
  result.values = std::move(values);
  return result;
}

Pose sample(const Skeleton& skeleton, std::vector<Channel> channels, double time) {
  Pose pose = rest_pose(skeleton);
  sample_clip({"", std::move(channels)}, skeleton, time, pose);
  return pose;
}

Vec3 translation_at(const Channel& moves, double time) {
  return sample(one_joint(Affine3::Identity()), {moves}, time).local[0].translation();
}

Quat rotation_at(const Channel& turns, double time) {
  return Quat(Mat3(sample(one_joint(Affine3::Identity()), {turns}, time).local[0].linear()));
}

TEST(SampleClip, StepHoldsTheKeyBefore) {
  const Channel moves =
      channel(ChannelPath::kTranslation, Interpolation::kStep, {1, 2, 3}, {1, 0, 0, 2, 0, 0, 3, 0, 0});
  for (const auto& [time, x] :
       {std::pair{0.0, 1.0}, {1.0, 1.0}, {1.999, 1.0}, {2.0, 2.0}, {2.5, 2.0}, {3.0, 3.0}, {9.0, 3.0}})
    EXPECT_EQ(translation_at(moves, time), Vec3(x, 0, 0)) << time;
}

TEST(SampleClip, LinearGoesStraightAndIsClampedAtBothEnds) {
  const Channel moves =
      channel(ChannelPath::kTranslation, Interpolation::kLinear, {1, 3}, {1, 2, 3, 5, 2, -1});
  EXPECT_EQ(translation_at(moves, 1.5), Vec3(2, 2, 2));
  EXPECT_EQ(translation_at(moves, -1), Vec3(1, 2, 3));
  EXPECT_EQ(translation_at(moves, 3.5), Vec3(5, 2, -1));
  EXPECT_EQ(translation_at(moves, std::nan("")), Vec3(1, 2, 3));
}

TEST(SampleClip, RotationsTurnAtConstantSpeedTheShorterWay) {
  const float half = std::sqrt(0.5f);
  for (const float sign : {1.f, -1.f}) {
    const Channel turns = channel(ChannelPath::kRotation, Interpolation::kLinear, {0, 1},
                                  {0, 0, 0, 1, 0, 0, sign * half, sign * half});
    for (const double time : {0.0, 0.25, 0.5, 0.9, 1.0}) {
      const Quat expected(Eigen::AngleAxisd(time * std::acos(-1.0) / 2, Vec3::UnitZ()));
      EXPECT_LT(rotation_at(turns, time).angularDistance(expected), 1e-6) << time;
    }
  }
}

TEST(SampleClip, CubicSplinesReproduceCubicPolynomials) {
  // p(t) = t^3 - 2 t on [1, 3], derivative 3 t^2 - 2 as tangents per second; in-tangent of the first key
  // unused.
  const Channel moves = channel(ChannelPath::kTranslation, Interpolation::kCubicSpline, {1, 3},
                                {99, 0, 0, -1, 0, 0, 1, 0, 0, /* key 2 */ 25, 0, 0, 21, 0, 0, 99, 0, 0});
  for (const double t : {1.0, 1.3, 2.0, 2.9, 3.0})
    EXPECT_NEAR(translation_at(moves, t).x(), t * t * t - 2 * t, 1e-12);
  EXPECT_EQ(translation_at(moves, 7).x(), 21);
}

TEST(SampleClip, CubicRotationsAreNormalised) {
  const Channel turns = channel(ChannelPath::kRotation, Interpolation::kCubicSpline, {0, 1},
                                {0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0});
  const Pose pose = sample(one_joint(Affine3::Identity()), {turns}, 0.4);
  const Mat3 linear = pose.local[0].linear();
  EXPECT_LT((linear * linear.transpose() - Mat3::Identity()).norm(), 1e-12);
}

TEST(SampleClip, KeepsThePartsOfTheRestThatNoChannelMoves) {
  Trs rest{{1, 2, 3}, Quat(Eigen::AngleAxisd(0.7, Vec3(1, 2, 2).normalized())), {2, 3, 0.5}};
  const Skeleton skeleton = one_joint(compose(rest));
  const float half = std::sqrt(0.5f);
  const Pose pose =
      sample(skeleton, {channel(ChannelPath::kRotation, Interpolation::kStep, {0}, {half, 0, 0, half})}, 0);
  rest.rotation = Quat(Eigen::AngleAxisd(std::acos(-1.0) / 2, Vec3::UnitX()));
  EXPECT_LT((pose.local[0].matrix() - compose(rest).matrix()).norm(), 1e-6);
}

TEST(SampleClip, AllThreeChannelsMakeTheWholeTransform) {
  const float half = std::sqrt(0.5f);
  const Pose pose = sample(one_joint(compose({{9, 9, 9}, Quat(0, 1, 0, 0), {4, 4, 4}})),
                           {channel(ChannelPath::kScale, Interpolation::kLinear, {0}, {1, 2, 3}),
                            channel(ChannelPath::kRotation, Interpolation::kLinear, {0}, {0, 0, half, half}),
                            channel(ChannelPath::kTranslation, Interpolation::kLinear, {0}, {5, 6, 7})},
                           0);
  Mat4 expected;
  expected << 0, -2, 0, 5, 1, 0, 0, 6, 0, 0, 3, 7, 0, 0, 0, 1;
  EXPECT_LT((pose.local[0].matrix() - expected).norm(), 1e-6);
}

TEST(SampleClip, LeavesJointsWithoutAChannelAsThePoseHasThem) {
  Affine3 odd = Affine3::Identity();
  odd.linear() << -1, 0.5, 0, 0, 2, 0, 0.25, 0, 3;  // mirrored and sheared
  const Skeleton skeleton = *Skeleton::create({Joint{}, Joint{"b", 0, odd, true, {}, {}}});
  Pose pose = rest_pose(skeleton);
  pose.local[0].translation() = Vec3(7, 7, 7);
  Clip clip;
  sample_clip(clip, skeleton, 1, pose);
  EXPECT_EQ(pose.local[0].translation(), Vec3(7, 7, 7));
  EXPECT_EQ(pose.local[1].matrix(), odd.matrix());
  // A moved translation leaves mirror and shear alone, too.
  clip.channels = {channel(ChannelPath::kTranslation, Interpolation::kStep, {0}, {1, 2, 3})};
  clip.channels[0].joint = 1;
  sample_clip(clip, skeleton, 1, pose);
  EXPECT_EQ(pose.local[1].linear(), odd.linear());
}

TEST(SampleClip, ARotationKeepsMirrorAndShearOfTheRest) {
  Affine3 odd = Affine3::Identity();
  odd.linear() << -1, 0.5, 0, 0, 2, 0, 0.25, 0, 3;
  const Skeleton skeleton = one_joint(odd);
  const Pose pose =
      sample(skeleton, {channel(ChannelPath::kRotation, Interpolation::kStep, {0}, {0.6f, 0, 0, 0.8f})}, 0);
  const Mat3 linear = pose.local[0].linear();
  EXPECT_NEAR(linear.determinant(), odd.linear().determinant(), 1e-9);
  EXPECT_LT((linear.transpose() * linear - odd.linear().transpose() * odd.linear()).norm(), 1e-6);
}

TEST(SampleClip, PartsAsStoredTellWhatTheMatrixCannot) {
  // Mirrored along y, and a scale of zero: from the matrix alone the rotation would come out differently.
  const Quat turn(Eigen::AngleAxisd(0.5, Vec3::UnitZ()));
  for (const Vec3& scale : {Vec3(1, -1, 1), Vec3(0, 0, 0)}) {
    const Trs rest{Vec3::Zero(), turn, scale};
    const Pose pose = sample(one_joint(compose(rest), rest),
                             {channel(ChannelPath::kScale, Interpolation::kStep, {0}, {2, 2, 2})}, 0);
    EXPECT_LT((pose.local[0].linear() - 2 * turn.toRotationMatrix()).norm(), 1e-12);
  }
  // Parts of another transform are not believed.
  const Trs other{Vec3::Zero(), Quat(0, 1, 0, 0), Vec3::Ones()};
  const Pose pose = sample(one_joint(Affine3(turn), other),
                           {channel(ChannelPath::kScale, Interpolation::kStep, {0}, {1, 1, 1})}, 0);
  EXPECT_LT((pose.local[0].linear() - turn.toRotationMatrix()).norm(), 1e-9);
}

TEST(SampleClip, KeyWeightsGrowAndKeepWhatIsThere) {
  const Skeleton skeleton = one_joint(Affine3::Identity());
  Channel drives = channel(ChannelPath::kKeyWeights, Interpolation::kLinear, {0, 1}, {0, 1, 1, 3});
  drives.joint = 2;
  Pose pose = rest_pose(skeleton);
  pose.key_weights = {0.25};
  sample_clip({"", {drives}}, skeleton, 0.5, pose);
  EXPECT_EQ(pose.key_weights, (std::vector<double>{0.25, 0, 0.5, 2}));
  pose.key_weights = {1, 2, 3, 4, 5};
  sample_clip({"", {drives}}, skeleton, 1, pose);
  EXPECT_EQ(pose.key_weights, (std::vector<double>{1, 2, 1, 3, 5}));
}

TEST(SampleClip, ZeroQuaternionsCountAsTheirNeighbourOrAsNoChannel) {
  const Channel half_zero =
      channel(ChannelPath::kRotation, Interpolation::kLinear, {0, 1}, {0, 0, 0, 0, 1, 0, 0, 0});
  EXPECT_LT(rotation_at(half_zero, 0.5).angularDistance(Quat(0, 1, 0, 0)), 1e-7);
  const Affine3 rest(Eigen::AngleAxisd(0.3, Vec3::UnitY()));
  const Pose pose =
      sample(one_joint(rest), {channel(ChannelPath::kRotation, Interpolation::kStep, {0}, {0, 0, 0, 0})}, 0);
  EXPECT_EQ(pose.local[0].matrix(), rest.matrix());
}

TEST(SampleClip, OppositeRotationsNeverGiveNan) {
  const Channel turns =
      channel(ChannelPath::kRotation, Interpolation::kLinear, {0, 1}, {0, 0, 0, 1, 1, 0, 0, 0});
  EXPECT_NEAR(rotation_at(turns, 0.5).angularDistance(Quat::Identity()), std::acos(-1.0) / 2, 1e-6);
}

TEST(SampleClip, IrregularChannelsNeverGiveNanAndNeverReadOutside) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> unit(-2, 2);
  const Skeleton skeleton = one_joint(Affine3::Identity());
  const float odd[] = {kNan, 0, std::numeric_limits<float>::infinity(), 1e38f, -1e38f};
  for (int round = 0; round < 20000; ++round) {
    Channel wild;
    wild.joint = static_cast<int>(random() % 3) - 1;
    wild.path = static_cast<ChannelPath>(random() % 4);
    wild.interpolation = static_cast<Interpolation>(random() % 3);
    wild.width = random() % 4 == 0                     ? static_cast<int>(random() % 6) - 1
                 : wild.path == ChannelPath::kRotation ? 4
                                                       : 3;
    wild.times.resize(random() % 6);
    wild.values.resize(random() % 60);
    for (float& time : wild.times) time = random() % 8 == 0 ? odd[random() % 5] : unit(random);
    for (float& value : wild.values)
      value = random() % 40 == 0 ? odd[random() % 5] : std::round(unit(random));
    const Pose pose = sample(skeleton, {wild}, static_cast<double>(unit(random)));
    EXPECT_TRUE(pose.local[0].matrix().allFinite());
    for (const double weight : pose.key_weights) EXPECT_TRUE(std::isfinite(weight));
  }
}

TEST(ClipDuration, IsTheLastKeyOfAnyChannel) {
  Clip clip;
  EXPECT_EQ(clip.duration(), 0);
  clip.channels = {channel(ChannelPath::kScale, Interpolation::kStep, {0, 2}, {}),
                   channel(ChannelPath::kScale, Interpolation::kStep, {3, 1, kNan}, {})};
  EXPECT_EQ(clip.duration(), 3);
}

}  // namespace
}  // namespace sinew
