// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "gltf_maker.h"

namespace sinew {
namespace {

using test::expect_refused;
using test::GltfMaker;
using test::has_warning;
using test::skinned_file;
using test::triangle_file;

// The skinned triangle whose tip moves up and turns.
GltfMaker animated(const std::vector<float>& times, const std::vector<float>& rotations) {
  GltfMaker maker = skinned_file();
  const int input = maker.add_floats(times, "SCALAR", 1), output = maker.add_floats(rotations, "VEC4", 4);
  maker.json["animations"] = {
      {{"channels", {{{"sampler", 0}, {"target", {{"node", 2}, {"path", "rotation"}}}}}},
       {"samplers", {{{"input", input}, {"output", output}}}}}};
  return maker;
}

// Where the vertex that hangs on the tip alone is when the clip begins: stored at (1, 0, 0), so at (1, -1, 0)
// from the tip.
Vec3 tip_vertex(const GltfFile& file) {
  Pose pose = rest_pose(file.rig.skeleton);
  sample_clip(file.rig.clips[0], file.rig.skeleton, 0, pose);
  return test::skinned_positions(file.rig, pose)[1];
}

// A triangle with two targets under one node.
GltfMaker with_targets() {
  GltfMaker maker = triangle_file();
  const int up = maker.add_floats({0, 0, 1, 0, 0, 0, 0, 0, 0}, "VEC3", 3);
  const int side = maker.add_floats({0, 0, 0, 2, 0, 0, 0, 0, 0}, "VEC3", 3);
  maker.json["meshes"][0]["primitives"][0]["targets"] = {{{"POSITION", up}}, {{"POSITION", side}}};
  maker.json["meshes"][0]["weights"] = {0.25, 0};
  maker.json["meshes"][0]["extras"]["targetNames"] = {"up"};
  return maker;
}

TEST(GltfAnimation, ChannelsBecomeClipsNamedOrNumbered) {
  GltfMaker maker = animated({0, 1}, {0, 0, 0, 1, 1, 0, 0, 0});
  maker.json["animations"].push_back(
      {{"name", "empty"}, {"channels", nlohmann::json::array()}, {"samplers", nlohmann::json::array()}});
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->rig.clips.size(), 2u);
  EXPECT_EQ(file->rig.clips[0].name, "clip0");
  EXPECT_EQ(file->rig.clips[1].name, "empty");
  const Channel& channel = file->rig.clips[0].channels[0];
  EXPECT_EQ(channel.joint, 1);
  EXPECT_EQ(channel.path, ChannelPath::kRotation);
  EXPECT_EQ(channel.times, (std::vector<float>{0, 1}));
  EXPECT_EQ(channel.values, (std::vector<float>{0, 0, 0, 1, 1, 0, 0, 0}));
}

TEST(GltfAnimation, TimesThatDoNotRiseAreLeftOut) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto file =
      animated({0, 2, 1, nan, 3}, {0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}).read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->rig.clips[0].channels[0].times, (std::vector<float>{0, 2, 3}));
  EXPECT_EQ(file->rig.clips[0].channels[0].values, (std::vector<float>{0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1}));
  EXPECT_TRUE(has_warning(*file, "2 keyframes whose time"));
}

