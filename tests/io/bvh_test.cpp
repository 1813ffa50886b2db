// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <sstream>

#include "sinew/core/file.h"
#include "sinew/io/skeleton_files.h"
#include "support/data.h"

namespace sinew {
namespace {

constexpr std::string_view kHierarchy =
    "HIERARCHY\nROOT hip\n{\n OFFSET 0 1 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
    "Yrotation\n"
    " JOINT knee\n {\n  OFFSET 0 -1 0\n  CHANNELS 3 Yrotation Xrotation Zrotation\n  End Site\n  {\n   "
    "OFFSET 0 -2 0\n  }\n }\n"
    " JOINT fixed\n {\n  OFFSET 3 0 0\n  CHANNELS 0\n }\n}\n";

std::string with_motion(std::string_view motion) {
  return std::string(kHierarchy) + std::string(motion);
}

Result<SkeletonFile> read_bvh_text(std::string_view text) {
  return read_bvh(text, "walks/my walk.v2.bvh");
}

void expect_bvh_refused(std::string_view text, std::string_view place) {
  const auto file = read_bvh(text, "test.bvh");
  ASSERT_FALSE(file.ok()) << text;
  EXPECT_EQ(file.error().code, ErrorCode::kBadInput);
  EXPECT_NE(file.error().message.find("test.bvh"), std::string::npos) << file.error().message;
  EXPECT_NE(file.error().message.find(place), std::string::npos) << file.error().message;
}

Mat3 turn(int axis, double degrees) {
  const double c = std::cos(degrees * std::numbers::pi / 180), s = std::sin(degrees * std::numbers::pi / 180);
  Mat3 matrix = Mat3::Identity();
  const int a = (axis + 1) % 3, b = (axis + 2) % 3;
  matrix(a, a) = matrix(b, b) = c;
  matrix(b, a) = s;
  matrix(a, b) = -s;
  return matrix;
}

Mat3 rotation_at(const Clip& clip, int joint, std::size_t key) {
  for (const Channel& channel : clip.channels)
    if (channel.joint == joint && channel.path == ChannelPath::kRotation) {
      const float* q = channel.values.data() + 4 * key;
      return Eigen::Quaternionf(q[3], q[0], q[1], q[2]).toRotationMatrix().cast<double>();
    }
  ADD_FAILURE() << "no rotation of joint " << joint;
  return Mat3::Zero();
}

Vec3 translation_at(const Clip& clip, int joint, std::size_t key) {
  for (const Channel& channel : clip.channels)
    if (channel.joint == joint && channel.path == ChannelPath::kTranslation)
      return Eigen::Map<const Vec3f>(channel.values.data() + 3 * key).cast<double>();
  ADD_FAILURE() << "no translation of joint " << joint;
  return Vec3::Zero();
}

TEST(Bvh, TheHierarchyBecomesJointsWithOffsetsAndTails) {
  const auto file = read_bvh_text(with_motion("MOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 0 0 0 0 0 0\n"));
  ASSERT_TRUE(file.ok()) << file.error().message;
  const Skeleton& skeleton = file->skeleton;
  ASSERT_EQ(skeleton.size(), 3u);
  EXPECT_EQ(skeleton[0].name, "hip");
  EXPECT_EQ(skeleton[0].parent, -1);
  EXPECT_EQ(skeleton[1].parent, 0);
  EXPECT_EQ(skeleton[2].parent, 0);
  EXPECT_EQ(skeleton[1].rest_local.translation(), Vec3(0, -1, 0));
  EXPECT_TRUE(skeleton[1].rest_local.linear().isIdentity());
  ASSERT_TRUE(skeleton[1].tail.has_value());
  EXPECT_EQ(*skeleton[1].tail, Vec3(0, -2, 0));
  EXPECT_FALSE(skeleton[2].tail.has_value());
  EXPECT_TRUE(file->warnings.empty());
}

TEST(Bvh, AnglesAreMultipliedInChannelOrder) {
  const auto file = read_bvh_text(
      with_motion("MOTION\nFrames: 2\nFrame Time: 0.25\n1 2 3 10 20 30 -40 50 60\n4 5 6 170 0 0 0 0 0\n"));
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->clips.size(), 1u);
  const Clip& clip = file->clips[0];
  EXPECT_EQ(clip.name, "my walk.v2");
  EXPECT_EQ(clip.channels.size(), 3u);
  EXPECT_DOUBLE_EQ(clip.duration(), 0.25);
  EXPECT_TRUE(rotation_at(clip, 0, 0).isApprox(turn(2, 10) * turn(0, 20) * turn(1, 30), 1e-6));
  EXPECT_TRUE(rotation_at(clip, 1, 0).isApprox(turn(1, -40) * turn(0, 50) * turn(2, 60), 1e-6));
  EXPECT_TRUE(rotation_at(clip, 0, 1).isApprox(turn(2, 170), 1e-6));
  EXPECT_EQ(translation_at(clip, 0, 1), Vec3(4, 5, 6));
  for (const Channel& channel : clip.channels) {
    EXPECT_EQ(channel.times, (std::vector<float>{0, 0.25f}));
    EXPECT_EQ(channel.values.size(), channel.times.size() * static_cast<std::size_t>(channel.width));
  }
}

TEST(Bvh, NeighbouringQuaternionsLieOnOneSide) {
  std::string motion = "MOTION\nFrames: 73\nFrame Time: 0.01\n";
  for (int k = 0; k <= 72; ++k)
    motion += "0 0 0 " + std::to_string((k * 10 + 180) % 360 - 180) + " 0 0 0 0 0\n";
  const auto file = read_bvh_text(with_motion(motion));
  ASSERT_TRUE(file.ok());
  for (const Channel& channel : file->clips[0].channels) {
    if (channel.path != ChannelPath::kRotation) continue;
    for (std::size_t k = 4; k < channel.values.size(); k += 4)
      EXPECT_GT(Eigen::Map<const Vec4f>(channel.values.data() + k)
                    .dot(Eigen::Map<const Vec4f>(channel.values.data() + k - 4)),
                0);
  }
}

TEST(Bvh, PositionsBelowTheRootAreAbsoluteOrAddedAsTheFirstFrameTells) {
  const std::string hierarchy =
      "HIERARCHY\nROOT a\n{\nOFFSET 5 5 5\nCHANNELS 3 Xposition Yposition Zposition\nJOINT b\n{\nOFFSET 0 2 "
      "0\n"
      "CHANNELS 3 Xposition Yposition Zposition\n}\n}\nMOTION\nFrames: 2\nFrame Time: 0.1\n";
  const auto absolute = read_bvh_text(hierarchy + "0 0 0 0.1 2.1 0\n1 1 1 0 2.5 0\n");
  ASSERT_TRUE(absolute.ok());
  EXPECT_LT((translation_at(absolute->clips[0], 1, 1) - Vec3(0, 2.5, 0)).norm(), 1e-6);
  const auto added = read_bvh_text(hierarchy + "0 0 0 0.1 0 0\n1 1 1 0 0.5 0\n");
  ASSERT_TRUE(added.ok());
  EXPECT_LT((translation_at(added->clips[0], 1, 1) - Vec3(0, 2.5, 0)).norm(), 1e-6);
  EXPECT_EQ(translation_at(added->clips[0], 0, 1), Vec3(1, 1, 1));
}

TEST(Bvh, CaseTabsLineEndsBracesAndBlanksInNamesDoNotMatter) {
  const auto file = read_bvh_text(
      "hierarchy\r\nroot  my  hip {\r\n\toffset\t0 0 0\r\nchannels 1 YROTATION\r\nend site\r\n{ offset 0 1 0 "
      "}\r\n"
      "End Site { OFFSET 0 3 0 }\r\n}\r\nRoot other{\r\nOffset 1 0 0 Channels 0 }\r\nmotion\r\nframes: "
      "1\r\nframe time: .5\r\n90");
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->skeleton.size(), 2u);
  EXPECT_EQ(file->skeleton[0].name, "my hip");
  EXPECT_EQ(file->skeleton[1].name, "other");
  EXPECT_EQ(file->skeleton[1].parent, -1);
  EXPECT_EQ(*file->skeleton[0].tail, Vec3(0, 2, 0));
}

