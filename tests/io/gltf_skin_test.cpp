// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "gltf_maker.h"

namespace sinew {
namespace {

using test::expect_refused;
using test::GltfMaker;
using test::has_warning;
using test::rest_positions;
using test::skinned_file;
using test::triangle_file;

void set_weights(GltfMaker& maker, const std::vector<float>& weights) {
  const std::size_t at = maker.json["bufferViews"][3]["byteOffset"];
  std::memcpy(maker.binary.data() + at, weights.data(), weights.size() * sizeof(float));
}

TEST(GltfSkin, RowsAreMergedSortedAndSumToOne) {
  GltfMaker maker = skinned_file();
  set_weights(maker, {0.5f, 0.5f, 0, 0, 0.2f, 0, 0, 0, 0.25f, 0.75f, 0, 0});
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  const SkinWeights& weights = file->rig.weights;
  ASSERT_EQ(weights.row(0).size(), 1u);  // joint 0 twice
  EXPECT_EQ(weights.row(0)[0].weight, 1);
  EXPECT_EQ(weights.row(1)[0].weight, 1);  // was 0.2
  EXPECT_EQ(weights.row(2)[0].joint, 1u);
  EXPECT_EQ(weights.row(2)[0].weight, 0.75);
  EXPECT_TRUE(has_warning(*file, "1 vertices had weights that did not sum to 1"));
  EXPECT_EQ(summarise(*file->document).influences, 2u);
  EXPECT_NEAR(summarise(*file->document).max_row_error, 0.8, 1e-7);
}

TEST(GltfSkin, WeightsThatAreNoNumbersOrNegativeCountAsZero) {
  GltfMaker maker = skinned_file();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  set_weights(maker, {nan, 1, 0, 0, nan, nan, nan, nan, -1, 1, 0, 0});
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->rig.weights.row(0).size(), 1u);
  ASSERT_EQ(file->rig.weights.row(1).size(), 1u);  // nothing left: as the nearest vertex
  EXPECT_EQ(file->rig.weights.row(1)[0].joint, file->rig.weights.row(0)[0].joint);
  EXPECT_EQ(file->rig.weights.row(1)[0].weight, 1);
  ASSERT_EQ(file->rig.weights.row(2).size(), 1u);
  EXPECT_EQ(file->rig.weights.row(2)[0].joint, 1u);
  EXPECT_TRUE(has_warning(*file, "5 weights were not numbers"));
  EXPECT_TRUE(has_warning(*file, "1 weights were negative"));
  EXPECT_TRUE(has_warning(*file, "1 vertices had no weight that is a number"));
  EXPECT_EQ(summarise(*file->document).unweighted, 0u);
}

TEST(GltfSkin, ASecondSetOfInfluencesCounts) {
  GltfMaker maker = skinned_file();
  const int joints = maker.add<std::uint16_t>(std::vector<std::uint16_t>(12, 1), 5123, "VEC4", 3);
  const int weights = maker.add<std::uint8_t>({255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 5121, "VEC4", 3);
  maker.json["accessors"][static_cast<std::size_t>(weights)]["normalized"] = true;
  auto& attributes = maker.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["JOINTS_1"] = joints;
  attributes["WEIGHTS_1"] = weights;
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->rig.weights.row(0).size(), 2u);
  EXPECT_EQ(file->rig.weights.row(0)[0].weight, 0.5);
}

TEST(GltfSkin, AnIndexOutOfRangeIsRefusedUnlessItsWeightIsZero) {
  GltfMaker maker = skinned_file();
  const std::size_t at = maker.json["bufferViews"][2]["byteOffset"];
  maker.binary[at + 1] = 9;  // weight 0
  EXPECT_TRUE(maker.read().ok());
  maker.binary[at] = 9;
  expect_refused(maker.read(),
                 "meshes[0].primitives[0] gives vertex 0 to joint 9, but its skin has 2 joints");
}

TEST(GltfSkin, FaultsOfSkinsAreNamed) {
  GltfMaker maker = skinned_file();
  maker.json["skins"][0]["joints"] = nlohmann::json::array();
  expect_refused(maker.read(), "skins[0].joints is missing or empty");
  maker.json["skins"][0]["joints"] = {1, 2, 0};
  expect_refused(maker.read(), "skins[0].inverseBindMatrices is accessors[4] with 2 matrices for 3 joints");
  maker.json["skins"][0]["joints"] = {1, 7};
  expect_refused(maker.read(), "skins[0].joints[1] is 7");
  maker = skinned_file();
  maker.json["skins"][0]["inverseBindMatrices"] = 3;
  expect_refused(maker.read(), "does not hold 4x4 float matrices");
  maker = skinned_file();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(maker.binary.data() + static_cast<std::size_t>(maker.json["bufferViews"][4]["byteOffset"]),
              &nan, 4);
  expect_refused(maker.read(), "whose matrix 0 is not finite");
  maker = skinned_file();
  maker.json["accessors"][3]["count"] = 2;
  expect_refused(maker.read(), ".WEIGHTS_0 is accessors[3]");
}

TEST(GltfSkin, ASkeletonThatIsNoCommonRootIsNoted) {
  GltfMaker maker = skinned_file();
  maker.json["skins"][0]["skeleton"] = 2;
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(has_warning(*file, "skins[0].skeleton is nodes[2]"));
  maker.json["skins"][0]["skeleton"] = 1;
  EXPECT_FALSE(has_warning(*maker.read(), "skeleton"));
}

// A second node with the same mesh and joints, bound by the given matrices.
GltfMaker with_second_skin(const std::vector<Affine3>& inverse_bind) {
  GltfMaker maker = skinned_file();
  std::vector<float> matrices;
  for (const Affine3& matrix : inverse_bind)
    for (int k = 0; k < 16; ++k) matrices.push_back(static_cast<float>(matrix(k % 4, k / 4)));
  const int accessor = maker.add_floats(matrices, "MAT4", 16);
  maker.json["skins"].push_back({{"joints", {1, 2}}, {"inverseBindMatrices", accessor}});
  maker.json["nodes"].push_back({{"mesh", 0}, {"skin", 1}});
  return maker;
}

// Vertex i of the second copy by the formula of glTF itself.
Vec3 expected(const Pose& pose, const Skeleton& skeleton, const std::vector<Affine3>& inverse_bind,
              std::size_t i) {
  const auto globals = global_transforms(skeleton, pose.local);
  const Vec3 vertices[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const double first[] = {1, 0, 0.5};
  return first[i] * (globals[0] * inverse_bind[0] * vertices[i]) +
         (1 - first[i]) * (globals[1] * inverse_bind[1] * vertices[i]);
}

Affine3 some_affine(double shift) {
  Affine3 map = Affine3::Identity();
  map.rotate(Eigen::AngleAxisd(0.7, Vec3(1, 2, 3).normalized())).scale(1.5);
  map.pretranslate(Vec3(shift, -2, 0.5));
  return map;
}

TEST(GltfSkin, SkinsThatDifferByOneMapShareTheirJoints) {
  const Affine3 tip(Eigen::Translation3d(0, -1, 0)), map = some_affine(4);
  const std::vector<Affine3> second = {map, tip * map};
  const auto file = with_second_skin(second).read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->rig.skeleton.size(), 4u);  // two joints, two mesh nodes
  EXPECT_LT((file->rig.parts[1].to_bind.matrix() - map.matrix()).norm(), 1e-5);
  Pose pose = rest_pose(file->rig.skeleton);
  rotate_joint(file->rig.skeleton, 1, {40, 20, 10}, pose);
  const auto posed = test::skinned_positions(file->rig, pose);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LT((posed[3 + i] - expected(pose, file->rig.skeleton, second, i)).norm(), 1e-5);
}

TEST(GltfSkin, SkinsThatDisagreeGetJointsOfTheirOwn) {
  const std::vector<Affine3> second = {some_affine(4), some_affine(-1)};
  const auto file = with_second_skin(second).read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->rig.skeleton.deforming_count(), 2u);
  EXPECT_GT(file->rig.skeleton.size(), 4u);
  Pose pose = rest_pose(file->rig.skeleton);
  rotate_joint(file->rig.skeleton, 1, {40, 20, 10}, pose);
  const auto posed = test::skinned_positions(file->rig, pose);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LT((posed[3 + i] - expected(pose, file->rig.skeleton, second, i)).norm(), 1e-5);
}

