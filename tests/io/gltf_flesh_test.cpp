// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "gltf_maker.h"
#include "sinew/io/gltf.h"

namespace sinew {
namespace {

// The skinned file of the tests as a rig with flesh.
GltfFile with_flesh() {
  auto file = test::skinned_file().read();
  EXPECT_TRUE(file.ok());
  Flesh& flesh = file->rig.flesh;
  flesh.range = {1.25, 0.75};
  flesh.tolerance = 1.15;
  const std::vector<int> parents = bone_parents(file->rig.skeleton);
  for (std::size_t i = 0; i < file->rig.mesh.vertex_count(); ++i) {
    std::vector<double> swing(parents.size(), 1.0), twist(parents.size(), 1.0);
    swing.back() = 0.25 * static_cast<double>(i);
    twist.back() = 0.5;
    flesh.weights.add_row(parents, swing, twist);
  }
  std::vector<float> mixes;
  for (std::size_t f = 0; f < 2 * kTurnFunctions; ++f) mixes.push_back(0.5f * static_cast<float>(f) - 3);
  flesh.fields.push_back({static_cast<std::uint32_t>(parents.size() - 1),
                          {0.75, 1.25},
                          mixes,
                          {0.5f, 0.25f},
                          {0, 2},
                          {0, 1},
                          {1, -2, 3, 127, -127, 0, 7, 8, 9, -1, -2, -3}});
  flesh.fields.push_back(flesh.fields[0]);
  flesh.fields.back().partner = FleshPartner{0, {1.5, 0.25}};
  return *std::move(file);
}

std::string written(const GltfFile& file, const GltfDocument* document) {
  GltfWriteOptions options;
  options.edit.skin = true;
  const auto bytes = write_gltf(file.rig, document, options);
  EXPECT_TRUE(bytes.ok()) << bytes.error().message;
  return *bytes;
}

void expect_same(const Flesh& a, const Flesh& b) {
  EXPECT_EQ(a.fields, b.fields);
  EXPECT_EQ(a.range, b.range);
  EXPECT_EQ(a.tolerance, b.tolerance);
  EXPECT_EQ(a.weights.base, b.weights.base);
  EXPECT_EQ(a.weights.offsets, b.weights.offsets);
  ASSERT_EQ(a.weights.entries.size(), b.weights.entries.size());
  for (std::size_t k = 0; k < a.weights.entries.size(); ++k) {
    EXPECT_EQ(a.weights.entries[k].joint, b.weights.entries[k].joint);
    EXPECT_NEAR(a.weights.entries[k].swing, b.weights.entries[k].swing, 1.0 / 65535);  // 16 bits
    EXPECT_NEAR(a.weights.entries[k].twist, b.weights.entries[k].twist, 1.0 / 65535);
  }
}

TEST(GltfFlesh, IsTheSameAfterWritingAndReading) {
  const GltfFile file = with_flesh();
  for (const GltfDocument* document : {file.document.get(), static_cast<const GltfDocument*>(nullptr)}) {
    const auto again = read_gltf_alone(written(file, document), "again.glb");
    ASSERT_TRUE(again.ok()) << again.error().message;
    expect_same(again->rig.flesh, file.rig.flesh);
    // And once more, when accessors are renumbered.
    const auto third = read_gltf_alone(written(*again, again->document.get()), "third.glb");
    ASSERT_TRUE(third.ok()) << third.error().message;
    expect_same(third->rig.flesh, file.rig.flesh);
  }
}

// A file whose flesh is changed by `change`.
template <class Change>
Result<GltfFile> changed(const Change& change) {
  GltfWriteOptions options;
  options.binary = false;
  const auto bytes = write_gltf(with_flesh().rig, nullptr, options);
  EXPECT_TRUE(bytes.ok());
  auto document = nlohmann::ordered_json::parse(*bytes);
  change(document["extensions"]["SINEW_rig"]["flesh"]);
  return read_gltf_alone(document.dump(), "made.gltf");
}

TEST(GltfFlesh, OfAnotherVersionIsLeftOutWithANote) {
  const auto file = changed([](auto& flesh) { flesh["version"] = 99; });
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->rig.flesh.empty());
  EXPECT_TRUE(test::has_warning(*file, "another version"));
}

int version_of(const GltfFile& file) {
  GltfWriteOptions options;
  options.binary = false;
  const auto bytes = write_gltf(file.rig, nullptr, options);
  EXPECT_TRUE(bytes.ok());
  return nlohmann::json::parse(*bytes)["extensions"]["SINEW_rig"]["flesh"]["version"].get<int>();
}

// Older readers leave out the version of coded fields; without fields they have all of the flesh.
TEST(GltfFlesh, IsOfTheOldVersionWithoutFields) {
  GltfFile file = with_flesh();
  EXPECT_EQ(version_of(file), 4);
  file.rig.flesh.fields.clear();
  EXPECT_EQ(version_of(file), 2);
  const auto again = read_gltf_alone(written(file, nullptr), "again.glb");
  ASSERT_TRUE(again.ok());
  expect_same(again->rig.flesh, file.rig.flesh);
}

// Appends numbers to a document as an accessor in a buffer of its own.
int add_list(nlohmann::ordered_json& document, const std::vector<std::uint16_t>& numbers) {
  static const char* const kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  const auto* bytes = reinterpret_cast<const unsigned char*>(numbers.data());
  const std::size_t size = 2 * numbers.size();
  for (std::size_t k = 0; k < size; k += 3) {
    const unsigned word =
        bytes[k] << 16 | (k + 1 < size ? bytes[k + 1] << 8 : 0) | (k + 2 < size ? bytes[k + 2] : 0);
    for (int c = 3; c >= 0; --c) text.push_back(kLetters[word >> (6 * c) & 63]);
  }
  if (size % 3 == 1) text.replace(text.size() - 2, 2, "==");
  if (size % 3 == 2) text.replace(text.size() - 1, 1, "=");
  document["buffers"].push_back(
      {{"uri", "data:application/octet-stream;base64," + text}, {"byteLength", size}});
  document["bufferViews"].push_back({{"buffer", document["buffers"].size() - 1}, {"byteLength", size}});
  document["accessors"].push_back({{"bufferView", document["bufferViews"].size() - 1},
                                   {"componentType", 5123},
                                   {"count", numbers.size()},
                                   {"type", "SCALAR"}});
  return static_cast<int>(document["accessors"].size()) - 1;
}

// Versions 2 and 3 have accessors of vertices, twists and values.
TEST(GltfFlesh, OfEarlierVersionsIsRead) {
  const GltfFile file = with_flesh();
  GltfWriteOptions options;
  options.binary = false;
  const auto bytes = write_gltf(file.rig, nullptr, options);
  ASSERT_TRUE(bytes.ok());
  auto document = nlohmann::ordered_json::parse(*bytes);
  auto& flesh = document["extensions"]["SINEW_rig"]["flesh"];
  flesh["version"] = 3;
  flesh.erase("bufferView");
  for (std::size_t f = 0; f < file.rig.flesh.fields.size(); ++f) {
    const FleshField& field = file.rig.flesh.fields[f];
    std::vector<std::uint16_t> vertices(field.vertices.begin(), field.vertices.end()), twist, values;
    for (const float share : field.twist)
      twist.push_back(static_cast<std::uint16_t>(std::lround(share * 65535)));
    for (const std::int8_t value : field.values) values.push_back(static_cast<std::uint16_t>(value + 128));
    auto& accessors = flesh["fields"][f]["accessors"];
    accessors["vertices"] = add_list(document, vertices);
    accessors["twist"] = add_list(document, twist);
    accessors["values"] = add_list(document, values);
  }
  const auto again = read_gltf_alone(document.dump(), "made.gltf");
  ASSERT_TRUE(again.ok()) << again.error().message;
  expect_same(again->rig.flesh, file.rig.flesh);
  flesh["fields"][0]["accessors"]["values"] = flesh["fields"][0]["accessors"]["vertices"];
  test::expect_refused(read_gltf_alone(document.dump(), "made.gltf"), "does not fit its vertices and modes");
}

TEST(GltfFlesh, ThatIsBrokenIsRefusedByItsPlace) {
  const auto refused = [](const auto& change, const char* words) {
    test::expect_refused(changed(change), words);
  };
  refused([](auto& flesh) { flesh["fields"][0]["modes"] = 3; }, "flesh.fields[0].drive");
  refused([](auto& flesh) { flesh["fields"][0]["modes"] = "all"; }, "flesh.fields[0].drive");
  refused([](auto& flesh) { flesh["fields"][0]["accessors"].erase("drive"); },
          "flesh.fields[0] has no accessor .drive");
  refused([](auto& flesh) { flesh.erase("bufferView"); }, "flesh has no .bufferView");
  refused([](auto& flesh) { flesh["bufferView"] = 9999; }, "SINEW_rig.flesh");
  refused([](auto& flesh) { flesh["bufferView"] = 0; }, "flesh.bufferView");
  refused([](auto& flesh) { flesh["fields"][0].erase("node"); }, "flesh.fields[0] has no node");
  const auto partner = [](auto value) {
    return [value](auto& flesh) { flesh["fields"][1]["partner"]["node"] = value; };
  };
  refused(partner(999), "flesh.fields[1]");
  refused(partner(-1), "flesh.fields[1]");
  refused([](auto& flesh) { flesh["fields"][1]["partner"]["node"] = flesh["fields"][1]["node"]; },
          "flesh.fields[1].partner is the joint of the field itself");
  refused([](auto& flesh) { flesh["fields"][1]["partner"].erase("node"); },
          "flesh.fields[1].partner has no node");
  refused([](auto& flesh) { flesh["fields"][1]["partner"] = 3; }, "flesh.fields[1].partner is not an object");
  refused([](auto& flesh) { flesh["accessors"].erase("swing"); }, "flesh has no accessor .swing");
  refused([](auto& flesh) { flesh["accessors"]["swing"] = flesh["fields"][0]["accessors"]["drive"]; },
          "differ in length");
}

}  // namespace
}  // namespace sinew
