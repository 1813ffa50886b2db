// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "gltf_maker.h"
#include "io/gltf_uri.h"

namespace sinew {
namespace {

using test::expect_refused;
using test::GltfMaker;
using test::triangle_file;
namespace fs = std::filesystem;

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("sinew_gltf_" + std::to_string(std::random_device()()))) {
    fs::create_directories(path_ / "inner");
  }
  ~Folder() { fs::remove_all(path_); }
  fs::path inner() const { return path_ / "inner"; }
  fs::path outer() const { return path_; }

 private:
  fs::path path_;
};

void put_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// The triangle as .gltf text whose buffer has the given URI.
std::string with_uri(const std::string& uri) {
  GltfMaker maker = triangle_file();
  maker.json["buffers"] = {{{"byteLength", maker.binary.size()}, {"uri", uri}}};
  return maker.text();
}

std::size_t json_size(const std::string& glb) {
  std::uint32_t size = 0;
  std::memcpy(&size, glb.data() + 12, 4);
  return size;
}

TEST(GltfContainer, Base64GivesBackWhatItWasGiven) {
  std::mt19937 random(1);
  for (std::size_t size = 0; size < 70; ++size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random() & 255);
    EXPECT_EQ(gltf::base64_decode(gltf::base64_encode(bytes)), bytes);
  }
  EXPECT_EQ(gltf::base64_encode("Man"), "TWFu");
  EXPECT_EQ(gltf::base64_encode("M"), "TQ==");
  EXPECT_EQ(gltf::base64_decode("TQ"), "M");
  EXPECT_FALSE(gltf::base64_decode("T").has_value());
  EXPECT_FALSE(gltf::base64_decode("T!==").has_value());
}

TEST(GltfContainer, TheSameFileLoadsAsGlbAsDataUriAndWithABufferBesideIt) {
  const Folder folder;
  const GltfMaker maker = triangle_file();
  put_file(folder.inner() / "my data.bin", maker.binary + "more");
  const auto glb = maker.read();
  const auto data = read_gltf(
      with_uri("data:application/octet-stream;base64," + gltf::base64_encode(maker.binary)), "made.gltf");
  const auto beside = read_gltf(with_uri("my%20data.bin"), folder.inner() / "made.gltf");
  for (const auto* file : {&glb, &data, &beside}) {
    ASSERT_TRUE(file->ok()) << file->error().message;
    EXPECT_EQ((*file)->rig.mesh.positions, glb->rig.mesh.positions);
    EXPECT_EQ((*file)->rig.mesh.face_count(), 1u);
  }
}

TEST(GltfContainer, BuffersAreReadOnlyFromTheFolderOfTheFile) {
  const Folder folder;
  put_file(folder.outer() / "secret.bin", std::string(1000, 'x'));
  put_file(folder.inner() / "short.bin", "x");
  fs::create_symlink(folder.outer() / "secret.bin", folder.inner() / "link.bin");
  const auto read = [&](const std::string& uri) {
    return read_gltf(with_uri(uri), folder.inner() / "made.gltf");
  };
  expect_refused(read("../secret.bin"), "leaves the folder");
  expect_refused(read("%2e%2e/secret.bin"), "leaves the folder");
  expect_refused(read("..\\secret.bin"), "leaves the folder");
  expect_refused(read((folder.outer() / "secret.bin").string()), "leaves the folder");
  expect_refused(read("link.bin"), "link that leaves");
  expect_refused(read("file:///etc/passwd"), "beside the .gltf");
  expect_refused(read("http://example.org/a.bin"), "beside the .gltf");
  expect_refused(read("a%2"), "not a file name");
  expect_refused(read("a%00b"), "not a file name");
  expect_refused(read("."), "not a regular file");
  expect_refused(read("missing.bin"), "buffers[0].uri is \"missing.bin\", which does not exist");
  expect_refused(read("short.bin"), "truncated");
}

TEST(GltfContainer, BrokenDataUrisAreRefused) {
  const auto read = [](const std::string& uri) { return read_gltf(with_uri(uri), "made.gltf"); };
  expect_refused(read("data:,plain"), "not base64");
  expect_refused(read("data:application/octet-stream;base64,????"), "base64 is broken");
  expect_refused(read("data:application/octet-stream;base64,AAAA"), "byteLength");
}

TEST(GltfContainer, EveryCutOfAGlbIsRefusedWithASentence) {
  const std::string whole = triangle_file().glb();
  ASSERT_TRUE(read_gltf(whole, "made.glb").ok());
  for (std::size_t size = 0; size < whole.size(); ++size)
    expect_refused(read_gltf(whole.substr(0, size), "made.glb"), ":");
}

