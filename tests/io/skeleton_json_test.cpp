// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sinew/io/skeleton_files.h"

namespace sinew {
namespace {

void expect_skeleton_json_refused(std::string_view text, std::string_view place) {
  const auto file = read_skeleton_json(text, "test.json");
  ASSERT_FALSE(file.ok()) << text;
  EXPECT_EQ(file.error().code, ErrorCode::kBadInput);
  EXPECT_NE(file.error().message.find("test.json"), std::string::npos) << file.error().message;
  EXPECT_NE(file.error().message.find(place), std::string::npos) << file.error().message;
}

std::string joints(const std::string& list) {
  return "{\"joints\":[" + list + "]}";
}

TEST(SkeletonJson, HeadsAndTailsAreInWorldSpaceAndAxesParallelToIt) {
  const auto file = read_skeleton_json(
      R"({"format": 1, "weights": {"a": [[0, 1.0]], "joints": [1]}, "joints": [
        {"name": "elbow", "parent": 1, "head": [1, 2, 3], "tail": [1, 2, 4], "extra": {"deep": [1, [2]]}},
        {"name": "Schulter ü", "parent": -1, "head": [1, 1, 1]},
        {"parent": 0, "head": [1, 2, 4.5], "tail": [0, 0, 0]}]})",
      "a.json");
  ASSERT_TRUE(file.ok()) << file.error().message;
  const Skeleton& skeleton = file->skeleton;
  ASSERT_EQ(skeleton.size(), 3u);
  EXPECT_EQ(skeleton[0].name, "elbow");
  EXPECT_EQ(skeleton[1].name, "Schulter ü");
  EXPECT_EQ(skeleton[2].name, "joint2");
  EXPECT_EQ(skeleton[0].parent, 1);
  EXPECT_EQ(skeleton[0].rest_local.translation(), Vec3(0, 1, 2));
  EXPECT_EQ(skeleton[1].rest_local.translation(), Vec3(1, 1, 1));
  EXPECT_TRUE(skeleton[0].rest_local.linear().isIdentity());
  EXPECT_EQ(*skeleton[0].tail, Vec3(0, 0, 1));
  EXPECT_FALSE(skeleton[1].tail.has_value());
  EXPECT_EQ(*skeleton[2].tail, Vec3(-1, -2, -4.5));
}

TEST(SkeletonJson, DeepNestingElsewhereIsIgnoredAndInJointsRefused) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  const std::string joint = R"({"parent": -1, "head": [0, 0, 0]})";
  EXPECT_TRUE(read_skeleton_json("{\"x\":" + deep + ",\"joints\":[" + joint + "]}", "a.json").ok());
  EXPECT_FALSE(read_skeleton_json(joints(deep), "a.json").ok());
  EXPECT_FALSE(read_skeleton_json(std::string(100'000, '['), "a.json").ok());
  EXPECT_FALSE(read_skeleton_json(deep, "a.json").ok());
}

TEST(SkeletonJson, BrokenFilesAreRefusedWithThePlace) {
  expect_skeleton_json_refused("", "not valid JSON");
  expect_skeleton_json_refused("{\"joints\": [", "not valid JSON near byte 13");
  expect_skeleton_json_refused("\xFF", "not valid JSON");
  expect_skeleton_json_refused("[]", "no \"joints\"");
  expect_skeleton_json_refused("{}", "no \"joints\"");
  expect_skeleton_json_refused("{\"joints\": {}}", "no \"joints\"");
  expect_skeleton_json_refused("{\"joints\": []}", "no \"joints\"");
  expect_skeleton_json_refused(joints("1"), "joint 0 is not an object");
  expect_skeleton_json_refused(joints(R"({"name": 1, "parent": -1, "head": [0,0,0]})"), "joint 0 has a name");
  expect_skeleton_json_refused(joints(R"({"head": [0,0,0]})"), "joint 0 needs \"parent\"");
  expect_skeleton_json_refused(joints(R"({"parent": 0.5, "head": [0,0,0]})"), "joint 0 needs \"parent\"");
  expect_skeleton_json_refused(joints(R"({"parent": 1, "head": [0,0,0]})"), "not one of the 1");
  expect_skeleton_json_refused(joints(R"({"parent": -2, "head": [0,0,0]})"), "not one of the 1");
  expect_skeleton_json_refused(joints(R"({"parent": 18446744073709551615, "head": [0,0,0]})"),
                               "not one of the 1");
  expect_skeleton_json_refused(joints(R"({"parent": -1})"), "\"head\"");
  expect_skeleton_json_refused(joints(R"({"parent": -1, "head": [0,0]})"), "\"head\"");
  expect_skeleton_json_refused(joints(R"({"parent": -1, "head": [0,0,null]})"), "\"head\"");
  expect_skeleton_json_refused(joints(R"({"parent": -1, "head": [0,0,1e31]})"), "\"head\"");
  expect_skeleton_json_refused(joints(R"({"parent": -1, "head": [0,0,1e999]})"), "not valid JSON");
  expect_skeleton_json_refused(joints(R"({"parent": -1, "head": [0,0,0], "tail": "x"})"), "\"tail\"");
  expect_skeleton_json_refused(joints(R"({"parent": 1, "head": [0,0,0]}, {"parent": 0, "head": [0,0,0]})"),
                               "ancestor");
}

}  // namespace
}  // namespace sinew