TEST(GltfAnimation, RotationsWithoutLengthAreNoRotationAndOthersHaveLengthOne) {
  const auto file =
      animated({0, 1, 2}, {0, 0, 0, 0, 0, 0, 0, 5, std::numeric_limits<float>::infinity(), 0, 0, 1}).read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->rig.clips[0].channels[0].values, (std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_TRUE(has_warning(*file, "1 rotations without length"));
  EXPECT_TRUE(has_warning(*file, "1 values that are not finite"));
}

TEST(GltfAnimation, FaultsAreNamed) {
  GltfMaker maker = animated({0, 1}, {0, 0, 0, 1});
  expect_refused(maker.read(), "animations[0].channels[0] uses sampler 0, which has 2 times and 1 values");
  maker = animated({0, 1}, {0, 0, 0, 1, 1, 0, 0, 0});
  maker.json["animations"][0]["channels"][0]["target"]["node"] = 9;
  expect_refused(maker.read(), "animations[0].channels[0].target.node is 9");
  maker.json["animations"][0]["channels"][0]["target"] = {{"node", 2}, {"path", "scale"}};
  expect_refused(maker.read(), "does not hold 3 numbers per keyframe");
  maker.json["animations"][0]["channels"][0]["sampler"] = 3;
  expect_refused(maker.read(), "animations[0].channels[0].sampler is 3");
  maker.json["animations"][0]["channels"] = 4;
  expect_refused(maker.read(), "animations[0].channels is 4");
}

TEST(GltfAnimation, ChannelsOfExtensionsAndOfOtherNodesAreLeft) {
  GltfMaker maker = animated({0, 1}, {0, 0, 0, 1, 1, 0, 0, 0});
  maker.json["nodes"].push_back({{"camera", 0}});
  maker.json["animations"][0]["channels"][0]["target"]["node"] = 3;
  EXPECT_TRUE(maker.read()->rig.clips[0].channels.empty());
  maker.json["animations"][0]["channels"][0]["target"] = {{"path", "pointer"}};
  EXPECT_TRUE(maker.read()->rig.clips[0].channels.empty());
}

TEST(GltfAnimation, ARotationKeepsAMirroredOrZeroScaleAsStored) {
  GltfMaker maker = animated({0}, {0, 0, std::sqrt(0.5f), std::sqrt(0.5f)});  // to a quarter turn about z
  nlohmann::json& tip = maker.json["nodes"][2];
  tip["rotation"] = {std::sqrt(0.75), 0, 0, 0.5};
  struct Case {
    Vec3 scale, expected;  // tip + quarter turn of scale .* (1, -1, 0)
  };
  for (const Case& c :
       {Case{{1, -2, 1}, {-2, 2, 0}}, Case{{-3, 2, 1}, {2, -2, 0}}, Case{{1, 1, -1}, {1, 2, 0}},
        Case{{-3, -2, 1}, {-2, -2, 0}}, Case{{0, 2, 1}, {2, 1, 0}}, Case{{0, 0, 0}, {0, 1, 0}}}) {
    tip["scale"] = {c.scale[0], c.scale[1], c.scale[2]};
    const auto file = maker.read();
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_LT((tip_vertex(*file) - c.expected).norm(), 1e-6) << c.scale.transpose();
    const auto copy = write_gltf(file->rig, nullptr, {});  // all nodes made anew
    ASSERT_TRUE(copy.ok()) << copy.error().message;
    EXPECT_LT((tip_vertex(*read_gltf(*copy, "copy.glb")) - c.expected).norm(), 1e-6) << c.scale.transpose();
  }
}

TEST(GltfAnimation, AScaleKeepsTheRotationThatAZeroScaleHides) {
  GltfMaker maker = animated({0}, {});
  maker.json["nodes"][2].update({{"rotation", {0, 0, std::sqrt(0.5), std::sqrt(0.5)}}, {"scale", {0, 0, 0}}});
  maker.json["animations"][0]["channels"][0]["target"]["path"] = "scale";
  maker.json["animations"][0]["samplers"][0]["output"] = maker.add_floats({2, 3, 4}, "VEC3", 3);
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_LT((tip_vertex(*file) - Vec3(3, 3, 0)).norm(), 1e-6);
}

TEST(GltfAnimation, APosedMirroredNodeStillPlaysItsClip) {
  GltfMaker maker = animated({0}, {0, 0, std::sqrt(0.5f), std::sqrt(0.5f)});
  maker.json["nodes"][2]["scale"] = {1, -2, 1};
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  Pose pose = rest_pose(file->rig.skeleton);
  rotate_joint(file->rig.skeleton, 1, {30, 40, 50}, pose);
  GltfWriteOptions options;
  options.edit.pose = true;
  options.posed = &pose;
  for (const GltfDocument* document : {static_cast<const GltfDocument*>(nullptr), file->document.get()}) {
    const auto bytes = write_gltf(file->rig, document, options);
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    EXPECT_LT((tip_vertex(*read_gltf(*bytes, "posed.glb")) - Vec3(-2, 2, 0)).norm(), 1e-6);
  }
}

TEST(GltfAnimation, ANodeWithAMatrixMovesByItsParts) {
  // A quarter turn about z of scales -2, 3, 4; the clip takes the turn away.
  GltfMaker maker = animated({0}, {0, 0, 0, 1});
  maker.json["nodes"][2] = {{"name", "tip"}, {"matrix", {0, -2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 0, 1, 0, 1}}};
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_FALSE(file->rig.skeleton[1].rest_parts);
  EXPECT_LT((test::rest_positions(file->rig)[1] - Vec3(3, -1, 0)).norm(), 1e-6);
  EXPECT_LT((tip_vertex(*file) - Vec3(-2, -2, 0)).norm(), 1e-6);
}

TEST(GltfKeys, TargetsBecomeKeysWithNamesAndDefaults) {
  const auto file = with_targets().read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->rig.keys.size(), 2u);
  EXPECT_EQ(file->rig.keys[0].name, "up");
  EXPECT_EQ(file->rig.keys[1].name, "key1");
  EXPECT_EQ(file->rig.keys[0].default_weight, 0.25);
  EXPECT_EQ(file->rig.keys[0].deltas[0], Vec3f(0, 0, 1));
  EXPECT_EQ(file->rig.keys[1].deltas[1], Vec3f(2, 0, 0));
  EXPECT_EQ(test::rest_positions(file->rig)[0], Vec3(0, 0, 0.25));
}

