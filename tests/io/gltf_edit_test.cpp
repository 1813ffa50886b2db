// SPDX-License-Identifier: Apache-2.0
// Editing a document that was read: what is not ours stays, what is ours is replaced.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "gltf_maker.h"
#include "sinew/io/asset.h"
#include "support/data.h"

namespace sinew {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::GltfMaker;
using test::rest_positions;
using test::skinned_file;

std::string edited(const GltfFile& file, const Rig& rig, const GltfWriteOptions& options = {}) {
  const auto bytes = write_gltf(rig, file.document.get(), options);
  EXPECT_TRUE(bytes.ok()) << bytes.error().message;
  return bytes.ok() ? *bytes : std::string();
}
std::string edited(const GltfFile& file, const GltfWriteOptions& options = {}) {
  return edited(file, file.rig, options);
}

GltfFile must_read(const std::string& bytes, const fs::path& path = "edited.glb") {
  auto file = read_gltf(bytes, path);
  EXPECT_TRUE(file.ok()) << file.error().message;
  return file.ok() ? *std::move(file) : GltfFile();
}

std::uint32_t word(const std::string& bytes, std::size_t at) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, 4);
  return value;
}
json edited_document(const std::string& glb) {
  return json::parse(glb.substr(20, word(glb, 12)));
}
std::string binary_of(const std::string& glb) {
  return glb.substr(28 + word(glb, 12));
}

void expect_close(const std::vector<Vec3>& a, const std::vector<Vec3>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_LT((a[i] - b[i]).norm(), tolerance) << i;
}

// The skinned triangle with all kinds of things that are not ours.
GltfMaker rich_file() {
  GltfMaker maker = skinned_file();
  maker.json["extensionsUsed"] = {"ACME_secret"};
  maker.json["extensions"]["ACME_secret"] = {{"accessor", 3}, {"deep", {{"er", {1, 2.5, "x"}}}}};
  maker.json["materials"] = {{{"name", "skin"}, {"extras", {{"a", 1}}}, {"alphaCutoff", 0.1}}};
  maker.json["cameras"] = {{{"type", "perspective"}, {"perspective", {{"yfov", 0.7}, {"znear", 0.1}}}}};
  maker.json["extras"] = {{"by", "someone"}};
  maker.json["nodes"][2]["extras"] = "tip";
  return maker;
}

TEST(GltfEdit, WithoutAnEditTheDocumentAndItsBytesAreTheSame) {
  const GltfMaker maker = rich_file();
  const std::string before = maker.glb(), after = edited(must_read(before));
  EXPECT_EQ(edited_document(after), edited_document(before));
  EXPECT_EQ(binary_of(after), binary_of(before));
}

TEST(GltfEdit, EndsOfBonesThatTheFileDidNotTellAreStoredAtTheirNodes) {
  GltfFile file = must_read(rich_file().glb());
  std::vector<Joint> joints(file.rig.skeleton.joints().begin(), file.rig.skeleton.joints().end());
  joints.back().tail = Vec3(0.25, 1.5, -2);
  file.rig.skeleton = *Skeleton::create(joints);
  GltfWriteOptions options;
  options.edit.skin = true;
  const std::string bytes = edited(file, options);
  const GltfFile again = must_read(bytes);
  for (std::size_t j = 0; j + 1 < joints.size(); ++j) EXPECT_FALSE(again.rig.skeleton[j].tail) << j;
  EXPECT_EQ(again.rig.skeleton.joints().back().tail, joints.back().tail);
  EXPECT_EQ(edited_document(bytes)["extensionsUsed"], (json{"ACME_secret", "SINEW_rig"}));
}

