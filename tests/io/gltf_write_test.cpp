// SPDX-License-Identifier: Apache-2.0
// Files made from rigs that came from no glTF file: what is written is read back by the strict reader.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "gltf_maker.h"
#include "support/shapes.h"

namespace sinew {
namespace {

using nlohmann::json;

// A rig over any mesh: a crooked chain of joints, random rows, keys, a clip and tails.
Rig random_rig(PolyMesh mesh, std::uint32_t seed, std::size_t influences) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto vector = [&] { return Vec3(unit(random), unit(random), unit(random)); };
  Rig rig;
  rig.mesh = std::move(mesh);
  MeshPart part;
  part.name = "body";
  part.skinned = true;
  part.vertex_count = rig.mesh.vertex_count();
  part.face_count = rig.mesh.face_count();
  rig.parts = {part};
  std::vector<Joint> joints(7);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints[j].name = "bone " + std::to_string(j);
    joints[j].parent = j == 0 ? -1 : static_cast<int>(random() % j);
    joints[j].rest_local.translate(vector()).rotate(
        Eigen::AngleAxisd(3 * unit(random), vector().normalized()));
    if (j % 2) joints[j].rest_local.scale(1 + 0.3 * unit(random));
    if (j % 3 == 0) joints[j].tail = vector();
  }
  joints.back().deforms = false;
  rig.skeleton = *Skeleton::create(joints);
  for (const Affine3& global : global_transforms(rig.skeleton, rest_pose(rig.skeleton).local))
    rig.inverse_bind.push_back(global.inverse());
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    std::vector<Influence> row(1 + random() % influences);
    double sum = 0;
    for (Influence& one : row)
      sum += (one = {static_cast<std::uint32_t>(random() % 6), 0.1 + std::abs(unit(random))}).weight;
    for (Influence& one : row) one.weight /= sum;
    rig.weights.add_row(row);
  }
  for (const char* name : {"smile", "frown"}) {
    ShapeKey key;
    key.name = name;
    key.default_weight = 0.5 * unit(random);
    for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) key.deltas.push_back(vector().cast<float>());
    rig.keys.push_back(std::move(key));
  }
  Channel turn{2, ChannelPath::kRotation, Interpolation::kLinear, 4, {0, 1}, {0, 0, 0, 1, 1, 0, 0, 0}};
  Channel move{1,      ChannelPath::kTranslation,   Interpolation::kCubicSpline, 3,
               {0, 1}, std::vector<float>(18, 0.5f)};
  Channel weigh{0, ChannelPath::kKeyWeights, Interpolation::kStep, 2, {0, 2}, {0, 1, 1, 0}};
  rig.clips.push_back({"wave", {turn, move, weigh}});
  return rig;
}

GltfFile read_back(const std::string& bytes) {
  auto file = read_gltf(bytes, "written.glb");
  EXPECT_TRUE(file.ok()) << file.error().message;
  return file.ok() ? *std::move(file) : GltfFile();
}

GltfFile written(const Rig& rig, const GltfWriteOptions& options = {}) {
  const auto bytes = write_gltf(rig, nullptr, options);
  EXPECT_TRUE(bytes.ok()) << bytes.error().message;
  return bytes.ok() ? read_back(*bytes) : GltfFile();
}

json document_of(const std::string& glb) {
  std::uint32_t length = 0;
  std::memcpy(&length, glb.data() + 12, 4);
  return json::parse(glb.substr(20, length));
}

void expect_near(const std::vector<Vec3>& a, const std::vector<Vec3>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_LT((a[i] - b[i]).norm(), tolerance) << i;
}

