// SPDX-License-Identifier: Apache-2.0
// Vertices with far more influences than a renderer reads: sound rows, and no work that grows with the
// square.
#include <gtest/gtest.h>

#include <ctime>
#include <numeric>

#include "gltf_maker.h"
#include "support/sanitized.h"

namespace sinew {
namespace {

nlohmann::json& attributes_of(test::GltfMaker& maker) {
  return maker.json["meshes"][0]["primitives"][0]["attributes"];
}

// An accessor over the view of another one, further on by `offset` bytes.
int shifted(test::GltfMaker& maker, int accessor, std::size_t offset, std::size_t count) {
  nlohmann::json copy = maker.json["accessors"][static_cast<std::size_t>(accessor)];
  copy["byteOffset"] = offset;
  copy["count"] = count;
  maker.json["accessors"].push_back(copy);
  return static_cast<int>(maker.json["accessors"].size() - 1);
}

// Slot c of set s gives vertex i to joint 4 (s + i) + c, with a weight that rises with the joint. All sets
// look through windows of the same few bytes, so the file is far smaller than its rows.
test::GltfMaker windows_file(std::size_t sets, std::size_t vertices) {
  const std::size_t slots = 4 * (sets + vertices);
  std::vector<std::uint16_t> joints(slots);
  std::iota(joints.begin(), joints.end(), std::uint16_t{0});
  std::vector<float> weights(slots);
  for (std::size_t k = 0; k < slots; ++k) weights[k] = static_cast<float>(k + 1) / static_cast<float>(slots);
  test::GltfMaker maker = test::triangle_file();
  auto& attributes = attributes_of(maker);
  attributes["POSITION"] = maker.add_floats(std::vector<float>(3 * vertices, 1.0f), "VEC3", 3);
  const int all_joints = maker.add(joints, 5123, "VEC4", slots / 4);
  const int all_weights = maker.add_floats(weights, "VEC4", 4);
  for (std::size_t s = 0; s < sets; ++s) {
    const std::string number = std::to_string(s);
    const int j = shifted(maker, all_joints, 8 * s, vertices),
              w = shifted(maker, all_weights, 16 * s, vertices);
    for (const char* name : {"JOINTS_", "_SINEW_JOINTS_"}) attributes[name + number] = j;
    for (const char* name :
         {"WEIGHTS_", "_SINEW_ENDPOINT_", "_SINEW_SHARE_", "_SINEW_SWING_", "_SINEW_TWIST_"})
      attributes[name + number] = w;
  }
  std::vector<int> nodes(slots);
  std::iota(nodes.begin(), nodes.end(), 1);
  maker.json["nodes"] = {{{"mesh", 0}, {"skin", 0}},
                         {{"children", std::vector<int>(nodes.begin() + 1, nodes.end())}}};
  for (std::size_t k = 1; k < slots; ++k) maker.json["nodes"].push_back(nlohmann::json::object());
  maker.json["skins"] = {{{"joints", nodes}}};
  return maker;
}

TEST(GltfLongRows, TenThousandInfluencesAVertexAreReadInTheirOrderAndSoon) {
  const std::size_t sets = 2500, vertices = 60, slots = 4 * (sets + vertices);
  const std::string bytes = windows_file(sets, vertices).glb();
  const std::clock_t start = std::clock();
  const auto file = read_gltf(bytes, "made.glb");
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_LT(seconds, 6 * test::kSlower);  // comparing all pairs of a row takes longer
  const Rig& rig = file->rig;
  for (std::size_t i = 0; i < vertices; ++i) {
    const auto row = rig.weights.row(i);
    const auto joint_row = rig.joint_weights.row(i);
    ASSERT_EQ(row.size(), 4 * sets);
    ASSERT_EQ(joint_row.size(), 4 * sets);
    const double low = static_cast<double>(4 * i + 1), high = static_cast<double>(4 * (i + sets));
    const double sum = (low + high) * static_cast<double>(4 * sets) / 2;  // of the numbers low ... high
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double number = high - static_cast<double>(k);
      EXPECT_NEAR(row[k].weight, number / sum, 1e-9);
      EXPECT_EQ(rig.endpoint.values[rig.weights.offsets[i] + k],
                static_cast<float>(number) / static_cast<float>(slots));
      EXPECT_EQ(joint_row[k].joint, row[k].joint);
      EXPECT_NEAR(joint_row[k].deformer_weight, number / sum, 1e-7);
    }
  }
}

TEST(GltfLongRows, EntriesOfOneJointAreAddedUpHoweverLongTheRow) {
  for (const std::size_t sets : {2u, 8u, 9u, 40u}) {
    test::GltfMaker maker = test::skinned_file();
    auto& attributes = attributes_of(maker);
    const int joints = maker.add<std::uint8_t>({0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 0}, 5121, "VEC4", 3);
    const int weights = maker.add_floats({1, 2, 3, 10, 4, 1, 2, 1, 1, 1, 1, 1}, "VEC4", 4);
    for (std::size_t s = 0; s < sets; ++s) {
      const auto value = static_cast<float>(s + 1) / 64;
      attributes["JOINTS_" + std::to_string(s)] = joints;
      attributes["WEIGHTS_" + std::to_string(s)] = weights;
      attributes["_SINEW_ENDPOINT_" + std::to_string(s)] =
          maker.add_floats(std::vector<float>(12, value), "VEC4", 4);
    }
    const auto file = maker.read();
    ASSERT_TRUE(file.ok()) << file.error().message;
    const double expected[3][2] = {{12.0 / 16, 4.0 / 16}, {6.0 / 8, 2.0 / 8}, {3.0 / 4, 1.0 / 4}};
    const std::uint32_t largest[3] = {1, 0, 1};
    for (std::size_t i = 0; i < 3; ++i) {
      const auto row = file->rig.weights.row(i);
      ASSERT_EQ(row.size(), 2u);
      EXPECT_EQ(row[0].joint, largest[i]);
      EXPECT_EQ(row[1].joint, 1 - largest[i]);
      for (std::size_t k = 0; k < 2; ++k) EXPECT_DOUBLE_EQ(row[k].weight, expected[i][k]);
    }
    for (const float value : file->rig.endpoint.values)  // the last slot counts
      EXPECT_EQ(value, static_cast<float>(sets) / 64);
  }
}

TEST(GltfLongRows, ASetWithoutEndpointsLeavesThoseOfOthersAlone) {
  test::GltfMaker maker = test::skinned_file();
  auto& attributes = attributes_of(maker);
  attributes["_SINEW_ENDPOINT_0"] = maker.add_floats(std::vector<float>(12, 0.5f), "VEC4", 4);
  attributes["JOINTS_1"] = attributes["JOINTS_0"];
  attributes["WEIGHTS_1"] = attributes["WEIGHTS_0"];
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  for (const float value : file->rig.endpoint.values) EXPECT_EQ(value, 0.5f);
}

}  // namespace
}  // namespace sinew