TEST(GltfEdit, EveryRiggedFileKeepsWhatIsNotOursAndItsPose) {
  SINEW_REQUIRE_DATA(data);
  for (const auto& entry : fs::recursive_directory_iterator(data / "rigged_gltf")) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".glb" && ending != ".gltf") continue;
    const auto asset = read_asset(entry.path());
    ASSERT_TRUE(asset.ok()) << asset.error().message;
    GltfWriteOptions as_stored;
    as_stored.keep_invalid = true;
    const auto bytes = write_gltf(asset->rig, asset->document.get(), as_stored);
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    const GltfFile again = must_read(*bytes);
    EXPECT_EQ(again.rig.mesh.positions, asset->rig.mesh.positions) << entry.path();
    EXPECT_EQ(again.rig.mesh.face_vertices, asset->rig.mesh.face_vertices) << entry.path();
    EXPECT_EQ(again.rig.weights.offsets, asset->rig.weights.offsets) << entry.path();
    EXPECT_EQ(again.rig.clips.size(), asset->rig.clips.size()) << entry.path();
    EXPECT_EQ(rest_positions(again.rig), rest_positions(asset->rig)) << entry.path();
    if (ending != ".glb") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    const std::string before((std::istreambuf_iterator<char>(stream)), {});
    EXPECT_EQ(edited_document(*bytes), edited_document(before)) << entry.path();
    EXPECT_EQ(binary_of(*bytes), binary_of(before)) << entry.path();
  }
}

TEST(GltfEdit, BuffersAndImagesBesideTheFileMoveIntoTheGlb) {
  const fs::path folder =
      fs::temp_directory_path() / ("sinew_edit_" + std::to_string(std::random_device()()));
  fs::create_directories(folder);
  GltfMaker maker = skinned_file();
  const std::string first = maker.binary.substr(0, 36), second = maker.binary.substr(36);
  const std::string image = "\x89PNG\r\n\x1a\nand so on";
  std::ofstream(folder / "a.bin", std::ios::binary) << first;
  std::ofstream(folder / "b.bin", std::ios::binary) << second;
  std::ofstream(folder / "c.png", std::ios::binary) << image;
  maker.json["buffers"] = {{{"byteLength", first.size()}, {"uri", "a.bin"}},
                           {{"byteLength", second.size()}, {"uri", "b.bin"}}};
  for (std::size_t v = 1; v < maker.json["bufferViews"].size(); ++v) {
    json& view = maker.json["bufferViews"][v];
    view["buffer"] = 1;
    view["byteOffset"] = view["byteOffset"].get<std::size_t>() - first.size();
  }
  maker.json["images"] = {{{"uri", "c.png"}, {"name", "skin"}}, {{"uri", "missing.png"}}};
  maker.json["textures"] = {{{"source", 0}}};
  const GltfFile file = must_read(maker.text(), folder / "x.gltf");
  const std::string bytes = edited(file);
  fs::remove_all(folder);
  const json document = edited_document(bytes);
  EXPECT_EQ(document["buffers"].size(), 1u);
  EXPECT_FALSE(document["buffers"][0].contains("uri"));
  EXPECT_EQ(document["images"][0]["mimeType"], "image/png");
  EXPECT_EQ(document["images"][0]["name"], "skin");
  EXPECT_EQ(document["images"][1]["uri"], "missing.png");
  EXPECT_EQ(document["textures"], maker.json["textures"]);
  const json& view = document["bufferViews"][document["images"][0]["bufferView"].get<std::size_t>()];
  EXPECT_EQ(binary_of(bytes).substr(view["byteOffset"], view["byteLength"]), image);
  EXPECT_EQ(rest_positions(must_read(bytes).rig), rest_positions(file.rig));
}

TEST(GltfEdit, NewWeightsOnTheSameJointsReuseTheirNodes) {
  const GltfFile file = must_read(skinned_file().glb());
  Rig rig = file.rig;
  rig.weights = {};
  for (int i = 0; i < 3; ++i) rig.weights.add_row(std::vector<Influence>{{0, 0.75}, {1, 0.25}});
  GltfWriteOptions options;
  options.edit.skin = true;
  const std::string bytes = edited(file, rig, options);
  const json document = edited_document(bytes);
  EXPECT_EQ(document["nodes"].size(), 3u);
  EXPECT_EQ(document["skins"].size(), 1u);
  EXPECT_EQ(document["accessors"].size(), 5u);  // the old weights are gone
  const GltfFile again = must_read(bytes);
  EXPECT_EQ(again.rig.weights.row(2)[0].weight, 0.75);
  expect_close(rest_positions(rig), rest_positions(again.rig), 1e-6);
}