TEST(GltfKeys, DeltasTurnWithTheirNode) {
  GltfMaker maker = with_targets();
  maker.json["nodes"][0].update({{"rotation", {0, std::sqrt(0.5), 0, std::sqrt(0.5)}}, {"scale", {3, 3, 3}}});
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_LT((file->rig.keys[0].deltas[0] - Vec3f(3, 0, 0)).norm(), 1e-6f);
}

TEST(GltfKeys, OneMeshUnderTwoNodesHasOneSetOfKeysUnlessTheirWeightsDiffer) {
  GltfMaker maker = with_targets();
  maker.json["nodes"].push_back({{"mesh", 0}});
  auto file = maker.read();
  ASSERT_EQ(file->rig.keys.size(), 2u);
  EXPECT_EQ(file->rig.keys[0].deltas[3], Vec3f(0, 0, 1));
  maker.json["nodes"][1]["weights"] = {1, 0};
  file = maker.read();
  ASSERT_EQ(file->rig.keys.size(), 4u);
  EXPECT_EQ(test::rest_positions(file->rig)[0], Vec3(0, 0, 0.25));
  EXPECT_EQ(test::rest_positions(file->rig)[3], Vec3(0, 0, 1));
}

TEST(GltfKeys, WeightChannelsDriveTheKeysOfTheirNode) {
  GltfMaker maker = with_targets();
  const int input = maker.add_floats({0, 1}, "SCALAR", 1),
            output = maker.add_floats({0, 0, 1, 0.5f}, "SCALAR", 1);
  maker.json["animations"] = {
      {{"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}}}},
       {"samplers", {{{"input", input}, {"output", output}}}}}};
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  const Channel& channel = file->rig.clips[0].channels[0];
  EXPECT_EQ(channel.path, ChannelPath::kKeyWeights);
  EXPECT_EQ(channel.joint, 0);
  EXPECT_EQ(channel.width, 2);
}

TEST(GltfKeys, TargetsThatDoNotFitAreRefused) {
  GltfMaker maker = with_targets();
  maker.json["meshes"][0]["primitives"][0]["targets"][1]["POSITION"] = 1;
  expect_refused(maker.read(), "meshes[0].primitives[0].targets[1].POSITION is accessors[1]");
  maker.json["meshes"][0]["primitives"][0]["targets"][1] = 5;
  expect_refused(maker.read(), "targets[1] is 5");
}

}  // namespace
}  // namespace sinew
