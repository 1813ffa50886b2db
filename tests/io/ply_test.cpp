// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "io/bytes.h"
#include "sinew/io/mesh_files.h"

namespace sinew {
namespace {

PolyMesh read_ply_bytes(std::string_view bytes) {
  const auto file = read_ply(bytes, "test.ply");
  EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.error().message);
  return file.ok() ? file->mesh : PolyMesh();
}

void expect_ply_refused(std::string_view bytes, std::string_view place) {
  const auto file = read_ply(bytes, "test.ply");
  ASSERT_FALSE(file.ok()) << bytes;
  EXPECT_EQ(file.error().code, ErrorCode::kBadInput);
  EXPECT_NE(file.error().message.find("test.ply"), std::string::npos) << file.error().message;
  EXPECT_NE(file.error().message.find(place), std::string::npos) << file.error().message;
}

constexpr std::string_view kElements =
    "element vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    "element face 2\nproperty list uchar int vertex_indices\nend_header\n";
constexpr std::string_view kBody = "0 0 0\n1 0 0\n1 1 0\n0 1 0.5\n3 0 1 2\n4 0 1 2 3\n";

std::string ascii(std::string_view elements, std::string_view body) {
  return "ply\nformat ascii 1.0\n" + std::string(elements) + std::string(body);
}

void expect_square(const PolyMesh& mesh) {
  ASSERT_EQ(mesh.vertex_count(), 4u);
  EXPECT_EQ(mesh.positions[3], Vec3(0, 1, 0.5));
  ASSERT_EQ(mesh.face_count(), 2u);
  EXPECT_EQ(mesh.face_vertices, (std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2, 3}));
}

TEST(Ply, WhatIsWrittenIsReadBack) {
  PolyMesh mesh;
  for (int i = 0; i < 400; ++i) {
    mesh.positions.emplace_back(i * 0.5, -i, i * 0.25);
    mesh.normals.emplace_back(0.0f, 0.0f, 1.0f);
    mesh.texcoords.emplace_back(static_cast<float>(i) / 512, static_cast<float>(i) / 1024);
  }
  mesh.add_face({0, 1, 2, 3});
  mesh.add_face({7, 5, 6});
  for (const bool large : {false, true}) {
    if (large) {
      std::vector<std::uint32_t> corners(256);
      for (std::uint32_t k = 0; k < 256; ++k) corners[k] = k;
      mesh.add_face(corners);
    }
    const PolyMesh back = read_ply_bytes(write_ply(mesh));
    EXPECT_TRUE(back.positions == mesh.positions);
    EXPECT_TRUE(back.normals == mesh.normals);
    EXPECT_TRUE(back.texcoords == mesh.texcoords);
    EXPECT_EQ(back.face_offsets, mesh.face_offsets);
    EXPECT_EQ(back.face_vertices, mesh.face_vertices);
  }
  EXPECT_EQ(read_ply_bytes(write_ply(PolyMesh())).vertex_count(), 0u);
}

TEST(Ply, TextIsRead) {
  expect_square(read_ply_bytes(ascii(kElements, kBody)));
}

TEST(Ply, HeadersWithEveryLineEndAreRead) {
  for (const std::string_view end : {"\r\n", "\r"}) {
    std::string text;
    for (const char c : ascii(kElements, kBody)) text += c == '\n' ? std::string(end) : std::string(1, c);
    expect_square(read_ply_bytes(text));
  }
}

template <class Number>
void append_all(std::string& out, io::ByteOrder order, std::initializer_list<double> numbers) {
  for (const double number : numbers) io::append(out, static_cast<Number>(number), order);
}

TEST(Ply, EveryNumberTypeInBothByteOrdersIsReadAndTheUnknownSkipped) {
  for (const auto order : {io::ByteOrder::kLittle, io::ByteOrder::kBig}) {
    std::string bytes = "ply\nformat binary_" + std::string(order == io::ByteOrder::kBig ? "big" : "little") +
                        "_endian 1.0\ncomment x\nobj_info y\n"
                        "element camera 1\nproperty list ushort double intrinsics\nproperty int8 flag\n"
                        "element vertex 4\nproperty uchar red\nproperty double x\nproperty short y\nproperty "
                        "list uint8 int16 skipped\nproperty float z\n"
                        "element face 2\nproperty uint32 material\nproperty list int32 uint16 "
                        "vertex_index\nproperty char tag\n"
                        "element nothing 4000000000\nend_header\n";
    append_all<std::uint16_t>(bytes, order, {2});
    append_all<double>(bytes, order, {1, 2});
    append_all<std::int8_t>(bytes, order, {-1});
    const double positions[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0.5}};
    for (const auto& position : positions) {
      append_all<std::uint8_t>(bytes, order, {200});
      append_all<double>(bytes, order, {position[0]});
      append_all<std::int16_t>(bytes, order, {position[1]});
      append_all<std::uint8_t>(bytes, order, {3});
      append_all<std::int16_t>(bytes, order, {-7, 8, 9});
      append_all<float>(bytes, order, {position[2]});
    }
    for (const int corners : {3, 4}) {
      append_all<std::uint32_t>(bytes, order, {7});
      append_all<std::int32_t>(bytes, order, {static_cast<double>(corners)});
      for (int k = 0; k < corners; ++k) append_all<std::uint16_t>(bytes, order, {static_cast<double>(k)});
      append_all<std::int8_t>(bytes, order, {1});
    }
    expect_square(read_ply_bytes(bytes));
    for (std::size_t cut = 1; cut < 60; ++cut)
      EXPECT_FALSE(read_ply(std::string_view(bytes).substr(0, bytes.size() - cut), "cut.ply").ok()) << cut;
  }
}