TEST(Bvh, IrregularMotionIsReadWithAWarning) {
  const auto more = read_bvh_text(
      with_motion("MOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0 0\n"));
  ASSERT_TRUE(more.ok());
  EXPECT_EQ(more->warnings.size(), 1u);
  EXPECT_EQ(more->clips[0].channels[0].times.size(), 1u);
  const auto timeless =
      read_bvh_text(with_motion("MOTION\nFrames: 2\nFrame Time: 0\n0 0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0 0\n"));
  ASSERT_TRUE(timeless.ok());
  EXPECT_EQ(timeless->warnings.size(), 1u);
  EXPECT_FLOAT_EQ(static_cast<float>(timeless->clips[0].duration()), 1.0f / 30);
  const auto none = read_bvh_text(kHierarchy);
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->clips.empty());
  const auto empty = read_bvh_text(with_motion("MOTION\nFrames: 0\nFrame Time: 0.1\n"));
  ASSERT_TRUE(empty.ok());
  EXPECT_TRUE(empty->clips.empty());
  EXPECT_TRUE(read_bvh_text(with_motion("MOTION\nFrames:1\nFrame Time:0.1\n0 0 0 0 0 0 0 0 0\n")).ok());
  EXPECT_TRUE(read_bvh_text(with_motion("MOTION\nFrames : 1\nFrame Time : 0.1\n0 0 0 0 0 0 0 0 0\n")).ok());
}

