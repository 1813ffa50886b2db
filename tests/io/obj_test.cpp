// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sinew/core/parallel.h"
#include "sinew/io/mesh_files.h"

namespace sinew {
namespace {

using Indices = std::vector<std::uint32_t>;

Indices face(const PolyMesh& mesh, std::size_t f) {
  return {mesh.face(f).begin(), mesh.face(f).end()};
}

PolyMesh read_obj_text(std::string_view text) {
  const auto file = read_obj(text, "test.obj");
  EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.error().message);
  return file.ok() ? file->mesh : PolyMesh();
}

void expect_obj_refused(std::string_view text, std::string_view place) {
  const auto file = read_obj(text, "test.obj");
  ASSERT_FALSE(file.ok()) << text;
  EXPECT_EQ(file.error().code, ErrorCode::kBadInput);
  EXPECT_NE(file.error().message.find("test.obj"), std::string::npos) << file.error().message;
  EXPECT_NE(file.error().message.find(place), std::string::npos) << file.error().message;
}

constexpr std::string_view kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

// Rows of vertices with random coordinates, faces of three to seven corners; more than one piece of the
// reader long.
PolyMesh random_mesh(bool textured, bool with_normals, std::size_t vertices = 60'000) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(-1, 1);
  PolyMesh mesh;
  for (std::size_t i = 0; i < vertices; ++i) {
    mesh.positions.emplace_back(unit(random), unit(random) * 1e-6, unit(random) * 1e7);
    if (textured)
      mesh.texcoords.emplace_back(static_cast<float>(unit(random)), static_cast<float>(unit(random)));
    if (with_normals) mesh.normals.push_back(Vec3f(static_cast<float>(unit(random)), 1, 0).normalized());
  }
  for (std::uint32_t i = 0; i + 7 < vertices; i += 3) {
    Indices corners;
    for (std::uint32_t k = 0; k < 3 + i % 5; ++k) corners.push_back(i + k);
    mesh.add_face(corners);
  }
  return mesh;
}

TEST(Obj, WhatIsWrittenIsReadBackToNineDigits) {
  for (const bool textured : {false, true}) {
    const PolyMesh mesh = random_mesh(textured, textured);
    const PolyMesh back = read_obj_text(write_obj(mesh));
    ASSERT_EQ(back.vertex_count(), mesh.vertex_count());
    ASSERT_EQ(back.face_offsets, mesh.face_offsets);
    ASSERT_EQ(back.face_vertices, mesh.face_vertices);
    for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
      for (int axis = 0; axis < 3; ++axis)
        ASSERT_NEAR(back.positions[i][axis], mesh.positions[i][axis],
                    5e-9 * std::abs(mesh.positions[i][axis]));
    ASSERT_EQ(back.texcoords.size(), mesh.texcoords.size());
    // The last vertices have no face and so no texture coordinate.
    for (std::size_t i = 0; textured && i + 10 < mesh.vertex_count(); ++i)
      ASSERT_LT((back.texcoords[i] - mesh.texcoords[i]).norm(), 1e-6f) << i;
  }
}

TEST(Obj, TheSameMeshComesOutForAnyThreadCount) {
  const std::string text = write_obj(random_mesh(true, false));
  ASSERT_GT(text.size(), std::size_t{3} << 20);
  set_thread_count(1);
  const PolyMesh one = read_obj_text(text);
  const std::string written = write_obj(one);
  set_thread_count(0);
  const PolyMesh many = read_obj_text(text);
  EXPECT_TRUE(one.positions == many.positions);
  EXPECT_TRUE(one.face_vertices == many.face_vertices);
  EXPECT_TRUE(one.texcoords == many.texcoords);
  EXPECT_TRUE(write_obj(many) == written);
}

TEST(Obj, QuadsAndPolygonsStayAsTheyAre) {
  const PolyMesh mesh = read_obj_text(std::string(kSquare) + "v 0.5 2 0\nf 1 2 3 4\nf 4 3 5\nf 1 2 3 5 4\n");
  ASSERT_EQ(mesh.face_count(), 3u);
  EXPECT_EQ(face(mesh, 0), (Indices{0, 1, 2, 3}));
  EXPECT_EQ(face(mesh, 1), (Indices{3, 2, 4}));
  EXPECT_EQ(face(mesh, 2), (Indices{0, 1, 2, 4, 3}));
  EXPECT_TRUE(mesh.texcoords.empty());
}

TEST(Obj, NegativeIndicesCountBackFromTheFaceAlsoAcrossPieces) {
  const PolyMesh mesh = read_obj_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 5 5\nf -4 2 -1\n");
  EXPECT_EQ(face(mesh, 0), (Indices{0, 1, 2}));
  EXPECT_EQ(face(mesh, 1), (Indices{0, 1, 3}));
  std::string text;
  for (int i = 0; i < 100'000; ++i)
    text += "v 0.125 0.25 " + std::to_string(i) + "\nvt 0 0\nf -1 1 -100000\n";
  expect_obj_refused(text, "line 3: a face names vertex -100000");
  std::string good;
  for (int i = 0; i < 100'000; ++i) good += "v 0.125 0.25 " + std::to_string(i) + "\n";
  for (int i = 0; i < 3; ++i) good += "f -1 -100000 -50000\n";
  EXPECT_EQ(face(read_obj_text(good), 2), (Indices{99'999, 0, 50'000}));
}

TEST(Obj, FacesMayNameVerticesThatComeLater) {
  EXPECT_EQ(face(read_obj_text("f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n"), 0), (Indices{0, 1, 2}));
}

TEST(Obj, ATextureSeamAddsCopiesBehindTheLastVertex) {
  const PolyMesh mesh = read_obj_text(
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0.25 0.75\n"
      "f 1/1 2/2 3/3\nf 2/4 5/1 3/3\nf 2/4 3/3 4/1\n");
  ASSERT_EQ(mesh.vertex_count(), 6u);
  EXPECT_EQ(mesh.positions[5], mesh.positions[1]);
  EXPECT_EQ(face(mesh, 0), (Indices{0, 1, 2}));
  EXPECT_EQ(face(mesh, 1), (Indices{5, 4, 2}));
  EXPECT_EQ(face(mesh, 2), (Indices{5, 2, 3}));
  EXPECT_EQ(mesh.texcoords[1], Vec2f(1, 1));  // v runs from the top down
  EXPECT_EQ(mesh.texcoords[5], Vec2f(0.25f, 0.25f));
}

TEST(Obj, EqualTextureCoordinatesWithDifferentIndicesAreNoSeam) {
  const PolyMesh mesh =
      read_obj_text(std::string(kSquare) + "vt 0 0\nvt 0.0 -0\nvt 1 1\nf 1/1 2/3 3/3\nf 1/2 3/3 4/3\n");
  EXPECT_EQ(mesh.vertex_count(), 4u);
}

TEST(Obj, NormalsDoNotSplitVertices) {
  const PolyMesh mesh =
      read_obj_text(std::string(kSquare) + "vn 0 0 1\nvn 1 0 0\nf 1//1 2//1 3//1\nf 1//2 3//2 4//2\n");
  EXPECT_EQ(mesh.vertex_count(), 4u);
  EXPECT_TRUE(mesh.normals.empty());
}

TEST(Obj, CornersWithoutTextureTakeWhatTheVertexHas) {
  const auto file =
      read_obj(std::string(kSquare) + "vt 0.5 0.5\nf 1/1 2/1 3/1\nf 1 3 4\nf 1/9 2/-7 3/0\n", "a.obj");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->mesh.vertex_count(), 4u);
  EXPECT_EQ(face(file->mesh, 1), (Indices{0, 2, 3}));
  EXPECT_EQ(file->mesh.texcoords[3], Vec2f(0, 0));
  ASSERT_EQ(file->warnings.size(), 1u);
  EXPECT_NE(file->warnings[0].find("2 face corners"), std::string::npos);
  EXPECT_NE(file->warnings[0].find("line 8"), std::string::npos);
}

TEST(Obj, RepeatedCornersGoAndFacesWithoutThreeAreLeftOut) {
  const auto file =
      read_obj(std::string(kSquare) + "f 1 1 2 3\nf 1 2 3 1\nf 1 2 1 2\nf 1\nf\nf 2 2 2\n", "a.obj");
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(file->mesh.face_count(), 2u);
  EXPECT_EQ(face(file->mesh, 0), (Indices{0, 1, 2}));
  EXPECT_EQ(face(file->mesh, 1), (Indices{0, 1, 2}));
  ASSERT_EQ(file->warnings.size(), 1u);
  EXPECT_EQ(file->warnings[0].substr(0, 8), "4 faces ");
  EXPECT_NE(file->warnings[0].find("line 7"), std::string::npos);
}

TEST(Obj, AnyLineEndAnyBlankAndContinuedLines) {
  const PolyMesh unix_lines = read_obj_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  for (const char* text : {"v 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3", "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r",
                           "\t v\t0 0   0 \nv 1 0 0 # comment\n\n   \n# v 9 9 9 \\\nv 0 1 0\n  f 1 2 3 # 4\n",
                           "v 0 0 \\\n0\nv \\\r\n1 0 0\nv 0 1 0\nf 1 \\\n 2 \\\n 3\n",
                           "\xEF\xBB\xBFv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"}) {
    const PolyMesh mesh = read_obj_text(text);
    EXPECT_TRUE(mesh.positions == unix_lines.positions) << text;
    EXPECT_EQ(mesh.face_vertices, unix_lines.face_vertices) << text;
  }
}

TEST(Obj, ContinuedLinesMayCrossThePiecesOfTheReader) {
  constexpr int kCorners = 300'000;
  std::string text, corners = "f";
  for (int i = 1; i <= kCorners; ++i) {
    text += "v 0 0 " + std::to_string(i) + "\n";
    corners +=
        " \\\n" + std::to_string(i);  // every corner on a line of its own: megabytes without a place to cut
  }
  const PolyMesh mesh = read_obj_text(text + corners + "\nf 1 2 3\n");
  ASSERT_EQ(mesh.face_count(), 2u);
  EXPECT_EQ(mesh.face(0).size(), static_cast<std::size_t>(kCorners));
  expect_obj_refused(text + corners + "\nf 1 2 999999\n", "line 600002");
}

TEST(Obj, Utf16IsRead) {
  const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  std::string big = "\xFE\xFF", little = "\xFF\xFE";
  for (const char c : text) {
    big += {'\0', c};
    little += {c, '\0'};
  }
  EXPECT_EQ(read_obj_text(big).face_count(), 1u);
  EXPECT_EQ(read_obj_text(little).face_count(), 1u);
}

TEST(Obj, ColoursGroupsMaterialsAndPointsAreLeftOut) {
  const auto file = read_obj(
      "mtllib a.mtl\no thing\nv 0 0 0 1 0 0\nv 1 0 0 1.0\nv 0 1 0 nan\nvw 0 1 1\nvp 1\ng a b\nusemtl m\ns "
      "off\nl 1 2\np 1\nf 1 2 3\n",
      "a.obj");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->mesh.vertex_count(), 3u);
  EXPECT_EQ(file->mesh.face_count(), 1u);
  ASSERT_EQ(file->warnings.size(), 1u);
  EXPECT_NE(file->warnings[0].find("line 12"), std::string::npos);
  EXPECT_EQ(file->edges.size(), 1u);
}

TEST(Obj, PointsOnlyIsAMeshWithoutFaces) {
  const PolyMesh mesh = read_obj_text("v 0 0 0\nv 1 0 0\np 1 2\n");
  EXPECT_EQ(mesh.vertex_count(), 2u);
  EXPECT_EQ(mesh.face_count(), 0u);
}

TEST(Obj, OddExponentsAreReadAndTextureCoordinatesThatAreNoNumbersAreZero) {
  const auto file =
      read_obj("v 3.1+e2 3.1-e2 -1E-2\nv 1 0 0\nv 0 1 0\nvt nan 1\nvt 0.5\nf 1/1 2/2 3/2\n", "a.obj");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->mesh.positions[0], Vec3(310, 0.031, -0.01));
  EXPECT_EQ(file->mesh.texcoords[0], Vec2f(0, 1));
  EXPECT_EQ(file->mesh.texcoords[1], Vec2f(0.5f, 1));
  EXPECT_EQ(file->warnings.size(), 2u);
}

