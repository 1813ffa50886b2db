// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_accessor.h"

#include <gtest/gtest.h>

#include <random>

#include "gltf_maker.h"

namespace sinew {
namespace {

using test::expect_refused;
using test::GltfMaker;
using test::triangle_file;

// The numbers of accessor 0 of a document that holds nothing else.
Result<std::vector<float>> numbers(const GltfMaker& maker) {
  GltfDocument document;
  document.json = maker.json;
  document.stored_bytes = maker.binary.size();
  document.buffers = {std::make_shared<std::string>(maker.binary)};
  document.buffer_lengths = {maker.binary.size()};
  SINEW_CHECK(gltf::parse_views(document));
  SINEW_CHECK(gltf::parse_accessors(document));
  return gltf::read_floats(document, document.accessors[0]);
}

template <class T>
void expect_scalars(int component, bool normalized, const std::vector<T>& stored,
                    const std::vector<float>& wanted) {
  GltfMaker maker;
  maker.add(stored, component, "SCALAR", stored.size());
  maker.json["accessors"][0]["normalized"] = normalized;
  const auto got = numbers(maker);
  ASSERT_TRUE(got.ok()) << got.error().message;
  EXPECT_EQ(*got, wanted);
}

TEST(GltfAccessor, EveryComponentTypeReadsAsItsNumbers) {
  expect_scalars<std::int8_t>(5120, false, {-128, 0, 127}, {-128, 0, 127});
  expect_scalars<std::uint8_t>(5121, false, {0, 1, 255}, {0, 1, 255});
  expect_scalars<std::int16_t>(5122, false, {-32768, 7, 32767}, {-32768, 7, 32767});
  expect_scalars<std::uint16_t>(5123, false, {0, 7, 65535}, {0, 7, 65535});
  expect_scalars<std::uint32_t>(5125, false, {0, 7, 1u << 24}, {0, 7, 1u << 24});
  expect_scalars<float>(5126, false, {-1.5f, 0, 3e38f}, {-1.5f, 0, 3e38f});
}

TEST(GltfAccessor, NormalisedIntegersSpanTheUnitRange) {
  expect_scalars<std::uint8_t>(5121, true, {0, 51, 255}, {0, 0.2f, 1});
  expect_scalars<std::int8_t>(5120, true, {-128, -127, 0, 127}, {-1, -1, 0, 1});
  expect_scalars<std::uint16_t>(5123, true, {0, 65535}, {0, 1});
  expect_scalars<std::int16_t>(5122, true, {-32768, 32767}, {-1, 1});
}

TEST(GltfAccessor, StridesSkipWhatLiesBetween) {
  GltfMaker maker;
  maker.add<float>({1, 2, 3, 99, 4, 5, 6, 99, 7, 8, 9}, 5126, "VEC3", 3);
  maker.json["bufferViews"][0]["byteStride"] = 16;
  EXPECT_EQ(*numbers(maker), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  maker.json["accessors"][0]["byteOffset"] = 4;
  maker.json["accessors"][0]["count"] = 2;
  EXPECT_EQ(*numbers(maker), (std::vector<float>{2, 3, 99, 5, 6, 99}));
}

TEST(GltfAccessor, MatrixColumnsBeginAtMultiplesOfFourBytes) {
  GltfMaker bytes;
  bytes.add<std::uint8_t>({1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9}, 5121, "MAT3",
                          1);  // the last column needs no padding
  EXPECT_EQ(*numbers(bytes), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  GltfMaker two;
  two.add<std::uint8_t>({1, 2, 0, 0, 3, 4, 0, 0}, 5121, "MAT2", 1);
  EXPECT_EQ(*numbers(two), (std::vector<float>{1, 2, 3, 4}));
  GltfMaker shorts;
  shorts.add<std::uint16_t>({1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0}, 5123, "MAT3", 1);
  EXPECT_EQ(*numbers(shorts), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(GltfAccessor, SparseValuesReplaceTheirElementsAlsoWithoutABase) {
  GltfMaker maker;
  maker.add<float>({1, 2, 3, 4}, 5126, "SCALAR", 4);
  maker.add<std::uint8_t>({1, 3}, 5121, "SCALAR", 2);
  maker.add<float>({20, 40}, 5126, "SCALAR", 2);
  maker.json["accessors"][0]["sparse"] = {{"count", 2},
                                          {"indices", {{"bufferView", 1}, {"componentType", 5121}}},
                                          {"values", {{"bufferView", 2}}}};
  EXPECT_EQ(*numbers(maker), (std::vector<float>{1, 20, 3, 40}));
  maker.json["accessors"][0].erase("bufferView");
  EXPECT_EQ(*numbers(maker), (std::vector<float>{0, 20, 0, 40}));
  maker.binary[16] = 4;  // the first sparse index
  const auto out_of_range = numbers(maker);
  ASSERT_FALSE(out_of_range.ok());
  EXPECT_NE(out_of_range.error().message.find("but count is 4"), std::string::npos);
}

TEST(GltfAccessor, AnyViewAndAccessorStaysInsideItsBytesOrIsRefused) {
  std::mt19937_64 random(7);
  const std::uint64_t tricky[] = {
      0, 1, 3, 4, 12, 36, 37, 1000, std::uint64_t{1} << 31, std::uint64_t{1} << 62, ~std::uint64_t{0}};
  const auto pick = [&] { return tricky[random() % std::size(tricky)]; };
  const char* types[] = {"SCALAR", "VEC3", "MAT3", "MAT4"};
  const int components[] = {5120, 5121, 5122, 5123, 5125, 5126};
  std::size_t read = 0;
  for (int round = 0; round < 20000; ++round) {
    GltfMaker maker;
    maker.add(std::vector<float>(9, 1.0f), components[random() % 6], types[random() % 4], pick());
    auto& view = maker.json["bufferViews"][0];
    if (random() % 2) view["byteOffset"] = pick();
    if (random() % 2) view["byteLength"] = pick();
    if (random() % 2) view["byteStride"] = pick();
    if (random() % 2) maker.json["accessors"][0]["byteOffset"] = pick();
    const auto got = numbers(maker);  // the sanitizers watch
    read += got.ok();
    EXPECT_TRUE(got.ok() || got.error().code == ErrorCode::kBadInput);
  }
  EXPECT_GT(read, 100u);
}

TEST(GltfAccessor, EachFaultIsNamedWithItsPlace) {
  const auto refused = [](const char* list, const char* key, const nlohmann::json& value,
                          const std::string& words) {
    GltfMaker maker = triangle_file();
    maker.json[list][0][key] = value;
    expect_refused(maker.read(), words);
  };
  refused("accessors", "count", 4, "accessors[0] asks for 4 elements");
  refused("accessors", "count", -1, "accessors[0].count is -1");
  refused("accessors", "count", 1.5, "accessors[0].count is 1.5");
  refused("accessors", "count", "3", "accessors[0].count is \"3\"");
  refused("accessors", "bufferView", 7, "accessors[0].bufferView is 7");
  refused("accessors", "componentType", 5124, "accessors[0].componentType is 5124");
  refused("accessors", "type", "VEC5", "accessors[0].type is \"VEC5\"");
  refused("accessors", "type", std::string("V\0\x1b[31m", 7), "accessors[0].type is \"V??[31m\"");
  refused("accessors", "byteOffset", std::uint64_t{1} << 62, "accessors[0] asks for");
  refused("bufferViews", "byteOffset", std::uint64_t{1} << 62, "bufferViews[0] runs from byte");
  refused("bufferViews", "byteLength", 1000, "bufferViews[0] runs from byte 0 over 1000");
  refused("bufferViews", "buffer", 1, "bufferViews[0].buffer is 1");
  refused("bufferViews", "byteStride", 1000000, "bufferViews[0].byteStride is 1000000");
  GltfMaker empty = triangle_file();
  empty.json["accessors"][0].erase("bufferView");
  empty.json["accessors"][0]["count"] = 1500000000;
  expect_refused(empty.read(), "accessors[0].count is 1500000000 without any data");
}

TEST(GltfAccessor, WholeNumbersWrittenAsFloatsAreWhole) {
  GltfMaker maker = triangle_file();
  maker.json["accessors"][0]["count"] = 3.0;
  maker.json["accessors"][0]["bufferView"] = 0.0;
  EXPECT_TRUE(maker.read().ok());
}

TEST(GltfAccessor, BuffersWithoutDataAreZerosAlsoUnderSparseValues) {
  GltfMaker maker = triangle_file();
  maker.json["accessors"][0]["sparse"] = {{"count", 1},
                                          {"indices", {{"bufferView", 1}, {"componentType", 5121}}},
                                          {"values", {{"bufferView", 0}}}};
  maker.json["buffers"] = {{{"byteLength", maker.binary.size()}}};
  const auto file = read_gltf(maker.text(), "made.gltf");
  ASSERT_TRUE(file.ok()) << file.error().message;
  for (const Vec3& p : file->rig.mesh.positions) EXPECT_EQ(p, Vec3(Vec3::Zero()));
  const auto again = write_gltf(file->rig, file->document.get());
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(read_gltf(*again, "made.glb").ok());
}

TEST(GltfAccessor, AccessorsWithoutDataAreZeros) {
  GltfMaker maker = triangle_file();
  maker.json["accessors"][0].erase("bufferView");
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  for (const Vec3& p : file->rig.mesh.positions) EXPECT_EQ(p, Vec3(Vec3::Zero()));
}

}  // namespace
}  // namespace sinew