TEST(GltfWrite, RigsOnEveryShapeComeBackWithTheirPolygonsAndPoses) {
  std::uint32_t seed = 0;
  for (const test::NamedShape& shape : test::all_shapes()) {
    const Rig rig = random_rig(shape.mesh, ++seed, 4);
    const GltfFile file = written(rig);
    ASSERT_TRUE(file.warnings.empty()) << shape.name << ": " << file.warnings[0];
    EXPECT_EQ(file.rig.mesh.face_vertices, rig.mesh.face_vertices) << shape.name;
    EXPECT_EQ(file.rig.mesh.face_count(), rig.mesh.face_count()) << shape.name;
    EXPECT_EQ(file.rig.skeleton.deforming_count(), rig.skeleton.deforming_count()) << shape.name;
    Pose pose = rest_pose(rig.skeleton), back = rest_pose(file.rig.skeleton);
    pose.key_weights = key_weights_of(rig, {});
    back.key_weights = key_weights_of(file.rig, {});
    for (const double time : {0.0, 0.3, 5.0}) {
      sample_clip(rig.clips[0], rig.skeleton, time, pose);
      sample_clip(file.rig.clips[0], file.rig.skeleton, time, back);
      const auto wanted = test::skinned_positions(rig, pose);
      const double size = std::max(1.0, bounding_box(wanted).diagonal().norm());
      expect_near(wanted, test::skinned_positions(file.rig, back), 2e-6 * size);
    }
  }
}

TEST(GltfWrite, NamesTailsKeysAndDefaultsComeBack) {
  const Rig rig = random_rig(test::box(Vec3(0, 0, 0), Vec3(1, 1, 1), 2), 5, 3);
  const GltfFile file = written(rig);
  for (std::size_t j = 0; j < rig.skeleton.deforming_count(); ++j) {
    EXPECT_EQ(file.rig.skeleton[j].name, rig.skeleton[j].name);
    EXPECT_EQ(file.rig.skeleton[j].tail.value_or(Vec3::Zero()), rig.skeleton[j].tail.value_or(Vec3::Zero()));
  }
  ASSERT_EQ(file.rig.keys.size(), 2u);
  EXPECT_EQ(file.rig.keys[1].name, "frown");
  EXPECT_EQ(file.rig.keys[1].default_weight, rig.keys[1].default_weight);
  EXPECT_EQ(file.rig.keys[1].deltas, rig.keys[1].deltas);
  EXPECT_EQ(file.rig.clips[0].name, "wave");
}

TEST(GltfWrite, FloatsOfEveryRowSumToOneAfterPruning) {
  const Rig rig = random_rig(test::uv_sphere(Vec3::Zero(), 1), 9, 12);
  for (const int influences : {1, 3, 4, 8, 64}) {
    GltfWriteOptions options;
    options.influences = influences;
    const GltfFile file = written(rig, options);
    const SkinWeights& weights = file.rig.weights;
    for (std::size_t i = 0; i < weights.vertex_count(); ++i) {
      ASSERT_LE(weights.row(i).size(), static_cast<std::size_t>(influences));
      ASSERT_EQ(weights.row(i)[0].joint, rig.weights.row(i)[0].joint);
    }
    EXPECT_LT(summarise(*file.document).max_row_error, 1e-6);
    EXPECT_FALSE(test::has_warning(file, "normalised"));
  }
}

TEST(GltfWrite, ASkinHasManyJointsOrTwo) {
  PolyMesh mesh = test::box(Vec3(0, 0, 0), Vec3(1, 1, 1));
  for (const std::size_t count : {2u, 256u, 257u, 700u}) {
    Rig rig;
    rig.mesh = mesh;
    std::vector<Joint> joints(count);
    for (std::size_t j = 0; j < count; ++j) joints[j].name = "j" + std::to_string(j);
    rig.skeleton = *Skeleton::create(joints);
    rig.inverse_bind.assign(count, Affine3::Identity());
    for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
      rig.weights.add_row(std::vector<Influence>{{static_cast<std::uint32_t>(count - 1), 1.0}});
    const GltfFile file = written(rig);
    EXPECT_EQ(file.rig.weights.row(0)[0].joint, count - 1);
    EXPECT_EQ(file.rig.skeleton.deforming_count(), count);
    // The joints of a skin have a common root.
    for (std::size_t j = 0; j < count; ++j) EXPECT_GE(file.rig.skeleton[j].parent, static_cast<int>(count));
  }
}

TEST(GltfWrite, TheSkinnedNodeSitsAtTheSceneRoot) {
  const auto bytes = write_gltf(random_rig(test::torus(2, 1), 2, 2), nullptr);
  const json document = document_of(*bytes);
  std::size_t skinned = 0;
  for (const json& root : document["scenes"][0]["nodes"])
    skinned += document["nodes"][root.get<std::size_t>()].contains("skin");
  EXPECT_EQ(skinned, 1u);
  EXPECT_EQ(document["extensionsUsed"], json({"SINEW_rig"}));
  EXPECT_FALSE(document.contains("extensionsRequired"));
}