TEST(Ply, BinaryDataMayBeginWithALineFeed) {
  std::string bytes =
      "ply\rformat binary_little_endian 1.0\relement vertex 1\rproperty uchar x\rproperty uchar y\rproperty "
      "uchar z\rend_header\r";
  bytes += "\n\x02\x03";
  EXPECT_EQ(read_ply_bytes(bytes).positions[0], Vec3(10, 2, 3));
}

TEST(Ply, FacesMayComeBeforeVertices) {
  const PolyMesh mesh = read_ply_bytes(
      ascii("element face 1\nproperty list uchar int vertex_index\nelement vertex 3\nproperty float "
            "z\nproperty float y\nproperty float x\nend_header\n",
            "3 2 1 0\n0 0 0\n0 0 1\n0 1 0\n"));
  EXPECT_EQ(mesh.positions[1], Vec3(1, 0, 0));
  EXPECT_EQ(mesh.face_vertices, (std::vector<std::uint32_t>{2, 1, 0}));
}

TEST(Ply, UnneededValuesThatAreNoNumbersDoNotMatter) {
  const PolyMesh mesh = read_ply_bytes(
      ascii("element vertex 1\nproperty float x\nproperty float y\nproperty float z\nproperty float "
            "nx\nproperty float ny\nproperty float nz\nproperty float quality\nend_header\n",
            "1 2 3 nan 1e39 1 inf\n"));
  EXPECT_EQ(mesh.normals[0], Vec3f(0, 0, 1));
}

TEST(Ply, SmallFacesAndStripsAreNoted) {
  const auto file =
      read_ply(ascii("element vertex 2\nproperty float x\nproperty float y\nproperty float z\n"
                     "element face 1\nproperty list uchar int vertex_indices\nelement tristrips 1\n"
                     "property list int int vertex_indices\nend_header\n",
                     "0 0 0\n1 0 0\n2 0 1\n3 0 1 0\n"),
               "a.ply");
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->mesh.face_count(), 0u);
  EXPECT_EQ(file->warnings.size(), 2u);
}

TEST(Ply, BrokenFilesAreRefusedWithThePlace) {
  expect_ply_refused("", "does not begin");
  expect_ply_refused("plyx\n", "does not begin");
  expect_ply_refused("ply\nformat ascii 1.0\nelement vertex 1\n", "end_header");
  expect_ply_refused(
      "ply\nelement vertex 0\nproperty float x\nproperty float y\nproperty float z\nend_header\n", "format");
  expect_ply_refused("ply\nformat ebcdic 1.0\nend_header\n", "line 2");
  expect_ply_refused("ply\nformat ascii 1.0\nelement vertex -1\nend_header\n", "line 3");
  expect_ply_refused("ply\nformat ascii 1.0\nelement vertex\nend_header\n", "line 3");
  expect_ply_refused("ply\nformat ascii 1.0\nproperty float x\nend_header\n", "before the first element");
  expect_ply_refused("ply\nformat ascii 1.0\nelement vertex 1\nproperty quux x\nend_header\n", "'quux'");
  expect_ply_refused("ply\nformat ascii 1.0\nelement vertex 1\nproperty list float int x\nend_header\n",
                     "'float'");
  expect_ply_refused("ply\nformat ascii 1.0\nwhatever\nend_header\n", "'whatever'");
  expect_ply_refused("ply\nformat ascii 1.0\nend_header\n", "no element 'vertex'");
  // Faces behind a longer list must not name what the shorter one lacks.
  const std::string xyz = "property float x\nproperty float y\nproperty float z\n";
  const std::string zeros = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
  expect_ply_refused(
      "ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_index\nelement vertex 3\n" +
          xyz + "element vertex 5\n" + xyz + "end_header\n3 2 3 4\n" + zeros,
      "more than one element 'vertex'");
  expect_ply_refused("ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\nend_header\n",
                     "lack x, y or z");
  expect_ply_refused(ascii("element vertex 4611686018427387904\nproperty float x\nproperty float y\nproperty "
                           "float z\nend_header\n",
                           "0 0 0\n"),
                     "too short");
  expect_ply_refused(ascii(kElements, "0 0 0\n1 0 0\n1 1 0\n0 1 x\n3 0 1 2\n4 0 1 2 3\n"),
                     "line 4: vertex 3");
  expect_ply_refused(ascii(kElements, "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 4\n4 0 1 2 3\n"),
                     "line 5: face 0 names a vertex");
  expect_ply_refused(ascii(kElements, "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 1.5\n4 0 1 2 3\n"), "face 0");
  expect_ply_refused(ascii(kElements, "0 0 0\n1 0 0\n1 1 0\n0 1 0\n-3 0 1 2\n4 0 1 2 3\n"),
                     "number of corners");
  expect_ply_refused(ascii(kElements, "0 0 0\n1 0 0\n1 1 0\n0 1 0\n999999999 0 1 2\n4 0 1 2 3\n"),
                     "cut short");
  expect_ply_refused(ascii(kElements, "0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n4 0 1\n"),
                     "face 1 of 2 is cut short");
  std::string nan =
      "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty "
      "float z\nend_header\n";
  append_all<float>(nan, io::ByteOrder::kLittle, {0, std::nan(""), 0});
  expect_ply_refused(nan, "vertex 0 has a position");
}

}  // namespace
}  // namespace sinew
