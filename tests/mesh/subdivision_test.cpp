// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/subdivision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/data.h"
#include "support/mesh_file.h"
#include "support/shapes.h"

namespace sinew {
namespace {

using Edge = std::pair<std::uint32_t, std::uint32_t>;

// Catmull-Clark as the textbook says it, with maps and sets; vertices, edges in rising order, faces.
PolyMesh textbook_step(const PolyMesh& mesh) {
  std::map<Edge, std::vector<std::size_t>> edges;
  std::vector<Vec3> face_points;
  std::vector<std::set<std::size_t>> faces_at(mesh.vertex_count());
  std::vector<std::set<Edge>> edges_at(mesh.vertex_count());
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    Vec3 middle = Vec3::Zero();
    for (std::size_t c = 0; c < face.size(); ++c) {
      middle += mesh.positions[face[c]] / static_cast<double>(face.size());
      const std::uint32_t a = face[c], b = face[(c + 1) % face.size()];
      edges[std::minmax(a, b)].push_back(f);
      faces_at[a].insert(f);
      edges_at[a].insert(std::minmax(a, b));
      edges_at[b].insert(std::minmax(a, b));
    }
    face_points.push_back(middle);
  }
  const auto middle_of = [&](const Edge& e) {
    return Vec3((mesh.positions[e.first] + mesh.positions[e.second]) / 2);
  };
  PolyMesh out;
  for (std::size_t v = 0; v < mesh.vertex_count(); ++v) {
    const Vec3& p = mesh.positions[v];
    std::vector<Vec3> boundary;
    Vec3 rim = Vec3::Zero(), faces = Vec3::Zero();
    for (const Edge& e : edges_at[v]) {
      rim += middle_of(e);
      if (edges[e].size() == 1) boundary.push_back(middle_of(e));
    }
    for (const std::size_t f : faces_at[v]) faces += face_points[f];
    const double n = static_cast<double>(edges_at[v].size());
    if (boundary.size() == 2)
      out.positions.push_back((boundary[0] + boundary[1] + 2 * p) / 4);
    else if (!boundary.empty() || edges_at[v].empty())
      out.positions.push_back(p);
    else
      out.positions.push_back((faces / n + 2 * rim / n + (n - 3) * p) / n);
  }
  std::map<Edge, std::uint32_t> edge_index;
  for (const auto& [edge, faces] : edges) {
    edge_index[edge] = static_cast<std::uint32_t>(out.positions.size());
    Vec3 point = middle_of(edge);
    if (faces.size() == 2) point = point / 2 + (face_points[faces[0]] + face_points[faces[1]]) / 4;
    out.positions.push_back(point);
  }
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    const auto centre = static_cast<std::uint32_t>(out.positions.size());
    out.positions.push_back(face_points[f]);
    for (std::size_t c = 0; c < face.size(); ++c) {
      const std::uint32_t next = face[(c + 1) % face.size()],
                          before = face[(c + face.size() - 1) % face.size()];
      out.add_face({face[c], edge_index[std::minmax(face[c], next)], centre,
                    edge_index[std::minmax(before, face[c])]});
    }
  }
  return out;
}

std::vector<Vec3f> floats(const std::vector<Vec3>& points) {
  std::vector<Vec3f> out;
  for (const Vec3& p : points) out.push_back(p.cast<float>());
  return out;
}

void expect_textbook(const PolyMesh& mesh, int levels, double size) {
  PolyMesh expected = mesh;
  for (int k = 0; k < levels; ++k) expected = textbook_step(expected);
  const auto made = Subdivision::build(mesh, levels);
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_EQ(made->vertex_count(), expected.vertex_count());
  EXPECT_EQ(made->mesh().face_vertices, expected.face_vertices);
  EXPECT_EQ(made->mesh().face_offsets, expected.face_offsets);
  std::vector<Vec3f> points(made->vertex_count());
  made->apply(floats(mesh.positions), points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    EXPECT_LT((made->mesh().positions[i] - expected.positions[i]).norm(), 1e-12 * size) << i;
    EXPECT_LT((points[i].cast<double>() - expected.positions[i]).norm(), 1e-6 * size) << i;
  }
}

