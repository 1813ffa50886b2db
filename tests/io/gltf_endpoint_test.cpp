// SPDX-License-Identifier: Apache-2.0
// Endpoint weights in the file: attributes _SINEW_ENDPOINT_n beside WEIGHTS_n, what made them in SINEW_rig.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "gltf_maker.h"

namespace sinew {
namespace {

// skinned_file() with endpoint weights as given, four a vertex.
test::GltfMaker with_endpoints(const std::vector<float>& values) {
  test::GltfMaker maker = test::skinned_file();
  auto& attributes = maker.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["WEIGHTS_0"] = maker.add_floats({1, 0, 0, 0, 1, 0, 0, 0, 0.25f, 0.75f, 0, 0}, "VEC4", 4);
  attributes["_SINEW_ENDPOINT_0"] = maker.add_floats(values, "VEC4", 4);
  return maker;
}

float value_of(const Rig& rig, std::size_t vertex, std::uint32_t joint) {
  for (std::size_t e = rig.weights.offsets[vertex]; e < rig.weights.offsets[vertex + 1]; ++e)
    if (rig.weights.entries[e].joint == joint) return rig.endpoint.values[e];
  return -1;
}

// Vertex 2 hangs on both joints, on the second one more.
const std::vector<float> kGiven = {0.25f, 0, 0, 0, 0.5f, 0, 0, 0, 0.125f, 0.75f, 0, 0};

TEST(GltfEndpoint, ValuesFollowTheirJointThroughSorting) {
  const auto file = with_endpoints(kGiven).read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->rig.endpoint.method, "painted");
  ASSERT_EQ(file->rig.endpoint.values.size(), file->rig.weights.entries.size());
  EXPECT_EQ(file->rig.weights.row(2)[0].joint, 1u);
  EXPECT_EQ(value_of(file->rig, 0, 0), 0.25f);
  EXPECT_EQ(value_of(file->rig, 1, 1), 0.5f);
  EXPECT_EQ(value_of(file->rig, 2, 0), 0.125f);
  EXPECT_EQ(value_of(file->rig, 2, 1), 0.75f);
}

TEST(GltfEndpoint, ComesBackFromANewFileAndFromAnEditedOne) {
  auto file = with_endpoints(kGiven).read();
  ASSERT_TRUE(file.ok());
  file->rig.endpoint.method = "heat";
  GltfWriteOptions edited;
  edited.edit.skin = true;
  for (const GltfDocument* document : {static_cast<const GltfDocument*>(nullptr), file->document.get()}) {
    const auto bytes = write_gltf(file->rig, document, edited);
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    const auto again = read_gltf(*bytes, "again.glb");
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again->rig.endpoint.method, "heat");
    EXPECT_EQ(again->rig.endpoint.values, file->rig.endpoint.values);
    EXPECT_NE(bytes->find("_SINEW_ENDPOINT_0"), std::string::npos);
    EXPECT_NE(bytes->find("SINEW_rig"), std::string::npos);
  }
}

TEST(GltfEndpoint, GoesWhenTheRigHasNoneAnyMoreAndWithTheSkin) {
  auto file = with_endpoints(kGiven).read();
  ASSERT_TRUE(file.ok());
  file->rig.endpoint = {};
  GltfWriteOptions edited, plain;
  edited.edit.skin = true;
  plain.without_skin = true;
  for (const GltfWriteOptions& options : {edited, plain}) {
    const auto bytes = write_gltf(file->rig, file->document.get(), options);
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(bytes->find("_SINEW_ENDPOINT"), std::string::npos);
    EXPECT_TRUE(read_gltf(*bytes, "again.glb")->rig.endpoint.empty());
  }
}

TEST(GltfEndpoint, TwistMayHaveNumbersOfItsOwn) {
  auto file = with_endpoints(kGiven).read();
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(file->rig.endpoint.twist.empty());
  for (const float e : file->rig.endpoint.values) file->rig.endpoint.twist.push_back(1 - e);
  GltfWriteOptions edited;
  edited.edit.skin = true;
  for (const GltfDocument* document : {static_cast<const GltfDocument*>(nullptr), &*file->document}) {
    const auto bytes = write_gltf(file->rig, document, edited);
    ASSERT_TRUE(bytes.ok());
    const auto again = read_gltf(*bytes, "again.glb");
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again->rig.endpoint.values, file->rig.endpoint.values);
    EXPECT_EQ(again->rig.endpoint.twist, file->rig.endpoint.twist);
  }
  file->rig.endpoint.twist.pop_back();
  EXPECT_FALSE(validate(file->rig).ok());
}

TEST(GltfEndpoint, StaysInAFileThatIsOnlyCopied) {
  const auto file = with_endpoints(kGiven).read();
  const auto bytes = write_gltf(file->rig, file->document.get());
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(read_gltf(*bytes, "again.glb")->rig.endpoint.values, file->rig.endpoint.values);
}

TEST(GltfEndpoint, OddNumbersArePutIntoTheUnitIntervalAndTold) {
  std::vector<float> odd = kGiven;
  odd[0] = std::numeric_limits<float>::quiet_NaN();
  odd[4] = 7;
  odd[8] = -std::numeric_limits<float>::infinity();
  const auto file = with_endpoints(odd).read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  for (const float e : file->rig.endpoint.values) EXPECT_TRUE(e >= 0 && e <= 1) << e;
  EXPECT_NE(std::find(file->warnings.begin(), file->warnings.end(),
                      "3 endpoint weights did not lie between 0 and 1: clamped"),
            file->warnings.end());
}

TEST(GltfEndpoint, WrongShapesAreRefused) {
  test::GltfMaker narrow = test::skinned_file();
  auto& attributes = narrow.json["meshes"][0]["primitives"][0]["attributes"];
  attributes["_SINEW_ENDPOINT_0"] = narrow.add_floats({0, 0, 0}, "SCALAR", 1);
  EXPECT_FALSE(narrow.read().ok());
  EXPECT_FALSE(with_endpoints({0, 0, 0, 0}).read().ok());
  attributes["_SINEW_ENDPOINT_0"] = 99;
  EXPECT_FALSE(narrow.read().ok());
}

TEST(GltfEndpoint, ARigWithTheWrongNumberOfThemIsNotValid) {
  auto file = with_endpoints(kGiven).read();
  ASSERT_TRUE(validate(file->rig).ok());
  file->rig.endpoint.values.push_back(0.5f);
  EXPECT_FALSE(validate(file->rig).ok());
  file->rig.endpoint.values.pop_back();
  file->rig.endpoint.values[0] = std::nanf("");
  EXPECT_FALSE(validate(file->rig).ok());
}

}  // namespace
}  // namespace sinew