TEST(Bvh, AnyNestingIsRead) {
  std::string text = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n";
  constexpr int kDepth = 50'000;
  for (int i = 0; i < kDepth; ++i) text += "JOINT j\n{\nOFFSET 0 1 0\n";
  for (int i = 0; i <= kDepth; ++i) text += "}\n";
  const auto file = read_bvh_text(text);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->skeleton.size(), kDepth + 1u);
}

TEST(Bvh, BrokenFilesAreRefusedWithTheLine) {
  expect_bvh_refused("", "HIERARCHY");
  expect_bvh_refused("v 0 0 0\n", "line 1: a BVH file begins with HIERARCHY");
  expect_bvh_refused("HIERARCHY\nMOTION\n", "no ROOT");
  expect_bvh_refused("HIERARCHY\nJOINT a\n", "line 2: 'JOINT'");
  expect_bvh_refused("HIERARCHY\nROOT a\nOFFSET 0 0 0\n", "'{' should follow");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nMOTION\n", "a '}' is missing: joint 'a'");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\n}\n}\n", "line 5: a '}' without");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nROOT b\n", "line 4");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nOFFSET 0 0\n}\n", "'}' in an OFFSET");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nOFFSET 0 0 nan\n}\n", "'nan'");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nOFFSET 0 0 1e40\n}\n", "1e30");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nCHANNELS x\n", "'x' is not a number of channels");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nCHANNELS -1\n", "'-1'");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nCHANNELS 99999999999\n", "line 4");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nCHANNELS 2 Xrotation Wrotation\n",
                     "'Wrotation' is not a channel");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nCHANNELS 1 Xrotation\nCHANNELS 1 Yrotation\n", "two CHANNELS");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nEnd\n", "End Site");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nEnd Site\n{\n}\n", "one OFFSET");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nEnd Site\n{\nOFFSET 0 0 0\nJOINT", "should end the End Site");
  expect_bvh_refused("HIERARCHY\nROOT a\n{\nwhat\n", "'what'");
  expect_bvh_refused(with_motion("MOTION\n"), "Frames");
  expect_bvh_refused(with_motion("MOTION\nFrames: x\n"), "'x'");
  expect_bvh_refused(with_motion("MOTION\nFrames: -1\n"), "'-1'");
  expect_bvh_refused(with_motion("MOTION\nFrames: 1\n0 0 0\n"), "Frame Time");
  expect_bvh_refused(with_motion("MOTION\nFrames: 1\nFrame Time: soon\n"), "'soon'");
  expect_bvh_refused(with_motion("MOTION\nFrames: 2000000000\nFrame Time: 1\n0\n"), "too short");
  expect_bvh_refused(with_motion("MOTION\nFrames: 2\nFrame Time: 1\n0 0 0 0 0 0 0 0 0\n0 0 0 0\n"),
                     "ends within frame 1 of 2");
  expect_bvh_refused(with_motion("MOTION\nFrames: 1\nFrame Time: 1\n0 0 0 0 nan 0 0 0 0\n"),
                     "'nan' in frame 0 of 1");
  expect_bvh_refused(with_motion("MOTION\nFrames: 1\nFrame Time: 1\n0 0 0 0 1e300 0 0 0 0\n"), "'1e300'");
}

// An own reader of the motion, frame by frame with matrices, against the clip.
TEST(Bvh, ARealMotionGivesTheMatricesOfItsAngles) {
  SINEW_REQUIRE_DATA(data);
  const auto bytes = read_file(data / "bvh" / "cmu_02_01.bvh");
  ASSERT_TRUE(bytes.ok());
  const auto file = read_bvh(*bytes, "cmu_02_01.bvh");
  ASSERT_TRUE(file.ok()) << file.error().message;
  std::istringstream motion(bytes->substr(bytes->find("Frame Time")));
  std::string word;
  motion >> word >> word >> word;
  for (std::size_t k = 0; k < 344; k += 1) {
    double position[3];
    for (double& value : position) motion >> value;
    EXPECT_LT((translation_at(file->clips[0], 0, k) - Vec3(position[0], position[1], position[2])).norm(),
              1e-5);
    for (int j = 0; j < 31; ++j) {
      double z = 0, y = 0, x = 0;
      motion >> z >> y >> x;
      ASSERT_LT((rotation_at(file->clips[0], j, k) - turn(2, z) * turn(1, y) * turn(0, x)).norm(), 2e-6)
          << k << " " << j;
    }
  }
}

}  // namespace
}  // namespace sinew