// A cube of 24 vertices, as files with texture seams have it.
PolyMesh seamed(const PolyMesh& mesh) {
  PolyMesh out;
  const Vec2f corner[4] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    std::vector<std::uint32_t> face;
    for (const std::uint32_t v : mesh.face(f)) {
      face.push_back(static_cast<std::uint32_t>(out.positions.size()));
      out.positions.push_back(mesh.positions[v]);
      out.texcoords.push_back(corner[face.size() - 1]);
    }
    out.add_face(face);
  }
  return out;
}

TEST(Subdivision, TheFirstStepOfACubeIsKnown) {
  const PolyMesh cube = test::box(Vec3(-1, -1, -1), Vec3(1, 1, 1));
  ASSERT_EQ(cube.vertex_count(), 8u);
  const auto made = Subdivision::build(cube, 1);
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made->vertex_count(), 26u);
  EXPECT_EQ(made->mesh().face_count(), 24u);
  for (std::size_t i = 0; i < 26; ++i) {
    Vec3 p = made->mesh().positions[i].cwiseAbs();
    std::sort(p.data(), p.data() + 3);
    const Vec3 expected = i < 8    ? Vec3(5.0 / 9, 5.0 / 9, 5.0 / 9)
                          : i < 20 ? Vec3(0, 0.75, 0.75)
                                   : Vec3(0, 0, 1);
    EXPECT_LT((p - expected).norm(), 1e-12) << i;
  }
}

TEST(Subdivision, AgreesWithTheTextbook) {
  for (const int levels : {0, 1, 2, 3}) expect_textbook(test::box(Vec3(0, 0, 0), Vec3(1, 2, 3)), levels, 3);
  PolyMesh open = test::box(Vec3(0, 0, 0), Vec3(1, 2, 3));  // without its last face
  open.face_offsets.pop_back();
  open.face_vertices.resize(open.face_offsets.back());
  open.positions.push_back(Vec3(5, 5, 5));  // on no face
  expect_textbook(open, 2, 5);
}

TEST(Subdivision, AgreesWithTheTextbookOnABodyFromElsewhere) {
  SINEW_REQUIRE_DATA(data);
  const PolyMesh body = test::read_test_mesh(data / "quad" / "mh_male1591.obj");
  ASSERT_EQ(body.vertex_count(), 1591u);
  expect_textbook(body, 1, 20);
  expect_textbook(body, 2, 20);
}

TEST(Subdivision, SeamsNeitherOpenNorCreaseAndTextureIsLinear) {
  const PolyMesh cube = test::box(Vec3(-1, -1, -1), Vec3(1, 1, 1));
  const auto whole = Subdivision::build(cube, 2), cut = Subdivision::build(seamed(cube), 2);
  ASSERT_TRUE(whole.ok() && cut.ok());
  EXPECT_EQ(cut->vertex_count(), 6u * 25u);
  EXPECT_EQ(cut->control_count(), 24u);
  ASSERT_EQ(cut->mesh().texcoords.size(), cut->vertex_count());
  // Corner by corner the same surface.
  ASSERT_EQ(cut->mesh().face_vertices.size(), whole->mesh().face_vertices.size());
  std::vector<Vec3f> points(cut->vertex_count()), normals(cut->vertex_count());
  cut->apply(floats(seamed(cube).positions), points);
  cut->normals(points, normals);
  for (std::size_t c = 0; c < cut->mesh().face_vertices.size(); ++c) {
    const std::uint32_t v = cut->mesh().face_vertices[c], w = whole->mesh().face_vertices[c];
    EXPECT_LT((cut->mesh().positions[v] - whole->mesh().positions[w]).norm(), 1e-12);
    EXPECT_LT((points[v].cast<double>() - whole->mesh().positions[w]).norm(), 1e-6);
  }
  // Normals agree across seams, and point outwards.
  std::map<std::array<float, 3>, Vec3f> at;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [place, fresh] = at.try_emplace({points[i].x(), points[i].y(), points[i].z()}, normals[i]);
    EXPECT_LT((place->second - normals[i]).norm(), 1e-6);
    EXPECT_GT(normals[i].dot(points[i].normalized()), 0.8f);
  }
  EXPECT_EQ(at.size(), whole->vertex_count());
  // A quarter of a face is a quarter of its texture.
  for (std::size_t f = 0; f < cut->mesh().face_count(); ++f) {
    Vec2f low(2, 2), high(-1, -1);
    for (const std::uint32_t v : cut->mesh().face(f)) {
      low = low.cwiseMin(cut->mesh().texcoords[v]);
      high = high.cwiseMax(cut->mesh().texcoords[v]);
    }
    EXPECT_LT((high - low - Vec2f(0.25f, 0.25f)).norm(), 1e-6);
  }
}

