// SPDX-License-Identifier: Apache-2.0
#include "sinew/io/looks.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sinew {
namespace {

TEST(Mtl, ValuesBecomeThoseOfGltf) {
  std::vector<std::string> textures;
  const auto materials = read_mtl(
      "Kd 1 1 1\nnewmtl my skin \r\nKd 0.1 0.2 0.3\nTr 0.25\nNs 250\nmap_Kd -s 2 2 -o 0.5 -mm 0 1 -clamp on "
      "wood "
      "grain.png\nnewmtl b\nPr 0.3\nNs 10\nPm 2\nKd 0.5\nd -halo 0.2\nKd spectral x.rfl\nmap_Kd -odd "
      "name.png\n",
      textures);
  ASSERT_EQ(materials.size(), 2u);
  EXPECT_EQ(materials[0].name, "my skin");
  EXPECT_EQ(materials[0].colour, Vec3f(0.1f, 0.2f, 0.3f));
  EXPECT_FLOAT_EQ(materials[0].opacity, 0.75f);
  EXPECT_FLOAT_EQ(materials[0].roughness, 0.5f);  // (1 - r)^2 * 1000 = 250
  EXPECT_EQ(textures[0], "wood grain.png");
  EXPECT_FLOAT_EQ(materials[1].roughness, 0.3f);
  EXPECT_EQ(materials[1].metallic, 1);
  EXPECT_EQ(materials[1].opacity, 1);
  EXPECT_EQ(materials[1].colour, Vec3f::Constant(0.5f));
  EXPECT_EQ(textures[1], "-odd name.png");
}

TEST(Mtl, WhatIsWrittenReadsTheSame) {
  std::vector<Material> materials(2);
  materials[0] = {"a", {0.25f, 0.5f, 1}, 0.5f, 0.125f, 0.375f, -1};
  materials[1] = {"b", Vec3f::Ones(), 1, 1, 0, 0};
  const std::vector<std::string> files = {"b_skin.png"};
  std::vector<std::string> textures;
  const auto again = read_mtl(write_mtl(materials, files), textures);
  ASSERT_EQ(again.size(), 2u);
  for (std::size_t m = 0; m < 2; ++m) {
    EXPECT_EQ(again[m].name, materials[m].name);
    EXPECT_EQ(again[m].colour, materials[m].colour);
    EXPECT_EQ(again[m].opacity, materials[m].opacity);
    EXPECT_EQ(again[m].metallic, materials[m].metallic);
    EXPECT_EQ(again[m].roughness, materials[m].roughness);
  }
  EXPECT_EQ(textures, (std::vector<std::string>{"", "b_skin.png"}));
}

TEST(Mtl, ThousandsOfMaterialsAreCutOff) {
  std::string text;
  for (int m = 0; m < 5000; ++m) text += "newmtl m" + std::to_string(m) + "\n";
  std::vector<std::string> textures;
  EXPECT_EQ(read_mtl(text, textures).size(), 1000u);
}

TEST(ObjLooks, FacesAreInOrderByMaterialAndSharedVerticesAreCopied) {
  auto file = read_obj(
      "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 9 9 9\nl 2 5\nusemtl b\nf 1 2 3\nusemtl a\nf 1 3 4\nusemtl b\nf "
      "3 2 1\n",
      "a.obj");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->materials, (std::vector<std::string>{"b", "a"}));
  EXPECT_EQ(file->face_materials, (std::vector<std::uint32_t>{0, 1, 0}));
  const PolyMesh before = file->mesh;
  std::vector<MeshPart> parts;
  const Looks looks = looks_of_obj(*file, parts, nullptr);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].vertex_count, 4u);  // 1 2 3 and the one of no face
  EXPECT_EQ(parts[1].vertex_begin, 4u);
  EXPECT_EQ(parts[1].vertex_count, 3u);
  EXPECT_EQ(parts[0].face_count, 2u);
  // The same corners, face by face.
  const std::size_t order[] = {0, 2, 1};
  for (std::size_t f = 0; f < 3; ++f)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(file->mesh.positions[file->mesh.face(f)[k]], before.positions[before.face(order[f])[k]]);
  EXPECT_EQ(file->mesh.positions[file->edges[0][1]], Vec3(9, 9, 9));
  EXPECT_EQ(looks.materials[1].name, "a");
  EXPECT_EQ(looks.part_materials, (std::vector<int>{0, 1}));
}

// As a rig of several meshes with one material is written: a shape for it must keep the order.
TEST(ObjLooks, VerticesStayInOrderWhereEveryRunOfFacesHasItsOwn) {
  auto file = read_obj(
      "v 8 8 8\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 2 0 0\nv 3 0 0\nv 3 1 0\nv 9 9 9\nv 4 0 0\nv 5 0 0\nv 5 1 0\n"
      "usemtl b\nf 2 3 4\nusemtl a\nf 5 6 7\nusemtl b\nf 9 10 11\nf 11 10 9\n",
      "a.obj");
  ASSERT_TRUE(file.ok());
  const PolyMesh before = file->mesh;
  std::vector<MeshPart> parts;
  const Looks looks = looks_of_obj(*file, parts, nullptr);
  EXPECT_EQ(file->mesh.positions, before.positions);
  EXPECT_EQ(file->mesh.face_vertices, before.face_vertices);
  EXPECT_EQ(looks.part_materials, (std::vector<int>{0, 1, 0}));
  ASSERT_EQ(parts.size(), 3u);
  const std::size_t vertices[] = {0, 4, 8, 11}, faces[] = {0, 1, 2, 4};
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_EQ(parts[p].vertex_begin, vertices[p]);
    EXPECT_EQ(parts[p].vertex_count, vertices[p + 1] - vertices[p]);
    EXPECT_EQ(parts[p].face_begin, faces[p]);
    EXPECT_EQ(parts[p].face_count, faces[p + 1] - faces[p]);
  }
}

TEST(ObjLooks, ColoursAreLinearAndOfCopiesToo) {
  auto file = read_obj(
      "v 0 0 0 255 0 188\nv 1 0 0 0 0 0\nv 0 1 0 255 255 255\nvt 0 0\nvt 1 0\nf 1/1 2/1 3/1\nf 1/2 3/1 2/1\n",
      "a.obj");
  ASSERT_TRUE(file.ok());
  std::vector<MeshPart> parts;
  const Looks looks = looks_of_obj(*file, parts, nullptr);
  ASSERT_EQ(looks.colours.size(), 4u);
  EXPECT_EQ(looks.colours[0], looks.colours[3]);
  EXPECT_NEAR(looks.colours[0].z(), std::pow((188 / 255.0 + 0.055) / 1.055, 2.4), 1e-6);
  EXPECT_EQ(looks.colours[0].x(), 1);
  EXPECT_TRUE(read_obj("v 0 0 0 1\nv 1 0 0 1\nv 0 1 0 1\nf 1 2 3\n", "w.obj")->colours.empty());
}

}  // namespace
}  // namespace sinew