TEST(GltfContainer, ChunksOutOfOrderOrTwiceAreRefused) {
  const std::string json = triangle_file().text();
  std::string twice = GltfMaker::glb(json, "abcd");
  GltfMaker::put(twice, 4);
  GltfMaker::put(twice, 0x004E4942);
  GltfMaker::put(twice, 0);
  const std::uint32_t length = static_cast<std::uint32_t>(twice.size());
  std::memcpy(twice.data() + 8, &length, 4);
  expect_refused(read_gltf(twice, "made.glb"), "second JSON or BIN");
  std::string binary_first = GltfMaker::glb(json, "");
  std::memcpy(binary_first.data() + 16, "BIN\0", 4);
  expect_refused(read_gltf(binary_first, "made.glb"), "not the JSON");
  std::string old = GltfMaker::glb(json, "");
  old[4] = 1;
  expect_refused(read_gltf(old, "made.glb"), "version 1");
  std::string overlong = triangle_file().glb();
  const std::size_t binary_size = 20 + json_size(overlong);
  overlong[binary_size] = static_cast<char>(overlong[binary_size] + 4);
  expect_refused(read_gltf(overlong, "made.glb"), "but only");
  std::string longer = triangle_file().glb() + "tail";
  const auto file = read_gltf(longer, "made.glb");
  ASSERT_TRUE(file.ok());
  EXPECT_TRUE(test::has_warning(*file, "left out"));
}

TEST(GltfContainer, JsonIsRefusedBeforeItCanHurt) {
  expect_refused(read_gltf("", "made.gltf"), "empty");
  expect_refused(read_gltf("{\"asset\":", "made.gltf"), "JSON is broken");
  expect_refused(read_gltf("[]", "made.gltf"), "a glTF file is an object");
  expect_refused(read_gltf(std::string(100000, '['), "made.gltf"), "nests deeper");
  expect_refused(read_gltf("{\"a\":" + std::string(3000, '[') + std::string(3000, ']') + "}", "made.gltf"),
                 "nests deeper");
  std::string many = "[0";
  for (int i = 0; i < 4'000'001; ++i) many += ",0";
  expect_refused(read_gltf("{\"a\":" + many + "]}", "made.gltf"), "values");
  expect_refused(read_gltf("{\"asset\":{\"version\":\"2.0\"},\"x\":1e999}", "made.gltf"), "1e999");
  expect_refused(read_gltf("{\"asset\":{\"version\":\"2.0\"},\"x\":\"\xFF\"}", "made.gltf"), "UTF-8");
  // Brackets in text are no nesting, also behind a quote that is part of the text.
  const std::string text =
      R"({"asset":{"version":"2.0"},"x":"\\\")" + std::string(9000, '[') + R"(","y":"\\"})";
  EXPECT_TRUE(read_gltf(text, "made.gltf").ok());
}

TEST(GltfContainer, OtherVersionsAndUnknownRequiredExtensionsAreRefused) {
  GltfMaker maker = triangle_file();
  maker.json["asset"]["version"] = "1.0";
  expect_refused(maker.read(), "only glTF 2.0");
  maker.json["asset"] = {{"version", "2.1"}, {"minVersion", "2.1"}};
  expect_refused(maker.read(), "minVersion");
  maker.json.erase("asset");
  expect_refused(maker.read(), "asset is missing");
  for (const char* name : {"KHR_draco_mesh_compression", "EXT_meshopt_compression", "ACME_secret"}) {
    maker = triangle_file();
    maker.json["extensionsRequired"] = {name};
    expect_refused(maker.read(), name);
  }
  for (const char* name : {"KHR_mesh_quantization", "KHR_materials_unlit", "KHR_texture_transform"}) {
    maker = triangle_file();
    maker.json["extensionsRequired"] = {name};
    EXPECT_TRUE(maker.read().ok()) << name;
  }
}

TEST(GltfContainer, AMissingImageIsOnlyNoted) {
  GltfMaker maker = triangle_file();
  maker.json["images"] = {{{"uri", "skin.png"}}};
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_TRUE(test::has_warning(*file, "skin.png"));
}

TEST(GltfContainer, AFileWithoutAMeshIsAnEmptyRig) {
  const auto file =
      read_gltf("{\"asset\":{\"version\":\"2.0\"},\"cameras\":[{}],\"nodes\":[{\"camera\":0}]}", "made.gltf");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->rig.mesh.vertex_count(), 0u);
  EXPECT_EQ(file->rig.skeleton.deforming_count(), 0u);
}

}  // namespace
}  // namespace sinew