TEST(Obj, BrokenFilesAreRefusedWithTheLine) {
  expect_obj_refused("", "no vertices");
  expect_obj_refused("# only a comment\n", "no vertices");
  expect_obj_refused(std::string_view("\x89PNG\r\n\x1a\n\0\0\0", 11), "no vertices");
  expect_obj_refused("v 1 2\n", "line 1: a vertex needs three");
  expect_obj_refused("\nv 1 2 x\n", "line 2: 'x' is not a finite number");
  expect_obj_refused("v 0 0 nan\n", "'nan'");
  expect_obj_refused("v 0 1.#IND 0\n", "'1.#IND'");
  expect_obj_refused("v 0 1e999 0\n", "'1e999'");
  expect_obj_refused(std::string(kSquare) + "f 1 2 5\n",
                     "line 5: a face names vertex 5, but the file has vertices 1 to 4");
  expect_obj_refused(std::string(kSquare) + "f 0 1 2\n", "line 5: a face names vertex 0");
  expect_obj_refused(std::string(kSquare) + "f -5 1 2\n", "line 5: a face names vertex -5, but only 4");
  expect_obj_refused(std::string(kSquare) + "f 1 2 99999999999999999999\n", "line 5");
  expect_obj_refused(std::string(kSquare) + "f 1 2 -9223372036854775808\n", "line 5");
  expect_obj_refused(std::string(kSquare) + "f 1 2 three\n", "'three' is not a face corner");
  expect_obj_refused(std::string(kSquare) + "f 1/x 2 3\n", "'1/x' is not a face corner");
  expect_obj_refused(std::string(kSquare) + "f 1.5 2 3\n", "'1.5' is not a face corner");
}