TEST(GltfEdit, DataThatAnUnknownExtensionMightUseIsNotDropped) {
  const GltfFile file = must_read(rich_file().glb());
  GltfWriteOptions options;
  options.edit.skin = true;
  const json document = edited_document(edited(file, options));
  EXPECT_EQ(document["accessors"][3], rich_file().json["accessors"][3]);
  EXPECT_EQ(document["extensions"], rich_file().json["extensions"]);
}

TEST(GltfEdit, ANewSkeletonOnAnUnskinnedSceneGetsNodesAndASkinForEveryPlacement) {
  GltfMaker maker = test::triangle_file();
  maker.json["nodes"] = {{{"name", "group"}, {"children", {1, 2}}, {"scale", {2, 2, 2}}},
                         {{"mesh", 0}, {"name", "left"}, {"translation", {-3, 0, 0}}},
                         {{"mesh", 0}, {"name", "right"}, {"translation", {3, 0, 0}}}};
  maker.json["scenes"] = {{{"nodes", {0}}}};
  const GltfFile file = must_read(maker.glb());
  Rig rig = file.rig;
  Joint joint;
  joint.name = "only";
  joint.rest_local.translate(Vec3(0, 0, 1));
  rig.skeleton = *Skeleton::create({joint});
  rig.inverse_bind = {joint.rest_local.inverse()};
  rig.weights = {};
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    rig.weights.add_row(std::vector<Influence>{{0, 1.0}});
  for (MeshPart& part : rig.parts) part.skinned = true;
  GltfWriteOptions options;
  options.edit.skin = true;
  const std::string bytes = edited(file, rig, options);
  const json document = edited_document(bytes);
  EXPECT_EQ(document["skins"].size(), 2u);
  EXPECT_EQ(document["meshes"].size(), 2u);  // the copies have weights of their own
  EXPECT_FALSE(document["nodes"][0].contains("children"));
  EXPECT_EQ(document["scenes"][0]["nodes"], json({0, 3, 1, 2}));  // skinned nodes sit at the root
  const GltfFile again = must_read(bytes);
  expect_close(rest_positions(file.rig), rest_positions(again.rig), 1e-6);
  EXPECT_EQ(again.rig.skeleton[0].name, "only");
}

TEST(GltfEdit, SkinsOfTwoTreesStayApart) {
  GltfMaker maker = skinned_file();
  maker.json["skins"].push_back({{"joints", {3}}});
  maker.json["nodes"].push_back({{"name", "other root"}});
  maker.json["nodes"].push_back({{"mesh", 0}, {"skin", 1}});
  std::memset(maker.binary.data() + maker.json["bufferViews"][2]["byteOffset"].get<std::size_t>(), 0, 12);
  const GltfFile file = must_read(maker.glb());
  GltfWriteOptions options;
  options.edit.skin = true;
  const std::string bytes = edited(file, options);
  const json skins = edited_document(bytes)["skins"];
  ASSERT_EQ(skins.size(), 2u);
  EXPECT_EQ(skins[0]["joints"], json({1, 2}));
  EXPECT_EQ(skins[1]["joints"], json({3}));
  EXPECT_EQ(must_read(bytes).rig.skeleton.deforming_count(), 3u);
}

TEST(GltfEdit, APoseSetsOnlyTheNodesThatMoved) {
  GltfMaker maker = skinned_file();
  maker.json["nodes"][2]["extras"] = 7;
  const GltfFile file = must_read(maker.glb());
  Pose pose = rest_pose(file.rig.skeleton);
  rotate_joint(file.rig.skeleton, 1, {0, 0, 90}, pose);
  GltfWriteOptions options;
  options.edit.pose = true;
  options.posed = &pose;
  const std::string bytes = edited(file, options);
  const json document = edited_document(bytes), before = maker.json;
  EXPECT_EQ(document["nodes"][0], before["nodes"][0]);
  EXPECT_EQ(document["nodes"][1], before["nodes"][1]);
  EXPECT_NEAR(document["nodes"][2]["rotation"][2].get<double>(), std::sqrt(0.5), 1e-12);
  EXPECT_EQ(document["nodes"][2]["extras"], 7);
  expect_close(test::skinned_positions(file.rig, pose), rest_positions(must_read(bytes).rig), 1e-12);
}

