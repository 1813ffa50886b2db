// SPDX-License-Identifier: Apache-2.0
#include "sinew/io/asset.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "gltf_maker.h"
#include "sinew/io/write_mesh.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;

class AssetFiles : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }
  fs::path put(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return folder_ / name;
  }
  fs::path folder_ = fs::temp_directory_path() / ("sinew_asset_" + std::to_string(std::random_device()()));
};

constexpr const char* kObj = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
constexpr const char* kTgf = "1 0 0 0\n2 0 1 0\n3 0 2 0\n#\n1 2\n2 3\n";

TEST_F(AssetFiles, AMeshFileIsOnePartWithoutWeights) {
  for (const std::string name : {"quad.obj", "QUAD.OBJ"}) {
    const auto asset = read_asset(put(name, kObj));
    ASSERT_TRUE(asset.ok()) << asset.error().message;
    EXPECT_TRUE(asset->from_text);
    EXPECT_FALSE(asset->document);
    EXPECT_EQ(asset->rig.mesh.face_count(), 1u);
    EXPECT_EQ(asset->rig.parts.size(), 1u);
    EXPECT_TRUE(validate(asset->rig).ok());
  }
}

TEST_F(AssetFiles, AGlbIsKnownByItsFirstBytesWhateverItsName) {
  const auto asset = read_asset(put("model.bin", test::skinned_file().glb()));
  ASSERT_TRUE(asset.ok()) << asset.error().message;
  EXPECT_TRUE(asset->document);
  EXPECT_EQ(asset->rig.skeleton.deforming_count(), 2u);
}

TEST_F(AssetFiles, ASkeletonFileIsARigWithoutAMesh) {
  const auto asset = read_asset(put("bones.tgf", kTgf));
  ASSERT_TRUE(asset.ok()) << asset.error().message;
  EXPECT_EQ(asset->rig.mesh.vertex_count(), 0u);
  EXPECT_FALSE(asset->rig.skeleton.empty());
  EXPECT_TRUE(validate(asset->rig).ok());
}

TEST_F(AssetFiles, BytesInMemoryOpenNoOtherFile) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);  // where a relative name would be found
  test::GltfMaker maker = test::skinned_file();
  put("data.bin", maker.binary);
  maker.json["buffers"] = {{{"byteLength", maker.binary.size()}, {"uri", "data.bin"}}};
  const std::string text = maker.json.dump();
  EXPECT_TRUE(read_asset(put("outside.gltf", text)).ok());
  const auto outside = read_asset(text, "outside.gltf");
  ASSERT_FALSE(outside.ok());
  EXPECT_EQ(outside.error().code, ErrorCode::kBadInput);
  EXPECT_NE(outside.error().message.find("outside.gltf: buffers[0].uri is \"data.bin\""), std::string::npos);
  EXPECT_NE(outside.error().message.find(".glb"), std::string::npos);
  fs::current_path(before);

  const auto whole = read_asset(test::skinned_file().glb(), "anything");
  ASSERT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_EQ(whole->rig.skeleton.deforming_count(), 2u);
  const auto mesh = read_asset(std::string_view(kObj), "quad.obj");
  ASSERT_TRUE(mesh.ok()) << mesh.error().message;
  EXPECT_EQ(mesh->rig.mesh.vertex_count(), 4u);
  EXPECT_EQ(read_asset(std::string_view("hello"), "a.xyz").error().code, ErrorCode::kUsage);
}

TEST_F(AssetFiles, WhatIsMissingUnknownOrBrokenHasItsOwnCode) {
  EXPECT_EQ(read_asset(folder_ / "none.obj").error().code, ErrorCode::kIo);
  EXPECT_EQ(read_asset(put("a.xyz", "hello")).error().code, ErrorCode::kUsage);
  const auto broken = read_asset(put("a.gltf", "{"));
  EXPECT_EQ(broken.error().code, ErrorCode::kBadInput);
  EXPECT_NE(broken.error().message.find("a.gltf"), std::string::npos);
  EXPECT_EQ(read_skeleton(put("b.obj", kObj)).error().code, ErrorCode::kBadInput);
}

TEST_F(AssetFiles, TheSkeletonOfASkinRestsInItsBindPose) {
  test::GltfMaker maker = test::skinned_file();
  maker.json["nodes"][2]["translation"] = {5, 5, 5};  // the file's own pose is another
  maker.json["nodes"].push_back({{"name", "armature"}, {"children", {1}}, {"scale", {3, 3, 3}}});
  const auto skeleton = read_skeleton(put("rig.glb", maker.glb()));
  ASSERT_TRUE(skeleton.ok()) << skeleton.error().message;
  ASSERT_EQ(skeleton->size(), 2u);
  const auto globals = global_transforms(*skeleton, rest_pose(*skeleton).local);
  EXPECT_LT((globals[1].translation() - Vec3(0, 1, 0)).norm(), 1e-12);
  EXPECT_EQ((*skeleton)[1].parent, 0);
}

TEST_F(AssetFiles, AFileWithoutAMeshIsNotWrittenAsAnEmptyMesh) {
  const auto asset = read_asset(put("arm.tgf", kTgf));
  ASSERT_TRUE(asset.ok()) << asset.error().message;
  for (const char* name : {"out.obj", "out.ply", "out.off", "out.stl"}) {
    const auto saved = save_asset(*asset, folder_ / name, Overwrite::kNo);
    ASSERT_FALSE(saved.ok()) << name;
    EXPECT_EQ(saved.error().code, ErrorCode::kImpossible);
    EXPECT_NE(saved.error().message.find(name), std::string::npos) << saved.error().message;
    EXPECT_FALSE(fs::exists(folder_ / name));
  }
  const auto saved = save_asset(*asset, folder_ / "out.glb", Overwrite::kNo);
  EXPECT_TRUE(saved.ok()) << saved.error().message;
}

}  // namespace
}  // namespace sinew