TEST(GltfWrite, AMeshWithoutASkeletonIsAPlainMesh) {
  for (const test::NamedShape& shape : test::all_shapes()) {
    Rig rig;
    rig.mesh = shape.mesh;
    const GltfFile file = written(rig);
    EXPECT_EQ(file.rig.mesh.face_vertices, shape.mesh.face_vertices) << shape.name;
    EXPECT_EQ(file.rig.skeleton.deforming_count(), 0u);
    EXPECT_EQ(file.rig.mesh.normals.size(), shape.mesh.face_count() > 0 ? shape.mesh.vertex_count() : 0)
        << shape.name;
  }
}

TEST(GltfWrite, SeamsShareTheirNormals) {
  PolyMesh mesh;  // a roof: both slopes have vertices of their own at the ridge
  mesh.positions = {{0, 0, 0}, {1, 0, 1}, {1, 1, 1}, {0, 1, 0}, {1, 0, 1}, {2, 0, 0}, {2, 1, 0}, {1, 1, 1}};
  mesh.texcoords.assign(8, Vec2f::Zero());
  mesh.add_face({0, 1, 2, 3});
  mesh.add_face({4, 5, 6, 7});
  Rig rig;
  rig.mesh = mesh;
  const GltfFile file = written(rig);
  EXPECT_LT((file.rig.mesh.normals[1] - Vec3f(0, 0, 1)).norm(), 1e-6f);
  EXPECT_EQ(file.rig.mesh.normals[1], file.rig.mesh.normals[4]);
}

TEST(GltfWrite, WhatTheReaderWouldRefuseIsNotWritten) {
  for (const double far : {1e10, 1e16, 1e30}) {
    Rig rig = random_rig(test::capsule(Vec3(0, 0, 0), Vec3(0, 0, 2), 0.5), 8, 4);
    std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
    joints[0].rest_local.translation() = Vec3(far, 0, 0);
    rig.skeleton = *Skeleton::create(joints);
    const auto bytes = write_gltf(rig, nullptr);
    if (bytes.ok()) {
      EXPECT_TRUE(read_gltf_alone(*bytes, "a").ok()) << far;
      EXPECT_LT(far, 1e16);
    } else {
      EXPECT_EQ(bytes.error().code, ErrorCode::kImpossible);
      EXPECT_NE(bytes.error().message.find("nodes["), std::string::npos) << bytes.error().message;
    }
  }
}

TEST(GltfWrite, WhatRoundsToNothingHoldsNoJoint) {
  Rig rig = random_rig(test::capsule(Vec3(0, 0, 0), Vec3(0, 0, 2), 0.5), 8, 4);
  SkinWeights weights;
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    weights.add_row(std::vector<Influence>{{1, 1 - 1e-3}, {2, 1e-3 - 1e-60}, {3, 1e-60}});
  rig.weights = weights;
  for (const int bits : {0, 8, 16}) {
    GltfWriteOptions options;
    options.weight_bits = bits;
    const GltfFile file = written(rig, options);
    for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
      ASSERT_EQ(file.rig.weights.row(i).size(), bits == 8 ? 1u : 2u) << bits;
    const auto bytes = write_gltf(rig, nullptr, options);
    ASSERT_TRUE(bytes.ok());
    const json document = document_of(*bytes);
    const auto& accessor =
        document["accessors"]
                [document["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"].get<std::size_t>()];
    const auto& view = document["bufferViews"][accessor["bufferView"].get<std::size_t>()];
    const std::size_t start = bytes->size() - document["buffers"][0]["byteLength"].get<std::size_t>() +
                              view.value("byteOffset", std::size_t{0});
    for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
      for (std::size_t k = bits == 8 ? 1 : 2; k < 4; ++k) ASSERT_EQ((*bytes)[start + 4 * i + k], 0) << bits;
  }
}

TEST(GltfWrite, ASkeletonAloneAndAMotionComeBack) {
  Rig rig = random_rig({}, 4, 2);
  rig.keys.clear();
  rig.clips[0].channels.pop_back();
  rig.parts.clear();
  const GltfFile file = written(rig);
  EXPECT_EQ(file.rig.skeleton.deforming_count(), 6u);
  EXPECT_EQ(file.rig.clips.size(), 1u);
  const auto wanted = bind_transforms(rig), got = bind_transforms(file.rig);
  for (std::size_t j = 0; j < 6; ++j) EXPECT_LT((wanted[j].matrix() - got[j].matrix()).norm(), 1e-5);
}