TEST(GltfEdit, APoseWithShearIsAMatrixUnlessTheNodeIsAnimated) {
  GltfMaker maker = skinned_file();
  const GltfFile file = must_read(maker.glb());
  Pose pose = rest_pose(file.rig.skeleton);
  pose.local[1](0, 1) = 0.5;
  GltfWriteOptions options;
  options.edit.pose = true;
  options.posed = &pose;
  EXPECT_TRUE(edited_document(edited(file, options))["nodes"][2].contains("matrix"));
  const int input = maker.add_floats({0, 1}, "SCALAR", 1),
            output = maker.add_floats({0, 1, 0, 0, 1, 0}, "VEC3", 3);
  maker.json["animations"] = {
      {{"channels", {{{"sampler", 0}, {"target", {{"node", 2}, {"path", "translation"}}}}}},
       {"samplers", {{{"input", input}, {"output", output}}}}}};
  const GltfFile animated = must_read(maker.glb());
  EXPECT_FALSE(edited_document(edited(animated, options))["nodes"][2].contains("matrix"));
}

TEST(GltfEdit, AppliedPosesLeaveAMeshWithoutSkinAtTheRoot) {
  GltfMaker maker = skinned_file();
  maker.json["nodes"].push_back({{"name", "above"}, {"children", {0}}, {"translation", {9, 9, 9}}});
  maker.json["scenes"] = {{{"nodes", {1, 3}}}};
  const GltfFile file = must_read(maker.glb());
  Rig rig = file.rig;
  for (Vec3& p : rig.mesh.positions) p = p * 2 + Vec3(1, 0, 0);
  GltfWriteOptions options;
  options.without_skin = true;
  const std::string bytes = edited(file, rig, options);
  const GltfFile again = must_read(bytes);
  EXPECT_FALSE(edited_document(bytes).contains("skins"));
  EXPECT_EQ(again.rig.skeleton.deforming_count(), 0u);
  expect_close(rig.mesh.positions, rest_positions(again.rig), 1e-6);
  EXPECT_EQ(again.rig.mesh.face_vertices, rig.mesh.face_vertices);
}

TEST(GltfEdit, GeometryGoesBackToWhereItWasStored) {
  GltfMaker maker = test::triangle_file();
  maker.json["nodes"][0].update({{"scale", {-2, 2, 2}}, {"translation", {1, 0, 0}}});
  const GltfFile file = must_read(maker.glb());
  Rig rig = file.rig;
  for (Vec3& p : rig.mesh.positions) p += Vec3(0, 0, 4);
  GltfWriteOptions options;
  options.edit.geometry = true;
  const std::string bytes = edited(file, rig, options);
  const GltfFile again = must_read(bytes);
  expect_close(rest_positions(rig), rest_positions(again.rig), 1e-6);
  EXPECT_EQ(again.rig.mesh.face_vertices, rig.mesh.face_vertices);
  EXPECT_EQ(again.rig.mesh.positions[1], Vec3(-1, 0, 4));
}

TEST(GltfEdit, NamedAttributesComeNewOrReplaceTheOldOnesAndOthersStay) {
  GltfMaker maker = skinned_file();
  auto& attributes = maker.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["_STIFFNESS"] = maker.add_floats({1, 2, 3}, "SCALAR", 1);
  attributes["_OTHER"] = maker.add_floats({4, 5, 6}, "SCALAR", 1);
  const GltfFile file = must_read(maker.glb());
  Rig rig = file.rig;
  for (VertexAttribute& attribute : rig.attributes) attribute.values = {7, 8, 9};
  rig.attributes.push_back({"_NEW", {0.5f, 0.25f, 0}});
  rig.attributes.push_back({"_UNKNOWN_TO_THE_OPTIONS", {1, 1, 1}});
  rig.attributes.push_back({"_NOT_FINITE", {1, NAN, 1}});
  GltfWriteOptions options;
  options.attributes = {"_STIFFNESS", "_NEW", "_NOT_FINITE", "_MISSING"};
  const GltfFile again = must_read(edited(file, rig, options));
  ASSERT_TRUE(again.rig.attribute("_STIFFNESS") && again.rig.attribute("_OTHER") &&
              again.rig.attribute("_NEW"));
  EXPECT_EQ(again.rig.attribute("_STIFFNESS")->values, (std::vector<float>{7, 8, 9}));
  EXPECT_EQ(again.rig.attribute("_OTHER")->values, (std::vector<float>{4, 5, 6}));
  EXPECT_EQ(again.rig.attribute("_NEW")->values, (std::vector<float>{0.5f, 0.25f, 0}));
  EXPECT_EQ(again.rig.attributes.size(), 3u);
}

