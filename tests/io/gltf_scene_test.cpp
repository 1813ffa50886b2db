// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "gltf_maker.h"

namespace sinew {
namespace {

using nlohmann::json;
using test::expect_refused;
using test::GltfMaker;
using test::rest_positions;
using test::skinned_file;
using test::triangle_file;

TEST(GltfScene, JointsOfSkinsComeFirstInOrderOfUseThenTheNodesThatCarryThem) {
  GltfMaker maker = skinned_file();
  maker.json["nodes"].push_back({{"name", "armature"}, {"children", {0, 1}}});
  maker.json["nodes"].push_back({{"name", "camera"}, {"camera", 0}});
  maker.json["skins"][0]["joints"] = {2, 1};
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  const Skeleton& skeleton = file->rig.skeleton;
  ASSERT_EQ(skeleton.size(), 4u);  // no camera
  EXPECT_EQ(skeleton.deforming_count(), 2u);
  EXPECT_EQ(skeleton[0].name, "tip");
  EXPECT_EQ(skeleton[1].name, "root");
  EXPECT_EQ(skeleton[2].name, "joint2");  // the mesh node, which has no name
  EXPECT_EQ(skeleton[3].name, "armature");
  EXPECT_EQ(skeleton[0].parent, 1);
  EXPECT_EQ(skeleton[1].parent, 3);
  EXPECT_EQ(summarise(*file->document).joint_names, (std::vector<std::string>{"tip", "root"}));
}

TEST(GltfScene, TransformsComposeAsTranslationTimesRotationTimesScale) {
  GltfMaker maker = triangle_file();
  const double half = std::sqrt(0.5);
  maker.json["nodes"][0].update(
      json{{"translation", {1, 2, 3}}, {"rotation", {0, 0, half, half}}, {"scale", {2, 3, 4}}});
  auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  const std::vector<Vec3> posed = rest_positions(file->rig);
  EXPECT_LT((posed[1] - Vec3(1, 4, 3)).norm(), 1e-12);   // x turns to y, twice as long
  EXPECT_LT((posed[2] - Vec3(-2, 2, 3)).norm(), 1e-12);  // y turns to -x, three times
  // The same as a matrix.
  maker.json["nodes"][0] = {{"mesh", 0}, {"matrix", {0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1}}};
  file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT((rest_positions(file->rig)[i] - posed[i]).norm(), 1e-12);
}

TEST(GltfScene, AMeshUnderTwoNodesComesTwiceInNodeOrder) {
  GltfMaker maker = triangle_file();
  maker.json["nodes"] = {{{"mesh", 0}, {"translation", {5, 0, 0}}, {"name", "b"}},
                         {{"mesh", 0}, {"name", "a"}}};
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->rig.parts.size(), 2u);
  EXPECT_EQ(file->rig.parts[0].name, "b");
  EXPECT_EQ(rest_positions(file->rig)[0], Vec3(5, 0, 0));
  EXPECT_EQ(rest_positions(file->rig)[3], Vec3(0, 0, 0));
}

TEST(GltfScene, AChainOfTwentyThousandNodesLoads) {
  GltfMaker maker = triangle_file();
  for (int i = 0; i < 20000; ++i)
    maker.json["nodes"].push_back({{"children", {i}}, {"translation", {0.001, 0, 0}}});
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_NEAR(rest_positions(file->rig)[0].x(), 20, 1e-9);
}

TEST(GltfScene, LoopsSecondParentsAndWildIndicesAreRefused) {
  GltfMaker maker = triangle_file();
  maker.json["nodes"].push_back({{"children", {2}}});
  maker.json["nodes"].push_back({{"children", {1}}});
  expect_refused(maker.read(), "nodes[1] is its own ancestor");
  maker.json["nodes"][2] = {{"children", {2}}};
  maker.json["nodes"][1] = json::object();
  expect_refused(maker.read(), "nodes[2] is its own ancestor");
  maker.json["nodes"][1] = {{"children", {0}}};
  maker.json["nodes"][2] = {{"children", {0}}};
  expect_refused(maker.read(), "nodes[2].children names nodes[0], which has nodes[1] as its parent");
  maker.json["nodes"][2] = {{"children", {9}}};
  expect_refused(maker.read(), "nodes[2].children[0] is 9");
  maker.json["nodes"][2] = {{"mesh", 4}};
  expect_refused(maker.read(), "nodes[2].mesh is 4");
  maker.json["nodes"][2] = {{"skin", 0}};
  expect_refused(maker.read(), "nodes[2].skin is 0");
  maker.json["nodes"][2] = 5;
  expect_refused(maker.read(), "nodes[2] is 5: it must be an object");
  maker.json["nodes"] = "none";
  expect_refused(maker.read(), "nodes is \"none\": it must be a list");
}

TEST(GltfScene, TransformsThatNumbersCannotHoldAreRefused) {
  GltfMaker maker = triangle_file();
  maker.json["nodes"][0]["translation"] = {1e300, 0, 0};
  expect_refused(maker.read(), "nodes[0] has a transform in the world that is too large");
  maker.json["nodes"][0]["translation"] = {0, 0};
  expect_refused(maker.read(), "nodes[0].translation is a list: it must be a list of 3 numbers");
  maker.json["nodes"][0]["translation"] = {0, "x", 0};
  expect_refused(maker.read(), "nodes[0].translation[1] is \"x\"");
  // Each link doubles: overflow builds up along the chain.
  maker = triangle_file();
  for (int i = 0; i < 100; ++i) maker.json["nodes"].push_back({{"children", {i}}, {"scale", {2, 2, 2}}});
  expect_refused(maker.read(), "too large");
}

TEST(GltfScene, ARotationWithoutLengthIsNoRotation) {
  GltfMaker maker = triangle_file();
  maker.json["nodes"][0]["rotation"] = {0, 0, 0, 0};
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(test::has_warning(*file, "nodes[0].rotation"));
  EXPECT_EQ(rest_positions(file->rig)[1], Vec3(1, 0, 0));
}

TEST(GltfScene, AMeshThatIsScaledToNothingHasAPlaceAndNoNaN) {
  GltfMaker maker = triangle_file();
  maker.json["nodes"] = {{{"mesh", 0}, {"scale", {0, 0, 0}}},
                         {{"children", {0}}, {"translation", {3, 0, 0}}}};
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(validate(file->rig).ok());
  for (const Vec3& p : rest_positions(file->rig)) EXPECT_LT((p - Vec3(3, 0, 0)).norm(), 1e-12);
  Pose pose = rest_pose(file->rig.skeleton);
  pose.local[0] = Affine3::Identity();  // shown again
  EXPECT_LT((test::skinned_positions(file->rig, pose)[1] - Vec3(4, 0, 0)).norm(), 1e-12);
}

TEST(GltfScene, NodesAloneAreASkeletonThatDeformsNothing) {
  GltfMaker maker;
  maker.json["nodes"] = {{{"name", "a"}, {"children", {1}}}, {{"name", "b"}, {"translation", {0, 1, 0}}}};
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->rig.skeleton.size(), 2u);
  EXPECT_EQ(file->rig.skeleton.deforming_count(), 0u);
}

}  // namespace
}  // namespace sinew
