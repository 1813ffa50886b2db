// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "io/bytes.h"
#include "sinew/io/mesh_files.h"

namespace sinew {
namespace {

PolyMesh read_stl_bytes(std::string_view bytes) {
  const auto file = read_stl(bytes, "test.stl");
  EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.error().message);
  return file.ok() ? file->mesh : PolyMesh();
}

void expect_stl_refused(std::string_view bytes, std::string_view place) {
  const auto file = read_stl(bytes, "test.stl");
  ASSERT_FALSE(file.ok()) << bytes;
  EXPECT_EQ(file.error().code, ErrorCode::kBadInput);
  EXPECT_NE(file.error().message.find("test.stl"), std::string::npos) << file.error().message;
  EXPECT_NE(file.error().message.find(place), std::string::npos) << file.error().message;
}

PolyMesh grid(std::uint32_t side) {
  PolyMesh mesh;
  for (std::uint32_t y = 0; y < side; ++y)
    for (std::uint32_t x = 0; x < side; ++x) mesh.positions.emplace_back(x * 0.5, y * 0.25, (x * y) % 7);
  for (std::uint32_t y = 0; y + 1 < side; ++y)
    for (std::uint32_t x = 0; x + 1 < side; ++x)
      mesh.add_face({y * side + x, y * side + x + 1, (y + 1) * side + x + 1, (y + 1) * side + x});
  return mesh;
}

constexpr std::string_view kText =
    "solid my vertex thing\n facet normal 0 0 1\n  outer loop\n   vertex 0 0 0\n   vertex 1 0 0\n   vertex 0 "
    "1 0\n  endloop\n"
    " endfacet\n FACET NORMAL 0 0 1\n OUTER LOOP\n VERTEX 1 0 0\n VERTEX 1 1 0\n VERTEX -0 1 0\n ENDLOOP\n "
    "ENDFACET\nendsolid\n";

TEST(Stl, WrittenTrianglesShareTheirVerticesAgain) {
  const PolyMesh mesh = grid(40);
  const std::string bytes = write_stl(mesh);
  EXPECT_EQ(bytes.size(), 84 + 50 * 2 * 39 * 39u);
  const PolyMesh back = read_stl_bytes(bytes);
  EXPECT_EQ(back.vertex_count(), mesh.vertex_count());
  const TriangleView view = triangulate(mesh);
  ASSERT_EQ(back.face_count(), view.triangles.size());
  for (std::size_t t = 0; t < view.triangles.size(); ++t)
    for (std::size_t k = 0; k < 3; ++k)
      ASSERT_EQ(back.positions[back.face(t)[k]], mesh.positions[view.triangles[t][k]]);
  EXPECT_EQ(read_stl_bytes(write_stl(PolyMesh())).vertex_count(), 0u);
}

TEST(Stl, TextIsReadInAnyCase) {
  const PolyMesh mesh = read_stl_bytes(kText);
  ASSERT_EQ(mesh.vertex_count(), 4u);
  EXPECT_EQ(mesh.face_vertices, (std::vector<std::uint32_t>{0, 1, 2, 1, 3, 2}));
  EXPECT_EQ(read_stl_bytes("solid a\nendsolid\nsolid b\nendsolid\n").face_count(), 0u);
}

TEST(Stl, ABinaryFileThatBeginsWithSolidIsBinary) {
  std::string bytes = write_stl(grid(5));
  bytes.replace(0, 5, "solid");
  EXPECT_EQ(read_stl_bytes(bytes).vertex_count(), 25u);
  bytes[20] = '\0';
  bytes += "more";  // its size no longer tells, but no text holds zeros
  const auto file = read_stl(bytes, "test.stl");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->mesh.vertex_count(), 25u);
  EXPECT_EQ(file->warnings.size(), 1u);
}

TEST(Stl, TrianglesWithoutThreePlacesAreLeftOut) {
  PolyMesh mesh = grid(3);
  mesh.positions[1] = mesh.positions[0];
  const auto file = read_stl(write_stl(mesh), "test.stl");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->mesh.face_count(), 7u);
  EXPECT_EQ(file->warnings.size(), 1u);
}

TEST(Stl, BrokenFilesAreRefusedWithThePlace) {
  expect_stl_refused("", "neither");
  expect_stl_refused("hello", "neither");
  const std::string good = write_stl(grid(3));
  expect_stl_refused(good.substr(0, good.size() - 1), "says it has 8 triangles but is cut short after 7");
  std::string huge = good;
  huge.replace(80, 4, "\xFF\xFF\xFF\xFF");
  expect_stl_refused(huge, "4294967295");
  std::string nan;
  io::append(nan, std::nanf(""), io::ByteOrder::kLittle);
  std::string bad = good;
  bad.replace(84 + 50 * 3 + 12 + 8, 4, nan);
  expect_stl_refused(bad, "triangle 3");
  expect_stl_refused("solid\nvertex 0 0 0\n", "line 2");
  expect_stl_refused("solid\nendloop\n", "line 2");
  expect_stl_refused("solid\nouter loop\nvertex 0 0 0\n", "cut short");
  expect_stl_refused("solid\nouter loop\nvertex 0 0 x\n", "line 3: 'x'");
  expect_stl_refused("solid\nouter loop\nvertex 0 0\n", "ends within a vertex");
}

}  // namespace
}  // namespace sinew