// Who edits something else would copy the stored bytes.
TEST(GltfEdit, PositionsNormalsAndKeysThatWereReadAsZeroAreWrittenAsZero) {
  GltfMaker maker = test::skinned_file();
  const int odd = maker.add_floats({0, INFINITY, 0, 1, 0, NAN, 0, 1e30f, 0}, "VEC3", 3);
  maker.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = odd;
  const GltfFile file = must_read(maker.glb());
  EXPECT_TRUE(test::has_warning(file, "3 coordinates that are not finite"));
  GltfWriteOptions skin;
  skin.edit.skin = true;
  for (const GltfWriteOptions& options : {GltfWriteOptions(), skin}) {
    const GltfFile again = must_read(edited(file, file.rig, options));
    EXPECT_TRUE(again.warnings.empty()) << again.warnings[0];
    EXPECT_EQ(again.rig.mesh.positions, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 0, 0}}));
  }
  maker = test::triangle_file();
  maker.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] =
      maker.add_floats({0, 0, 1, 0, INFINITY, 1, 1, 0, 0}, "VEC3", 3);
  const GltfFile again = must_read(edited(must_read(maker.glb())));
  EXPECT_TRUE(again.warnings.empty()) << again.warnings[0];
  EXPECT_EQ(again.rig.mesh.normals[1], Vec3f(0, 0, 1));
  EXPECT_EQ(again.rig.mesh.normals[2], Vec3f(1, 0, 0));
  maker = test::triangle_file();
  const int delta = maker.add_floats({0, 0, 1, 0, NAN, 0, 0, 2, 0}, "VEC3", 3);
  maker.json["meshes"][0]["primitives"][0]["targets"] = {{{"POSITION", delta}}};
  const GltfFile keyed = must_read(maker.glb()), rewritten = must_read(edited(keyed));
  EXPECT_TRUE(test::has_warning(keyed, "targets[0].POSITION holds 1 vectors that are not finite"));
  EXPECT_TRUE(rewritten.warnings.empty()) << rewritten.warnings[0];
  EXPECT_EQ(rewritten.rig.keys[0].deltas, (std::vector<Vec3f>{{0, 0, 1}, {0, 0, 0}, {0, 2, 0}}));
}

// A node that scales makes them larger than any file may hold.
TEST(GltfEdit, WhatIsTooLargeInBindSpaceIsReadAsZeroAndWritten) {
  GltfMaker maker = test::triangle_file();
  const int delta = maker.add_floats({0, 0, 1, 0, 1e14f, 0, 0, 2, 0}, "VEC3", 3);
  maker.json["meshes"][0]["primitives"][0]["targets"] = {{{"POSITION", delta}}};
  maker.json["nodes"][0]["scale"] = {1000, 1000, 1000};
  const GltfFile keyed = must_read(maker.glb());
  EXPECT_TRUE(
      test::has_warning(keyed, "targets[0].POSITION holds 1 vectors that are not finite or too large"));
  EXPECT_EQ(keyed.rig.keys[0].deltas, (std::vector<Vec3f>{{0, 0, 1000}, {0, 0, 0}, {0, 2000, 0}}));
  maker.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] =
      maker.add_floats({0, 0, 0, 1, 0, 0, 0, 1e14f, 0}, "VEC3", 3);
  const GltfFile both = must_read(maker.glb());
  EXPECT_TRUE(test::has_warning(both, "3 coordinates that are not finite or too large"));
  EXPECT_EQ(both.rig.mesh.positions, (std::vector<Vec3>{{0, 0, 0}, {1000, 0, 0}, {0, 0, 0}}));
  for (const GltfFile* file : {&keyed, &both}) {
    EXPECT_TRUE(write_gltf(file->rig, nullptr).ok());
    EXPECT_TRUE(write_gltf(file->rig, file->document.get()).ok());
  }
}

