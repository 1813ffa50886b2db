// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "gltf_maker.h"
#include "sinew/io/gltf.h"

namespace sinew {
namespace {

// The skinned file of the tests as a rig with joint weights.
GltfFile with_joint_weights() {
  auto file = test::skinned_file().read();
  EXPECT_TRUE(file.ok());
  JointWeights& weights = file->rig.joint_weights;
  weights.method = "elastic";
  weights.offsets.push_back(0);
  const std::size_t joints = file->rig.skeleton.deforming_count();
  for (std::size_t i = 0; i < file->rig.mesh.vertex_count(); ++i) {
    if (i != 1) weights.entries.push_back({0, 0.75f, 1.0f, 0.5f});
    if (i != 1 && joints > 1) weights.entries.push_back({1, 0.25f, 0.125f, 0.0f});
    weights.offsets.push_back(static_cast<std::uint32_t>(weights.entries.size()));
  }
  weights.blends.assign(file->rig.skeleton.size(), JointBlend::kSwingTwist);
  weights.blends[0] = JointBlend::kAngle;
  return *std::move(file);
}

GltfWriteOptions edit_skin() {
  GltfWriteOptions options;
  options.edit.skin = true;
  return options;
}

void expect_same(const JointWeights& a, const JointWeights& b) {
  EXPECT_EQ(a.method, b.method);
  ASSERT_EQ(a.offsets, b.offsets);
  for (std::size_t k = 0; k < a.entries.size(); ++k) {
    EXPECT_EQ(a.entries[k].joint, b.entries[k].joint);
    EXPECT_EQ(a.entries[k].deformer_weight, b.entries[k].deformer_weight);
    EXPECT_EQ(a.entries[k].swing, b.entries[k].swing);
    EXPECT_EQ(a.entries[k].twist, b.entries[k].twist);
  }
  for (std::size_t j = 0; j < b.blends.size(); ++j) EXPECT_EQ(a.blend(j), b.blend(j));
}

TEST(GltfJointWeights, ComeBackFromANewAndFromAnEditedFile) {
  const GltfFile file = with_joint_weights();
  ASSERT_FALSE(file.rig.joint_weights.entries.empty());
  for (const GltfDocument* document : {static_cast<const GltfDocument*>(nullptr), &*file.document}) {
    const auto bytes = write_gltf(file.rig, document, edit_skin());
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    const auto again = read_gltf(*bytes, "again.glb");
    ASSERT_TRUE(again.ok()) << again.error().message;
    expect_same(again->rig.joint_weights, file.rig.joint_weights);
    // A copy keeps them, too.
    const auto copied = write_gltf(again->rig, again->document.get());
    ASSERT_TRUE(copied.ok());
    expect_same(read_gltf(*copied, "copy.glb")->rig.joint_weights, file.rig.joint_weights);
  }
}

TEST(GltfJointWeights, GoWhenTheRigHasNoneAnyMoreAndWithTheSkin) {
  const GltfFile file = with_joint_weights();
  const auto bytes = write_gltf(file.rig, file.document.get(), edit_skin());
  ASSERT_TRUE(bytes.ok());
  auto again = read_gltf(*bytes, "again.glb");
  ASSERT_TRUE(again.ok());
  again->rig.joint_weights = {};
  GltfWriteOptions plain;
  plain.without_skin = true;
  for (const GltfWriteOptions& options : {edit_skin(), plain}) {
    const auto without = write_gltf(again->rig, again->document.get(), options);
    ASSERT_TRUE(without.ok());
    EXPECT_EQ(without->find("_SINEW_SHARE"), std::string::npos);
    EXPECT_TRUE(read_gltf(*without, "without.glb")->rig.joint_weights.empty());
  }
}

// The file with attributes as another program might have written them.
Result<GltfFile> read_with(std::vector<float> joints, std::vector<float> share, std::vector<float> swing) {
  test::GltfMaker maker = test::skinned_file();
  auto& attributes = maker.json["meshes"][0]["primitives"][0]["attributes"];
  const auto& stored = maker.json["accessors"][attributes["JOINTS_0"].get<std::size_t>()];
  const auto count = stored["count"].get<std::size_t>();
  for (auto* list : {&joints, &share, &swing}) list->resize(4 * count, 0.0f);
  attributes["_SINEW_JOINTS_0"] = attributes["JOINTS_0"];
  attributes["_SINEW_SHARE_0"] = maker.add_floats(share, "VEC4", 4);
  attributes["_SINEW_SWING_0"] = maker.add_floats(swing, "VEC4", 4);
  attributes["_SINEW_TWIST_0"] = maker.add_floats(swing, "VEC4", 4);
  return maker.read();
}

TEST(GltfJointWeights, OddNumbersArePutIntoTheUnitIntervalAndTold) {
  const auto file = read_with({}, {2, std::nanf(""), 0, 0}, {-1, 0, 0, 0});
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->rig.joint_weights.row(0).size(), 1u);
  EXPECT_EQ(file->rig.joint_weights.row(0)[0].deformer_weight, 1.0f);
  EXPECT_EQ(file->rig.joint_weights.row(0)[0].swing, 0.0f);
  bool told = false;
  for (const std::string& note : file->warnings)
    told |= note.find("joint weights did not lie") != std::string::npos;
  EXPECT_TRUE(told);
  EXPECT_EQ(file->rig.joint_weights.method, "painted");
}

TEST(GltfJointWeights, WrongShapesAreRefused) {
  test::GltfMaker maker = test::skinned_file();
  auto& attributes = maker.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["_SINEW_JOINTS_0"] = attributes["JOINTS_0"];
  EXPECT_FALSE(maker.read().ok());  // no shares
  for (const char* name : {"_SINEW_SHARE_0", "_SINEW_SWING_0", "_SINEW_TWIST_0"})
    attributes[name] = attributes["JOINTS_0"];
  EXPECT_FALSE(maker.read().ok());  // whole numbers
  for (const char* name : {"_SINEW_SHARE_0", "_SINEW_SWING_0", "_SINEW_TWIST_0"})
    attributes[name] = maker.add_floats({0, 0, 0, 0}, "VEC4", 4);
  EXPECT_FALSE(maker.read().ok());  // one vertex
}

}  // namespace
}  // namespace sinew
