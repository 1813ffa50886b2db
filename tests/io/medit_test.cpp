// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sinew/io/asset.h"
#include "sinew/io/mesh_files.h"

namespace sinew {
namespace {

const std::string kMeditHead = "MeshVersionFormatted 1\n# a comment\nDimension\n3\n";
const std::string kMeditPoints = "Vertices 5\n0 0 0 1\n1 0 0 1\n0 1 0 1\n0 0 1 1\n1 1 0 2\n";

TEST(Medit, TrianglesAndQuadsKeepTheirVerticesAndOrder) {
  const auto file =
      read_medit(kMeditHead + kMeditPoints +
                     "RequiredVertices 2\n1\n2\nTriangles\n1\n1 2 4 7\nQuadrilaterals\n1\n1 2 5 3 "
                     "9\nEdges 1\n1 2 0\nEnd\n",
                 "a.mesh");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->mesh.vertex_count(), 5u);
  ASSERT_EQ(file->mesh.face_count(), 2u);
  EXPECT_EQ(file->mesh.face(0)[2], 3u);
  EXPECT_EQ(file->mesh.face(1).size(), 4u);
  EXPECT_EQ(file->mesh.positions[4], Vec3(1, 1, 0));
}

TEST(Medit, TetrahedraAloneGiveTheirHullFacingOutwards) {
  const auto file =
      read_medit(kMeditHead + kMeditPoints + "Tetrahedra 2\n1 2 3 4 0\n2 5 3 4 0\nEnd\n", "a.mesh");
  ASSERT_TRUE(file.ok()) << file.error().message;
  ASSERT_EQ(file->mesh.face_count(), 6u);
  double volume = 0;
  for (std::size_t f = 0; f < 6; ++f) {
    const auto face = file->mesh.face(f);
    const auto& p = file->mesh.positions;
    volume += p[face[0]].dot(p[face[1]].cross(p[face[2]])) / 6;
  }
  EXPECT_NEAR(volume, 1.0 / 3, 1e-12);
}

TEST(Medit, ItIsKnownByItsEnding) {
  const auto asset = read_asset(kMeditHead + kMeditPoints + "Triangles 1\n1 2 3 0\nEnd\n", "a.mesh");
  ASSERT_TRUE(asset.ok()) << asset.error().message;
  EXPECT_EQ(asset->rig.mesh.face_count(), 1u);
}

TEST(Medit, WhatIsBrokenIsSaidWithItsLine) {
  const auto expect_bad = [](const std::string& text, const char* what) {
    const auto file = read_medit(text, "a.mesh");
    ASSERT_FALSE(file.ok()) << text;
    EXPECT_EQ(file.error().code, ErrorCode::kBadInput);
    EXPECT_NE(file.error().message.find(what), std::string::npos) << file.error().message;
  };
  expect_bad("", "MeshVersionFormatted");
  expect_bad("MeshVersionFormatted 1\nDimension 2\n", "in space");
  expect_bad(kMeditHead, "Vertices");
  expect_bad(kMeditHead + "Vertices 4000000000\n0 0 0 0\n", "too short");
  expect_bad(kMeditHead + "Vertices 2\n0 0 0 0\n0 x 0 0\n", "line 7");
  expect_bad(kMeditHead + "Vertices 2\n0 0 0 0\n", "cut short");
  expect_bad(kMeditHead + kMeditPoints + kMeditPoints, "second");
  expect_bad(kMeditHead + kMeditPoints + "Triangles 1\n0 1 2 0\n", "counted from 1");
  expect_bad(kMeditHead + kMeditPoints + "Triangles 1\n1 2 6 0\n", "vertex 6");
  expect_bad(kMeditHead + kMeditPoints + "Triangles 1\n1 2\n", "no vertex");
}

}  // namespace
}  // namespace sinew