// Targets that are no list are none, also where the geometry is written anew.
TEST(GltfEdit, TargetsThatAreNoListAreLeftOut) {
  GltfMaker maker = test::triangle_file();
  maker.json["meshes"][0]["primitives"][0]["targets"] = 0;
  const GltfFile file = must_read(maker.glb());
  EXPECT_TRUE(file.rig.keys.empty());
  GltfWriteOptions geometry;
  geometry.edit.geometry = true;
  EXPECT_TRUE(must_read(edited(file, file.rig, geometry)).rig.keys.empty());
}

TEST(GltfEdit, WeightsThatAreNoNumbersAreNotCopiedUnlessAsked) {
  GltfMaker maker = test::skinned_file();
  maker.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] =
      maker.add_floats({1, NAN, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0}, "VEC4", 4);
  const GltfFile file = must_read(maker.glb());
  ASSERT_EQ(summarise(*file.document).invalid, 1u);
  GltfWriteOptions cages, kept;
  cages.edit.cages = true;
  kept.keep_invalid = true;
  for (const GltfWriteOptions& options : {GltfWriteOptions(), cages}) {
    const GltfFile again = must_read(edited(file, options));
    EXPECT_EQ(summarise(*again.document).invalid, 0u);
    EXPECT_EQ(again.rig.weights.offsets, file.rig.weights.offsets);
    expect_close(rest_positions(again.rig), rest_positions(file.rig), 1e-6);
  }
  EXPECT_EQ(summarise(*must_read(edited(file, kept)).document).invalid, 1u);
}