TEST(Subdivision, BoxesThatTouchStayApartWhereWeldingWouldMakeOneEdgeOfFourFaces) {
  const PolyMesh two =
      test::joined({test::box(Vec3(0, 0, 0), Vec3(1, 1, 1)), test::box(Vec3(1, 1, 0), Vec3(2, 2, 1))});
  const auto made = Subdivision::build(two, 1);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->vertex_count(), 52u);
}

TEST(Subdivision, FacesWhoseCornersFallTogetherLoseThoseOrGo) {
  // A cube with a corner doubled in one quad, and a triangle along an edge: the surface of the cube.
  const PolyMesh cube = test::box(Vec3(-1, -1, -1), Vec3(1, 1, 1));
  PolyMesh dirty;
  dirty.positions = cube.positions;
  dirty.positions.push_back(cube.positions[cube.face(0)[0]]);  // a second vertex at the first corner
  for (std::size_t f = 0; f < cube.face_count(); ++f) {
    std::vector<std::uint32_t> face(cube.face(f).begin(), cube.face(f).end());
    if (f == 0) face.push_back(8);
    dirty.add_face(face);
  }
  dirty.add_face({cube.face(0)[0], cube.face(0)[1], 8});
  const auto clean = Subdivision::build(cube, 2), made = Subdivision::build(dirty, 2);
  ASSERT_TRUE(clean.ok() && made.ok());
  ASSERT_EQ(made->mesh().face_count(), clean->mesh().face_count());
  for (std::size_t c = 0; c < clean->mesh().face_vertices.size(); ++c)
    EXPECT_LT((made->mesh().positions[made->mesh().face_vertices[c]] -
               clean->mesh().positions[clean->mesh().face_vertices[c]])
                  .norm(),
              1e-12);
}

TEST(Subdivision, SaysWhatItCannotDo) {
  const PolyMesh cube = test::box(Vec3(0, 0, 0), Vec3(1, 1, 1));
  EXPECT_EQ(Subdivision::build(cube, -1).error().code, ErrorCode::kUsage);
  EXPECT_EQ(Subdivision::build(cube, 7).error().code, ErrorCode::kUsage);
  PolyMesh fan;
  for (int k = 0; k < 5; ++k) fan.positions.push_back(Vec3(k, k * k, k % 2));
  fan.add_face({0, 1, 2});
  fan.add_face({1, 0, 3});
  fan.add_face({0, 1, 4});
  EXPECT_EQ(Subdivision::build(fan, 1).error().code, ErrorCode::kBadInput);
  PolyMesh large;
  large.positions.assign(4, Vec3::Zero());
  for (int f = 0; f < 5000; ++f) large.add_face({0, 1, 2, 3});
  EXPECT_EQ(Subdivision::build(large, 6).error().code, ErrorCode::kLimit);
}

}  // namespace
}  // namespace sinew