TEST(GltfWrite, WithoutSkinHoldsTheMeshAlone) {
  const Rig rig = random_rig(test::capsule(Vec3(0, 0, 0), Vec3(0, 0, 2), 0.5), 8, 4);
  GltfWriteOptions options;
  options.without_skin = true;
  const GltfFile file = written(rig, options);
  EXPECT_EQ(file.rig.skeleton.deforming_count(), 0u);
  EXPECT_TRUE(file.rig.keys.empty());
  EXPECT_TRUE(file.rig.clips.empty());
  expect_near(rig.mesh.positions, test::rest_positions(file.rig), 1e-6);
}

TEST(GltfWrite, BakedFramesPlayBackAtTheirTimes) {
  const Rig rig = random_rig(test::box(Vec3(0, 0, 0), Vec3(1, 1, 1), 3), 8, 4);
  BakedFrames frames;
  frames.fps = 10;
  for (int k = 0; k < 5; ++k) {
    frames.positions.emplace_back();
    for (const Vec3& p : rig.mesh.positions) frames.positions.back().push_back((p * (1 + k)).cast<float>());
  }
  GltfWriteOptions options;
  options.baked = &frames;
  const GltfFile file = written(rig, options);
  ASSERT_EQ(file.rig.keys.size(), 5u);
  ASSERT_EQ(file.rig.clips.size(), 1u);
  EXPECT_NEAR(file.rig.clips[0].duration(), 0.4, 1e-6);
  for (const double time : {0.0, 0.1, 0.25, 0.4}) {
    Pose pose = rest_pose(file.rig.skeleton);
    pose.key_weights = key_weights_of(file.rig, {});
    sample_clip(file.rig.clips[0], file.rig.skeleton, time, pose);
    const auto got = test::skinned_positions(file.rig, pose);
    for (std::size_t i = 0; i < got.size(); ++i)
      ASSERT_LT((got[i] - rig.mesh.positions[i] * (1 + 10 * time)).norm(), 1e-5) << time;
  }
}

TEST(GltfWrite, APoseIsWrittenIntoTheJoints) {
  const Rig rig = random_rig(test::box(Vec3(0, 0, 0), Vec3(1, 1, 1), 2), 12, 4);
  Pose pose = rest_pose(rig.skeleton);
  rotate_joint(rig.skeleton, 1, {30, 40, 50}, pose);
  pose.key_weights = {0.25, 0.75};
  GltfWriteOptions options;
  options.edit.pose = true;
  options.posed = &pose;
  const GltfFile file = written(rig, options);
  expect_near(test::skinned_positions(rig, pose), test::rest_positions(file.rig), 1e-5);
}

TEST(GltfWrite, TextAndBinaryHoldTheSame) {
  const Rig rig = random_rig(test::open_cup(1, 2), 3, 4);
  GltfWriteOptions text;
  text.binary = false;
  const auto bytes = write_gltf(rig, nullptr, text);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(bytes->front(), '{');
  const GltfFile a = read_back(*bytes), b = written(rig);
  EXPECT_EQ(a.rig.mesh.positions, b.rig.mesh.positions);
  EXPECT_EQ(a.rig.weights.offsets, b.rig.weights.offsets);
}

TEST(GltfWrite, CallsThatCannotBeMeantAreRefused) {
  const Rig rig = random_rig(test::one_triangle(), 3, 4);
  const auto refused = [&](const GltfWriteOptions& options) {
    const auto bytes = write_gltf(rig, nullptr, options);
    return !bytes.ok() && bytes.error().code == ErrorCode::kUsage;
  };
  GltfWriteOptions options;
  options.influences = 0;
  EXPECT_TRUE(refused(options));
  BakedFrames frames;
  options = {};
  options.baked = &frames;
  EXPECT_TRUE(refused(options));
  frames.positions = {std::vector<Vec3f>(2)};
  EXPECT_TRUE(refused(options));
  frames.positions = {std::vector<Vec3f>(3)};
  frames.normals.resize(2, std::vector<Vec3f>(3));
  EXPECT_TRUE(refused(options));
  Pose pose;
  options = {};
  options.edit.pose = true;
  options.posed = &pose;
  EXPECT_TRUE(refused(options));
}