TEST(Obj, TheFirstOfSeveralErrorsIsReported) {
  std::string text(kSquare);
  for (int i = 0; i < 200'000; ++i) text += i == 50'000 || i == 150'000 ? "f 7 7 7\n" : "f 1 2 3 4\n";
  expect_obj_refused(text, "line 50005:");
}

TEST(Obj, TheWriterPutsIndicesOnlyWhereThereAreLines) {
  PolyMesh mesh;
  mesh.positions = {Vec3(0, -0.0, 1.0 / 3), Vec3(1, 0, 0), Vec3(0, 1e10, 0)};
  mesh.add_face({0, 1, 2});
  EXPECT_EQ(write_obj(mesh), "v 0 0 0.333333333\nv 1 0 0\nv 0 1e+10 0\nf 1 2 3\n");
  mesh.normals.assign(3, Vec3f(0, 0, 1));
  EXPECT_EQ(write_obj(mesh).substr(write_obj(mesh).find("vn")),
            "vn 0 0 1\nvn 0 0 1\nvn 0 0 1\nf 1//1 2//2 3//3\n");
  mesh.texcoords.assign(3, Vec2f(0.3f, 0.3f));
  EXPECT_NE(write_obj(mesh).find("vt 0.3 0.7\n"), std::string::npos);
  EXPECT_NE(write_obj(mesh).find("f 1/1/1 2/2/2 3/3/3\n"), std::string::npos);
  mesh.normals.clear();
  EXPECT_NE(write_obj(mesh).find("f 1/1 2/2 3/3\n"), std::string::npos);
  EXPECT_EQ(write_obj(PolyMesh()), "");
}

}  // namespace
}  // namespace sinew
