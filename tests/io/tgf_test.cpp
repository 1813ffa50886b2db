// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sinew/io/skeleton_files.h"
#include "sinew/skeleton/pose.h"

namespace sinew {
namespace {

void expect_tgf_refused(std::string_view text, std::string_view place) {
  const auto file = read_tgf(text, "test.tgf");
  ASSERT_FALSE(file.ok()) << text;
  EXPECT_EQ(file.error().code, ErrorCode::kBadInput);
  EXPECT_NE(file.error().message.find("test.tgf"), std::string::npos) << file.error().message;
  EXPECT_NE(file.error().message.find(place), std::string::npos) << file.error().message;
}

std::vector<Bone> bones(const Skeleton& skeleton) {
  const Pose rest = rest_pose(skeleton);
  return bones_of(skeleton, global_transforms(skeleton, rest.local));
}

TEST(Tgf, AChainOfBonesBecomesAChainOfJoints) {
  const auto file = read_tgf("1 0 0 0\n2 1 0 0 4.4e+291 garbage\n3 1 2 0\n#\n1 2\n2 3\n#\n3 1\n", "a.tgf");
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->skeleton.size(), 2u);
  EXPECT_EQ(file->skeleton[0].name, "joint1");
  EXPECT_EQ(file->skeleton[0].parent, -1);
  EXPECT_EQ(file->skeleton[1].parent, 0);
  const auto segments = bones(file->skeleton);
  EXPECT_EQ(segments[0].head, Vec3(0, 0, 0));
  EXPECT_EQ(segments[0].tail, Vec3(1, 0, 0));
  EXPECT_EQ(segments[1].tail, Vec3(1, 2, 0));
  EXPECT_TRUE(file->clips.empty());
}

TEST(Tgf, EveryBoneHasTheEndsOfItsLineInAnyOrderOfLines) {
  const std::string points = "10 0 0 0\n20 1 0 0\n30 2 1 0\n40 2 -1 0\n50 -1 0 0\n";
  const Vec3 at[] = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(2, 1, 0), Vec3(2, -1, 0), Vec3(-1, 0, 0)};
  const std::size_t ends[4][2] = {{1, 2}, {0, 1}, {1, 3}, {0, 4}};
  const auto file = read_tgf(points + "#\n20 30\n10 20\n20 40\n10 50\n", "a.tgf");
  ASSERT_TRUE(file.ok()) << file.error().message;
  // Two bones begin at the root: a joint that does not deform carries them.
  ASSERT_EQ(file->skeleton.size(), 5u);
  EXPECT_EQ(file->skeleton.deforming_count(), 4u);
  EXPECT_EQ(file->skeleton[4].name, "root1");
  EXPECT_EQ(file->skeleton[0].parent, 1);
  EXPECT_EQ(file->skeleton[1].parent, 4);
  EXPECT_EQ(file->skeleton[2].parent, 1);
  EXPECT_EQ(file->skeleton[3].parent, 4);
  const auto segments = bones(file->skeleton);
  ASSERT_EQ(segments.size(), 4u);
  for (std::size_t b = 0; b < 4; ++b) {
    EXPECT_EQ(segments[b].head, at[ends[b][0]]) << b;
    EXPECT_EQ(segments[b].tail, at[ends[b][1]]) << b;
  }
}

TEST(Tgf, BonesThatPointToTheRootAreTurned) {
  const auto file = read_tgf("1 0 0 0\n2 1 0 0\n3 2 0 0\n#\n1 2\n3 2\n", "a.tgf");
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->warnings.size(), 1u);
  const auto segments = bones(file->skeleton);
  ASSERT_EQ(segments.size(), 2u);
  EXPECT_EQ(segments[1].head, Vec3(1, 0, 0));
  EXPECT_EQ(segments[1].tail, Vec3(2, 0, 0));
}

TEST(Tgf, SeparateBonesAreSeveralRoots) {
  const auto file = read_tgf("1 0 0 0\n2 1 0 0\n3 2 0 0\n4 3 0 0\n# bones\n1 2\n3 4", "a.tgf");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->skeleton[0].parent, -1);
  EXPECT_EQ(file->skeleton[1].parent, -1);
  EXPECT_EQ(bones(file->skeleton)[1].tail, Vec3(3, 0, 0));
}

TEST(Tgf, BrokenFilesAreRefusedWithTheLine) {
  expect_tgf_refused("", "no bones");
  expect_tgf_refused("1 0 0 0\n#\n", "no bones");
  expect_tgf_refused("a 0 0 0\n", "line 1: 'a'");
  expect_tgf_refused("1 0 0\n", "point 1 needs three");
  expect_tgf_refused("1 0 0 nan\n", "'nan'");
  expect_tgf_refused("1 0 0 1e31\n", "'1e31'");
  expect_tgf_refused("1 0 0 0\n1 1 0 0\n", "twice");
  expect_tgf_refused("1 0 0 0\n2 1 0 0\n#\n1 3\n", "line 4: a bone names point '3'");
  expect_tgf_refused("1 0 0 0\n2 1 0 0\n#\n1\n", "line 4");
  expect_tgf_refused("1 0 0 0\n2 1 0 0\n#\n1 1\n", "itself");
  expect_tgf_refused("1 0 0 0\n2 1 0 0\n3 1 1 0\n#\n1 2\n2 3\n3 1\n", "loop");
  expect_tgf_refused("1 0 0 0\n2 1 0 0\n#\n1 2\n2 1\n", "loop");
}

}  // namespace
}  // namespace sinew