TEST(GltfWrite, WholeWeightsSumToTheLargestNumberExactly) {
  auto file = test::skinned_file().read();
  ASSERT_TRUE(file.ok());
  Rig& rig = file->rig;
  const std::size_t vertices = rig.mesh.vertex_count();
  rig.weights = {};
  for (std::size_t i = 0; i < vertices; ++i) {
    const double w = 1.0 / (3.0 + static_cast<double>(i));
    rig.weights.add_row(std::vector<Influence>{{0, w}, {1, 1 - w}});
  }
  for (const int bits : {8, 16}) {
    GltfWriteOptions options;
    options.edit.skin = true;
    options.weight_bits = bits;
    const double whole = bits == 8 ? 255 : 65535;
    for (const GltfDocument* document : {static_cast<const GltfDocument*>(nullptr), &*file->document}) {
      const auto bytes = write_gltf(rig, document, options);
      ASSERT_TRUE(bytes.ok()) << bytes.error().message;
      const auto again = read_gltf(*bytes, "again.glb");
      ASSERT_TRUE(again.ok()) << again.error().message;
      for (std::size_t i = 0; i < vertices; ++i) {
        double sum = 0;
        for (const Influence& one : again->rig.weights.row(i)) {
          const double number = one.weight * whole;
          EXPECT_NEAR(number, std::round(number), 1e-3);  // a whole number, as it was stored
          sum += one.weight;
        }
        EXPECT_NEAR(sum, 1, 1e-9);
        EXPECT_NEAR(again->rig.weights.row(i)[0].weight, rig.weights.row(i)[0].weight, 1.01 / whole);
      }
      EXPECT_NE(bytes->find("\"normalized\":true"), std::string::npos);
    }
  }
}

TEST(GltfWrite, WholeWeightsOfManyInfluencesSumOverAllSets) {
  Rig rig;
  rig.mesh = test::box(Vec3(0, 0, 0), Vec3(1, 1, 1));
  std::vector<Joint> joints(7);
  for (std::size_t j = 0; j < joints.size(); ++j) {
    joints[j].name = "j" + std::to_string(j);
    joints[j].parent = static_cast<int>(j) - 1;
  }
  auto skeleton = Skeleton::create(std::move(joints));
  ASSERT_TRUE(skeleton.ok());
  rig.skeleton = *skeleton;
  rig.inverse_bind.assign(7, Affine3::Identity());
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    std::vector<Influence> row;
    for (std::uint32_t j = 0; j < 7; ++j) row.push_back({j, 1.0 / 7});
    rig.weights.add_row(row);
  }
  rig.parts.push_back(
      {"box", 0, rig.mesh.vertex_count(), 0, rig.mesh.face_count(), true, Affine3::Identity()});
  GltfWriteOptions options;
  options.influences = 8;
  options.weight_bits = 8;
  const auto bytes = write_gltf(rig, nullptr, options);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const auto again = read_gltf(*bytes, "again.glb");
  ASSERT_TRUE(again.ok()) << again.error().message;
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) {
    ASSERT_EQ(again->rig.weights.row(i).size(), 7u);
    double sum = 0;
    for (const Influence& one : again->rig.weights.row(i)) {
      EXPECT_NEAR(one.weight * 255, std::round(one.weight * 255), 1e-4);
      sum += one.weight;
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(GltfWrite, CoordinatesThatTheReaderWouldNotTakeAreRefused) {
  for (const double large : {1e16, 1e39, 1e308, -1e308}) {
    Rig rig = random_rig(test::box(Vec3(0, 0, 0), Vec3(1, 1, 1)), 4, 2);
    rig.mesh.positions[3].y() = large;
    const auto bytes = write_gltf(rig, nullptr);
    ASSERT_FALSE(bytes.ok()) << large;
    EXPECT_EQ(bytes.error().code, ErrorCode::kImpossible);
    EXPECT_NE(bytes.error().message.find("beyond 1e15"), std::string::npos) << bytes.error().message;
  }
}

}  // namespace
}  // namespace sinew
