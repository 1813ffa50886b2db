// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "gltf_maker.h"
#include "io/gltf_polygons.h"
#include "support/shapes.h"

namespace sinew {
namespace {

using test::expect_refused;
using test::GltfMaker;
using test::has_warning;
using test::triangle_file;

// A row of vertices drawn in the given mode; -1: no index accessor.
GltfMaker drawn(int mode, const std::vector<std::uint16_t>& indices) {
  GltfMaker maker;
  std::vector<float> positions;
  for (int i = 0; i < 6; ++i) positions.insert(positions.end(), {float(i / 2), float(i % 2), 0});
  nlohmann::json primitive = {{"attributes", {{"POSITION", maker.add_floats(positions, "VEC3", 3)}}},
                              {"mode", mode}};
  if (!indices.empty()) primitive["indices"] = maker.add(indices, 5123, "SCALAR", indices.size());
  maker.json["meshes"] = {{{"primitives", {primitive}}}};
  maker.json["nodes"] = {{{"mesh", 0}}};
  return maker;
}

std::vector<std::uint32_t> corners(const GltfMaker& maker) {
  const auto file = maker.read();
  EXPECT_TRUE(file.ok()) << file.error().message;
  return file.ok() ? file->rig.mesh.face_vertices : std::vector<std::uint32_t>();
}

TEST(GltfMesh, TrianglesStripsAndFansBecomeFaces) {
  using List = std::vector<std::uint32_t>;
  EXPECT_EQ(corners(drawn(4, {})), (List{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(corners(drawn(4, {5, 3, 1})), (List{5, 3, 1}));
  EXPECT_EQ(corners(drawn(5, {0, 1, 2, 3})), (List{0, 1, 2, 2, 1, 3}));  // every second one is turned
  EXPECT_EQ(corners(drawn(5, {0, 1, 2, 2, 3, 3, 4, 5})), (List{0, 1, 2, 4, 3, 5}));  // stitches are left out
  EXPECT_EQ(corners(drawn(6, {0, 1, 2, 3})), (List{0, 1, 2, 0, 2, 3}));
}

TEST(GltfMesh, PointsAndLinesKeepTheirVerticesWithoutFaces) {
  for (const int mode : {0, 1, 2, 3}) {
    const auto file = drawn(mode, {0, 1}).read();
    ASSERT_TRUE(file.ok()) << file.error().message;
    EXPECT_EQ(file->rig.mesh.vertex_count(), 6u);
    EXPECT_EQ(file->rig.mesh.face_count(), 0u);
  }
}

TEST(GltfMesh, FaultsOfPrimitivesAreNamed) {
  expect_refused(drawn(7, {}).read(), "meshes[0].primitives[0].mode is 7");
  expect_refused(drawn(4, {0, 1, 6}).read(),
                 "meshes[0].primitives[0].indices holds 6, but there are 6 vertices");
  GltfMaker maker = triangle_file();
  maker.json["meshes"][0]["primitives"][0]["indices"] = 0;
  expect_refused(maker.read(), "does not hold unsigned numbers");
  maker = triangle_file();
  maker.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = 1;
  expect_refused(maker.read(), "meshes[0].primitives[0].attributes.NORMAL is accessors[1]");
  maker = triangle_file();
  maker.json["meshes"][0]["primitives"][0].erase("attributes");
  expect_refused(maker.read(), "attributes is missing");
  maker = triangle_file();
  maker.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = 5;
  expect_refused(maker.read(), "attributes.POSITION is 5");
}

TEST(GltfMesh, MeshesThatNoNodeShowsAreCheckedToo) {
  GltfMaker maker = triangle_file();
  maker.json["meshes"].push_back(maker.json["meshes"][0]);
  EXPECT_TRUE(maker.read().ok());
  maker.json["meshes"][1]["primitives"].push_back("x");
  expect_refused(maker.read(), "meshes[1].primitives[1] is");
  maker.json["meshes"][1]["primitives"][1] = {{"attributes", {{"POSITION", 77}}}};
  expect_refused(maker.read(), "meshes[1].primitives[1].attributes.POSITION is 77");
  maker.json["meshes"][1]["primitives"][1] = {{"attributes", 1}};
  expect_refused(maker.read(), "meshes[1].primitives[1].attributes is missing");
  maker.json["meshes"][1]["primitives"][1] = {{"attributes", {{"POSITION", 0}}}, {"targets", {1}}};
  expect_refused(maker.read(), "meshes[1].primitives[1].targets[0] is");
  maker.json["meshes"][1] = {{"primitives", 1}};
  expect_refused(maker.read(), "meshes[1].primitives is");
}

TEST(GltfMesh, WhatIsOnlyIrregularIsReadWithAWarning) {
  const auto odd = drawn(4, {0, 1, 2, 3}).read();
  ASSERT_TRUE(odd.ok());
  EXPECT_EQ(odd->rig.mesh.face_count(), 1u);
  EXPECT_TRUE(has_warning(*odd, "not a whole number of triangles"));
  GltfMaker bare = triangle_file();
  bare.json["meshes"][0]["primitives"][0]["attributes"].erase("POSITION");
  const auto without = bare.read();
  ASSERT_TRUE(without.ok());
  EXPECT_TRUE(without->rig.parts.empty());
  EXPECT_TRUE(has_warning(*without, "has no POSITION"));
  GltfMaker wild = triangle_file();
  const float values[] = {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN(),
                          1e20f};
  std::memcpy(wild.binary.data(), values, sizeof(values));
  const auto mended = wild.read();
  ASSERT_TRUE(mended.ok());
  EXPECT_EQ(mended->rig.mesh.positions[0], Vec3(0, 0, 0));
  EXPECT_TRUE(has_warning(*mended, "holds 3 coordinates that are not finite"));
}

TEST(GltfMesh, AMeshUnderMoreNodesThanTheFileCanJustifyIsRefused) {
  GltfMaker maker;
  const int positions = maker.add_floats(std::vector<float>(3 * 20000, 0.0f), "VEC3", 3);
  maker.json["meshes"] = {{{"primitives", {{{"attributes", {{"POSITION", positions}}}}}}}};
  for (int i = 0; i < 5000; ++i) maker.json["nodes"].push_back({{"mesh", 0}});
  expect_refused(maker.read(), "far more than the file has bytes for");
}

TEST(GltfMesh, NormalsAndTextureCoordinatesCountOnlyWhereEveryPartHasThem) {
  GltfMaker maker = triangle_file();
  const int normals = maker.add_floats({0, 0, 2, 0, 0, 2, 0, 0, 2}, "VEC3", 3);
  const int texcoords = maker.add<std::uint8_t>({0, 255, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0}, 5121, "VEC2", 3);
  maker.json["accessors"][static_cast<std::size_t>(texcoords)]["normalized"] = true;
  auto& primitives = maker.json["meshes"][0]["primitives"];
  primitives[0]["attributes"]["NORMAL"] = normals;
  primitives[0]["attributes"]["TEXCOORD_0"] = texcoords;
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->rig.mesh.normals[0], Vec3f(0, 0, 1));
  EXPECT_EQ(file->rig.mesh.texcoords[0], Vec2f(0, 1));
  primitives.push_back({{"attributes", {{"POSITION", 0}}}});
  const auto mixed = maker.read();
  EXPECT_TRUE(mixed->rig.mesh.normals.empty());
  EXPECT_TRUE(mixed->rig.mesh.texcoords.empty());
  EXPECT_EQ(mixed->rig.parts.size(), 2u);
}

TEST(GltfMesh, AMirroredNodeKeepsItsFacesAndNormalsOutward) {
  GltfMaker maker = triangle_file();
  maker.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] =
      maker.add_floats({0, 0, 1, 0, 0, 1, 0, 0, 1}, "VEC3", 3);
  maker.json["nodes"][0]["scale"] = {-1, 1, 1};
  const auto file = maker.read();
  ASSERT_TRUE(file.ok()) << file.error().message;
  const PolyMesh& mesh = file->rig.mesh;
  const auto face = mesh.face(0);
  const Vec3 normal = (mesh.positions[face[1]] - mesh.positions[face[0]])
                          .cross(mesh.positions[face[2]] - mesh.positions[face[0]]);
  EXPECT_GT(normal.dot(mesh.normals[0].cast<double>()), 0);
}

void expect_same_polygons(const PolyMesh& mesh, const std::string& name) {
  const gltf::CodedFaces coded = gltf::encode_polygons(mesh, triangulate(mesh), 0, mesh.face_count(), 0);
  EXPECT_EQ(coded.triangles.size(), 3 * triangulate(mesh).triangles.size()) << name;
  if (coded.code.sizes.empty()) return;  // triangles only
  std::vector<std::uint32_t> offsets = {0}, made;
  ASSERT_TRUE(gltf::decode_polygons(coded.triangles, coded.code, 0,
                                    static_cast<std::uint32_t>(mesh.vertex_count()), offsets, made))
      << name;
  EXPECT_EQ(offsets, mesh.face_offsets) << name;
  EXPECT_EQ(made, mesh.face_vertices) << name;
}

TEST(GltfMesh, PolygonsComeBackCornerForCornerOnEveryShape) {
  for (const test::NamedShape& shape : test::all_shapes())
    if (shape.mesh.face_count() > 0) expect_same_polygons(shape.mesh, shape.name);
}

TEST(GltfMesh, RandomPolygonsComeBackAlsoWhereCornersRepeat) {
  std::mt19937 random(3);
  PolyMesh mesh;
  for (int i = 0; i < 400; ++i)
    mesh.positions.push_back(Vec3(double(random() % 100), double(random() % 100), double(random() % 100)));
  for (int f = 0; f < 500; ++f) {
    std::vector<std::uint32_t> face(3 + random() % (f % 50 == 0 ? 300 : 6));
    for (std::uint32_t& corner : face) corner = static_cast<std::uint32_t>(random() % (f % 2 ? 5 : 400));
    mesh.add_face(face);
  }
  expect_same_polygons(mesh, "random");
}

TEST(GltfMesh, PolygonsThatDoNotFitTheTrianglesAreLeft) {
  std::vector<std::uint32_t> offsets = {0}, made;
  const std::vector<std::uint32_t> fan = {0, 1, 2, 0, 2, 3}, no_fan = {0, 1, 2, 3, 2, 1};
  const auto decodes = [&](std::span<const std::uint32_t> triangles, const gltf::PolygonCode& code) {
    return gltf::decode_polygons(triangles, code, 0, 4, offsets, made);
  };
  EXPECT_FALSE(decodes(no_fan, {{4}, {0}, {}}));
  EXPECT_FALSE(decodes(fan, {{5}, {0}, {}}));
  EXPECT_FALSE(decodes(fan, {{3}, {0}, {}}));
  EXPECT_FALSE(decodes(fan, {{2}, {0}, {}}));
  EXPECT_FALSE(decodes(fan, {{4}, {4}, {}}));
  EXPECT_FALSE(decodes(fan, {{4}, {gltf::kExplicit}, {0, 1, 2, 4}}));
  EXPECT_FALSE(decodes(fan, {{4}, {gltf::kExplicit}, {0, 1, 2}}));
  EXPECT_FALSE(decodes(fan, {{4}, {0, 0}, {}}));
  EXPECT_EQ(offsets.size(), 1u);
  EXPECT_TRUE(decodes(fan, {{4}, {1}, {}}));
  EXPECT_EQ(made, (std::vector<std::uint32_t>{1, 2, 3, 0}));
}

}  // namespace
}  // namespace sinew