TEST(GltfSkin, ARigidPieceFollowsTheJointThatItHangsOn) {
  GltfMaker maker = skinned_file();
  maker.json["meshes"].push_back({{"primitives", {{{"attributes", {{"POSITION", 0}}}}}}});
  maker.json["nodes"][2]["children"] = {3};
  maker.json["nodes"].push_back({{"mesh", 1}, {"translation", {0, 0, 2}}});
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  const MeshPart& part = file->rig.parts[1];
  EXPECT_FALSE(part.skinned);
  EXPECT_EQ(file->rig.mesh.positions[part.vertex_begin], Vec3(0, 1, 2));  // bind space: on the tip
  Pose pose = rest_pose(file->rig.skeleton);
  rotate_joint(file->rig.skeleton, 1, {90, 0, 0}, pose);
  EXPECT_LT((test::skinned_positions(file->rig, pose)[part.vertex_begin] - Vec3(0, -1, 0)).norm(), 1e-12);
}

TEST(GltfSkin, ASkinnedNodeWithoutWeightsIsCarriedByItsNode) {
  GltfMaker maker = skinned_file();
  maker.json["meshes"][0]["primitives"][0]["attributes"].erase("WEIGHTS_0");
  maker.json["nodes"][0]["translation"] = {0, 0, 7};
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_FALSE(file->rig.parts[0].skinned);
  EXPECT_TRUE(has_warning(*file, "without its partner"));
  EXPECT_EQ(rest_positions(file->rig)[0], Vec3(0, 0, 7));
}

TEST(GltfSkin, ASingularInverseBindMatrixMakesNoNaN) {
  GltfMaker maker = skinned_file();
  const std::size_t at = maker.json["bufferViews"][4]["byteOffset"];
  std::memset(maker.binary.data() + at, 0, 48);
  maker.json["meshes"].push_back({{"primitives", {{{"attributes", {{"POSITION", 0}}}}}}});
  maker.json["nodes"][1]["mesh"] = 1;  // a rigid piece on the very joint
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(validate(file->rig).ok());
  const auto posed = rest_positions(file->rig);
  for (const Vec3& p : posed) EXPECT_TRUE(p.allFinite());
  EXPECT_EQ(posed[4], Vec3(1, 0, 0));
}

}  // namespace
}  // namespace sinew
