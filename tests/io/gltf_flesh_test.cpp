// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

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

// Readers of version 2 know no partners: files without them stay theirs, with them they leave the flesh out.
TEST(GltfFlesh, IsOfTheOldVersionWithoutPartners) {
  GltfFile file = with_flesh();
  GltfWriteOptions options;
  options.binary = false;
  const auto version = [&] {
    const auto bytes = write_gltf(file.rig, nullptr, options);
    EXPECT_TRUE(bytes.ok());
    return nlohmann::json::parse(*bytes)["extensions"]["SINEW_rig"]["flesh"]["version"].get<int>();
  };
  EXPECT_EQ(version(), 3);
  file.rig.flesh.fields.pop_back();
  EXPECT_EQ(version(), 2);
  const auto again = read_gltf_alone(written(file, nullptr), "again.glb");
  ASSERT_TRUE(again.ok());
  expect_same(again->rig.flesh, file.rig.flesh);
}

TEST(GltfFlesh, ThatIsBrokenIsRefusedByItsPlace) {
  const auto refused = [](const auto& change, const char* words) {
    test::expect_refused(changed(change), words);
  };
  refused([](auto& flesh) { flesh["fields"][0]["modes"] = 3; }, "flesh.fields[0].drive");
  refused([](auto& flesh) { flesh["fields"][0]["modes"] = "all"; }, "flesh.fields[0].drive");
  refused([](auto& flesh) { flesh["fields"][0]["accessors"].erase("drive"); },
          "flesh.fields[0] has no accessor .drive");
  refused(
      [](auto& flesh) {
        auto& accessors = flesh["fields"][0]["accessors"];
        accessors["values"] = accessors["vertices"];
      },
      "does not fit its vertices and modes");
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
  refused([](auto& flesh) { flesh["accessors"]["swing"] = flesh["fields"][0]["accessors"]["vertices"]; },
          "differ in length");
}

}  // namespace
}  // namespace sinew