TEST(GltfEdit, WeightsThatDoNotSumToOneAreNotCopiedUnlessAsked) {
  GltfMaker maker = test::skinned_file();
  maker.json["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] =
      maker.add_floats({1, 0, 0, 0, 0.3f, 0.1f, 0, 0, 2, 2, 0, 0}, "VEC4", 4);
  const GltfFile file = must_read(maker.glb());
  ASSERT_EQ(summarise(*file.document).off_rows, (std::vector<std::uint32_t>{1, 2}));
  GltfWriteOptions kept;
  kept.keep_invalid = true;
  const GltfFile again = must_read(edited(file));
  EXPECT_TRUE(summarise(*again.document).off_rows.empty());
  EXPECT_TRUE(again.warnings.empty());
  ASSERT_EQ(again.rig.weights.offsets, file.rig.weights.offsets);
  for (std::size_t k = 0; k < file.rig.weights.entries.size(); ++k) {
    EXPECT_EQ(again.rig.weights.entries[k].joint, file.rig.weights.entries[k].joint);
    EXPECT_NEAR(again.rig.weights.entries[k].weight, file.rig.weights.entries[k].weight, 1e-6);
  }
  EXPECT_EQ(summarise(*must_read(edited(file, kept)).document).off_rows.size(), 2u);
}

TEST(GltfEdit, BottomRowsOfBindsThatAreNotAffineAreNotCopiedUnlessAsked) {
  for (const float corner : {INFINITY, NAN, 2.0f}) {
    GltfMaker maker = test::skinned_file();
    const GltfFile whole = must_read(maker.glb());
    json& skin = maker.json["skins"][0];
    std::vector<float> numbers;
    for (std::size_t j = 0; j < skin["joints"].size(); ++j) {
      const Eigen::Matrix4f bind = whole.rig.inverse_bind[j].matrix().cast<float>();
      numbers.insert(numbers.end(), bind.data(), bind.data() + 16);
    }
    numbers[15] = corner;
    skin["inverseBindMatrices"] = maker.add_floats(numbers, "MAT4", 16);
    const GltfFile file = must_read(maker.glb());
    ASSERT_FALSE(file.warnings.empty());
    GltfWriteOptions pose, kept;
    const Pose posed = rest_pose(file.rig.skeleton);
    pose.edit.pose = true;
    pose.posed = &posed;
    kept.keep_invalid = true;
    for (const GltfWriteOptions& options : {GltfWriteOptions(), pose}) {
      const GltfFile again = must_read(edited(file, options));
      EXPECT_TRUE(again.warnings.empty()) << again.warnings.front();
      expect_close(rest_positions(again.rig), rest_positions(file.rig), 1e-6);
    }
    EXPECT_FALSE(must_read(edited(file, kept)).warnings.empty());
  }
}

TEST(GltfEdit, KeysAndTheirChannelsAreReplacedTogether) {
  GltfMaker maker = test::triangle_file();
  const int delta = maker.add_floats({0, 0, 1, 0, 0, 0, 0, 0, 0}, "VEC3", 3);
  maker.json["meshes"][0]["primitives"][0]["targets"] = {{{"POSITION", delta}}};
  const int input = maker.add_floats({0, 1}, "SCALAR", 1), output = maker.add_floats({0, 1}, "SCALAR", 1);
  maker.json["animations"] = {
      {{"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}}}},
       {"samplers", {{{"input", input}, {"output", output}}}}}};
  const GltfFile file = must_read(maker.glb());
  Rig rig = file.rig;
  ShapeKey key;
  key.name = "fresh";
  key.default_weight = 0.5;
  key.deltas.assign(3, Vec3f(0, 1, 0));
  rig.keys.push_back(key);
  GltfWriteOptions options;
  options.edit.keys = true;
  const GltfFile again = must_read(edited(file, rig, options));
  ASSERT_EQ(again.rig.keys.size(), 2u);
  EXPECT_EQ(again.rig.keys[1].name, "fresh");
  EXPECT_EQ(again.rig.keys[1].default_weight, 0.5);
  ASSERT_EQ(again.rig.clips[0].channels.size(), 1u);
  EXPECT_EQ(again.rig.clips[0].channels[0].values, (std::vector<float>{0, 0.5f, 1, 0.5f}));
}

TEST(GltfEdit, NewClipsKeepChannelsOfNodesThatAreNotOurs) {
  GltfMaker maker = skinned_file();
  maker.json["cameras"] = {{{"type", "perspective"}, {"perspective", {{"yfov", 0.7}, {"znear", 0.1}}}}};
  maker.json["nodes"].push_back({{"camera", 0}});
  const int input = maker.add_floats({0, 1}, "SCALAR", 1),
            output = maker.add_floats({0, 1, 0, 0, 2, 0}, "VEC3", 3);
  maker.json["animations"] = {
      {{"name", "walk"},
       {"channels",
        {{{"sampler", 0}, {"target", {{"node", 2}, {"path", "translation"}}}},
         {{"sampler", 1}, {"target", {{"node", 3}, {"path", "translation"}}}}}},
       {"samplers", {{{"input", input}, {"output", output}}, {{"input", input}, {"output", output}}}}}};
  const GltfFile file = must_read(maker.glb());
  Rig rig = file.rig;
  rig.clips[0].channels[0].values = {0, 5, 0, 0, 6, 0};
  rig.clips.push_back({"second", rig.clips[0].channels});
  GltfWriteOptions options;
  options.edit.clips = true;
  const std::string bytes = edited(file, rig, options);
  const json animations = edited_document(bytes)["animations"];
  ASSERT_EQ(animations.size(), 2u);
  ASSERT_EQ(animations[0]["channels"].size(), 2u);
  EXPECT_EQ(animations[0]["channels"][1]["target"]["node"], 3);
  EXPECT_EQ(must_read(bytes).rig.clips[0].channels[0].values, rig.clips[0].channels[0].values);
}

TEST(GltfEdit, ARigThatNoLongerFitsTheDocumentIsRefused) {
  const GltfFile file = must_read(skinned_file().glb());
  Rig rig = file.rig;
  rig.parts.clear();
  GltfWriteOptions options;
  options.edit.geometry = true;
  const auto bytes = write_gltf(rig, file.document.get(), options);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace sinew
