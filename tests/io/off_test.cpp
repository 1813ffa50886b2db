// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sinew/io/mesh_files.h"

namespace sinew {
namespace {

PolyMesh read_off_text(std::string_view text) {
  const auto file = read_off(text, "test.off");
  EXPECT_TRUE(file.ok()) << text << (file.ok() ? "" : file.error().message);
  return file.ok() ? file->mesh : PolyMesh();
}

void expect_off_refused(std::string_view text, std::string_view place) {
  const auto file = read_off(text, "test.off");
  ASSERT_FALSE(file.ok()) << text;
  EXPECT_EQ(file.error().code, ErrorCode::kBadInput);
  EXPECT_NE(file.error().message.find("test.off"), std::string::npos) << file.error().message;
  EXPECT_NE(file.error().message.find(place), std::string::npos) << file.error().message;
}

PolyMesh pyramid() {
  PolyMesh mesh;
  mesh.positions = {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0.125), Vec3(0.5, 0.5, 1.0 / 3)};
  mesh.add_face({3, 2, 1, 0});
  for (std::uint32_t i = 0; i < 4; ++i) mesh.add_face({i, (i + 1) % 4, 4});
  return mesh;
}

TEST(Off, WhatIsWrittenIsReadBack) {
  const PolyMesh mesh = pyramid();
  const PolyMesh back = read_off_text(write_off(mesh));
  ASSERT_EQ(back.vertex_count(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_LT((back.positions[i] - mesh.positions[i]).norm(), 1e-9);
  EXPECT_EQ(back.face_offsets, mesh.face_offsets);
  EXPECT_EQ(back.face_vertices, mesh.face_vertices);
  EXPECT_EQ(read_off_text(write_off(PolyMesh())).vertex_count(), 0u);
}

TEST(Off, HeadersOfEveryKindAreRead) {
  const std::string body = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
  for (const std::string& header :
       {std::string("OFF\n3 1 0\n"), std::string("OFF 3 1 0\n"), std::string("OFF 3 1\n"),
        std::string("3 1 0\n"), std::string("OFF # mesh\n\n# counts\n3 1 3 # edges\n#\n\n"),
        std::string("\xEF\xBB\xBFOFF\r\n3 1 0\r\n")}) {
    const PolyMesh mesh = read_off_text(header + body);
    ASSERT_EQ(mesh.vertex_count(), 3u) << header;
    EXPECT_EQ(mesh.positions[1], Vec3(1, 0, 0));
    EXPECT_EQ(mesh.face_count(), 1u);
  }
}

TEST(Off, ColoursAreSkippedAndNormalsAndTextureCoordinatesRead) {
  EXPECT_EQ(
      read_off_text("COFF\n3 1 0\n0 0 0 255 0 0 255\n1 0 0 0.5 0.5 0.5 1\n0 1 0 0 0 0\n3 0 1 2 255 0 0\n")
          .face_count(),
      1u);
  EXPECT_EQ(read_off_text("OFF\n3 1 0\n0 0 0 255 0 0\n1 0 0 1 2 3\n0 1 0 1 2 3\n3 0 1 2 0.5 0.5 0.5\n")
                .positions[2],
            Vec3(0, 1, 0));
  const PolyMesh normals = read_off_text("NOFF\n3 1 0\n0 0 0 0 0 2\n1 0 0 0 0 0\n0 1 0 1 0 0\n3 0 1 2\n");
  ASSERT_EQ(normals.normals.size(), 3u);
  EXPECT_EQ(normals.normals[0], Vec3f(0, 0, 1));
  EXPECT_EQ(normals.normals[1], Vec3f(0, 0, 0));
  const PolyMesh all = read_off_text("STCNOFF\n1 0 0\n1 2 3 0 0 1 255 255 255 255 0.25 0.25\n");
  EXPECT_EQ(all.texcoords[0], Vec2f(0.25f, 0.75f));
  EXPECT_EQ(all.normals[0], Vec3f(0, 0, 1));
}

TEST(Off, FacesMayRunOverSeveralLinesAndSmallOnesAreLeftOut) {
  const auto file =
      read_off("OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n4 0 1\n3 2\n2 0 1\n3 0 1 1\n3 0 1 2\n", "a.off");
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->mesh.face_count(), 2u);
  EXPECT_EQ(file->mesh.face(0).size(), 4u);
  ASSERT_EQ(file->warnings.size(), 1u);
  EXPECT_NE(file->warnings[0].find("line 9"), std::string::npos);
}

TEST(Off, BrokenFilesAreRefusedWithTheLine) {
  expect_off_refused("", "empty");
  expect_off_refused("hello\n", "'hello' does not open an OFF file");
  expect_off_refused("OFF\n", "number of vertices");
  expect_off_refused("OFF\n-3 1 0\n", "'-3'");
  expect_off_refused("OFF\nthree 1 0\n", "'three'");
  expect_off_refused("OFF\n99999999999999999999 1 0\n", "line 2");
  expect_off_refused("OFF\n353535235358 6 0\n0 0 0\n", "too short");
  expect_off_refused("OFF\n1 400000000 0\n0 0 0\n", "too short");
  expect_off_refused("OFF BINARY\n", "binary");
  expect_off_refused("4OFF\n1 0 0\n0 0 0 1\n", "three-dimensional");
  expect_off_refused("CnOFF\n", "three-dimensional");
  expect_off_refused("OFF\n3 1 0\n0 0 0\n1 0\n", "the file ends within vertex 1 of 3");
  expect_off_refused("OFF\n3 1 0\n0 0 0\n1 0 nan\n0 1 0\n3 0 1 2\n", "line 4: 'nan'");
  expect_off_refused("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", "line 6: face 0 of 1 names vertex '3'");
  expect_off_refused("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", "'-1'");
  expect_off_refused("OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", "the file ends within face 1 of 2");
  expect_off_refused("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n1000000000 0 1 2\n", "line 6");
  expect_off_refused("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1\n", "the file ends within face 0 of 1");
}

}  // namespace
}  // namespace sinew
