// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/poly_mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "sinew/core/parallel.h"
#include "support/data.h"
#include "support/mesh_file.h"
#include "support/shapes.h"

namespace sinew {
namespace {

Vec3 area_vector(const PolyMesh& mesh, const Triangle& t) {
  return 0.5 *
         (mesh.positions[t[1]] - mesh.positions[t[0]]).cross(mesh.positions[t[2]] - mesh.positions[t[0]]);
}

Vec3 area_vector(const PolyMesh& mesh, std::span<const std::uint32_t> face) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t k = 0; k < face.size(); ++k)
    sum += 0.5 * mesh.positions[face[k]].cross(mesh.positions[face[(k + 1) % face.size()]]);
  return sum;
}

PolyMesh polygon(const std::vector<Vec3>& outline) {
  PolyMesh mesh;
  mesh.positions = outline;
  std::vector<std::uint32_t> corners(outline.size());
  for (std::size_t k = 0; k < outline.size(); ++k) corners[k] = static_cast<std::uint32_t>(k);
  mesh.add_face(corners);
  return mesh;
}

double sum_of_areas(const PolyMesh& mesh) {
  double sum = 0;
  for (const Triangle& t : triangulate(mesh).triangles) sum += area_vector(mesh, t).norm();
  return sum;
}

TEST(Triangulate, EveryPolygonBecomesItsCornersMinusTwoConsecutiveTriangles) {
  for (const auto& shape : test::all_shapes()) {
    const TriangleView view = triangulate(shape.mesh);
    std::size_t t = 0;
    for (std::size_t f = 0; f < shape.mesh.face_count(); ++f) {
      const auto face = shape.mesh.face(f);
      const std::set<std::uint32_t> corners(face.begin(), face.end());
      Vec3 sum = Vec3::Zero();
      for (std::size_t k = 0; k + 2 < face.size(); ++k, ++t) {
        ASSERT_LT(t, view.triangles.size());
        EXPECT_EQ(view.face[t], f);
        for (const std::uint32_t v : view.triangles[t]) EXPECT_TRUE(corners.count(v)) << shape.name;
        sum += area_vector(shape.mesh, view.triangles[t]);
      }
      EXPECT_NEAR((sum - area_vector(shape.mesh, face)).norm(), 0, 1e-12) << shape.name;
    }
    EXPECT_EQ(t, view.triangles.size());
  }
}

TEST(Triangulate, ConcavePolygonsKeepTheirArea) {
  EXPECT_NEAR(sum_of_areas(test::concave_polygon()), 3, 1e-12);
  std::vector<Vec3> star, comb;
  for (int k = 0; k < 40; ++k) {
    const double turn = 2 * 3.14159265358979 * k / 40, reach = k % 2 ? 1 : 0.3;
    star.emplace_back(1 + reach * std::cos(turn), 2 + reach * std::sin(turn), 3 + reach * std::cos(turn));
  }
  EXPECT_NEAR(sum_of_areas(polygon(star)), area_vector(polygon(star), polygon(star).face(0)).norm(), 1e-9);
  for (int k = 0; k < 20; ++k) comb.emplace_back(k, k % 2 ? 5 : 1, 0);
  comb.emplace_back(19, 0, 0);
  comb.emplace_back(0, 0, 0);
  EXPECT_NEAR(sum_of_areas(polygon(comb)), area_vector(polygon(comb), polygon(comb).face(0)).norm(), 1e-9);
}

TEST(Triangulate, QuadsTakeTheDiagonalThatKeepsBothHalvesUprightElseTheShorter) {
  // A dart: only the diagonal through its inner corner (1) lies inside.
  const PolyMesh dart = polygon({{0, 0, 0}, {0.2, 0.2, 0}, {0, 1, 0}, {-1, -1, 0}});
  EXPECT_NEAR(sum_of_areas(dart), area_vector(dart, dart.face(0)).norm(), 1e-12);
  const PolyMesh other = polygon({{0.2, 0.2, 0}, {0, 1, 0}, {-1, -1, 0}, {0, 0, 0}});
  EXPECT_NEAR(sum_of_areas(other), area_vector(other, other.face(0)).norm(), 1e-12);
  // Here the one inside is the longer one.
  const PolyMesh arrow = polygon({{0, -5, 0}, {0.5, 1, 0}, {0, 0.5, 0}, {-0.5, 1, 0}});
  EXPECT_NEAR(sum_of_areas(arrow), area_vector(arrow, arrow.face(0)).norm(), 1e-12);
  const TriangleView kite = triangulate(polygon({{0, 0, 0}, {1, -0.4, 0}, {3, 0, 0}, {1, 0.4, 0}}));
  EXPECT_EQ(kite.triangles[0], (Triangle{1, 2, 3}));
  EXPECT_EQ(kite.triangles[1], (Triangle{1, 3, 0}));
}

// As files do that are written and read again.
TEST(Triangulate, QuadsAreCutTheSameWayAfterPositionsAreRoundedToFloats) {
  for (const Vec3& at : {Vec3(0.31, -0.39, 0.29), Vec3(0.1, 1.1, 0.2), Vec3(-0.8, 0.1, 0.6)}) {
    PolyMesh mesh = test::box({0, 0, 0}, {0.1, 0.1, 0.1}, 12);
    const Mat3 turn = Eigen::AngleAxisd(1, at.normalized()).toRotationMatrix();
    for (Vec3& p : mesh.positions) p = turn * p + at;
    PolyMesh rounded = mesh;
    for (Vec3& p : rounded.positions) p = p.cast<float>().cast<double>();
    EXPECT_EQ(triangulate(mesh).triangles, triangulate(rounded).triangles);
  }
}

TEST(Triangulate, QuadsAreCutTheSameWayFromAnyCornerAndTurnedRound) {
  const auto triples = [](const PolyMesh& mesh) {
    std::set<std::set<std::uint32_t>> out;
    for (const Triangle& t : triangulate(mesh).triangles) out.insert({t[0], t[1], t[2]});
    return out;
  };
  for (const PolyMesh& mesh : {test::box({0, 0, 0}, {1, 1, 1}, 3), test::uv_sphere({0, 0, 0}, 1)}) {
    PolyMesh rotated;
    rotated.positions = mesh.positions;
    for (std::size_t f = 0; f < mesh.face_count(); ++f) {
      std::vector<std::uint32_t> corners(mesh.face(f).begin(), mesh.face(f).end());
      std::rotate(corners.begin(), corners.begin() + static_cast<std::ptrdiff_t>(f % corners.size()),
                  corners.end());
      rotated.add_face(corners);
    }
    EXPECT_EQ(triples(mesh), triples(rotated));
    EXPECT_EQ(triples(mesh), triples(test::flipped(mesh)));
  }
}

TEST(Triangulate, CrossingAndFlatOutlinesStillGiveTheirCountOfTriangles) {
  EXPECT_EQ(triangulate(polygon({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}})).triangles.size(),
            3u);
  EXPECT_EQ(triangulate(polygon({{0, 0, 0}, {2, 2, 0}, {2, 0, 0}, {0, 2, 0}, {1, 5, 0}})).triangles.size(),
            3u);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(triangulate(polygon({{0, 0, 0}, {nan, 2, 0}, {2, 0, 0}, {0, 2, 0}, {1, 5, 0}})).triangles.size(),
            3u);
  EXPECT_TRUE(triangulate(PolyMesh{}).triangles.empty());
}

TEST(Triangulate, PolygonsOfRealCharactersKeepTheirOrientedArea) {
  SINEW_REQUIRE_DATA(data);
  const PolyMesh mesh = test::read_test_mesh(data / "quad" / "q_trex_quad.obj");
  ASSERT_EQ(mesh.face_count(), 838u);
  const TriangleView view = triangulate(mesh);
  std::vector<Vec3> sums(mesh.face_count(), Vec3::Zero());
  for (std::size_t t = 0; t < view.triangles.size(); ++t)
    sums[view.face[t]] += area_vector(mesh, view.triangles[t]);
  for (std::size_t f = 0; f < mesh.face_count(); ++f)
    EXPECT_NEAR((sums[f] - area_vector(mesh, mesh.face(f))).norm(), 0, 1e-9);
}

TEST(VertexNormals, PointOutwardsOnSpheresAndAlongTheDiagonalsOfABox) {
  const PolyMesh sphere = test::uv_sphere({0, 0, 0}, 2, 64, 32);
  const TriangleView view = triangulate(sphere);
  const auto normals = vertex_normals({sphere.positions, view.triangles});
  for (std::size_t i = 0; i < normals.size(); ++i)
    EXPECT_GT(normals[i].dot(sphere.positions[i].normalized()), 0.999);
  const PolyMesh cube = test::box({-1, -1, -1}, {1, 1, 1});
  const TriangleView cut = triangulate(cube);
  const auto corners = vertex_normals({cube.positions, cut.triangles});
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_NEAR((corners[i] - cube.positions[i].normalized()).norm(), 0, 1e-12);
}

TEST(VertexNormals, DoNotDependOnHowASideIsCut) {
  // A corner of a cube; one of its sides comes in two pieces.
  const std::vector<Vec3> positions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0.5, 0}};
  const std::vector<Triangle> triangles{{0, 1, 4}, {0, 4, 2}, {0, 2, 3}, {0, 3, 1}};
  EXPECT_NEAR((vertex_normals({positions, triangles})[0] - Vec3(1, 1, 1).normalized()).norm(), 0, 1e-12);
}

TEST(VertexNormals, AreZeroOrUnitAndFiniteOnAnyMesh) {
  auto shapes = test::all_shapes();
  PolyMesh broken = test::box({0, 0, 0}, {1, 1, 1}, 2);
  broken.positions[3].x() = std::numeric_limits<double>::quiet_NaN();
  broken.positions[5].y() = std::numeric_limits<double>::infinity();
  shapes.push_back({"broken", broken, false});
  shapes.push_back(
      {"tiny", test::transformed(test::uv_sphere({0, 0, 0}, 1), Affine3(Eigen::Scaling(1e-150))), true});
  shapes.push_back(
      {"huge", test::transformed(test::uv_sphere({0, 0, 0}, 1), Affine3(Eigen::Scaling(1e140))), true});
  for (const auto& shape : shapes) {
    const TriangleView view = triangulate(shape.mesh);
    for (const Vec3& n : vertex_normals({shape.mesh.positions, view.triangles}))
      EXPECT_TRUE(n == Vec3::Zero() || std::abs(n.norm() - 1) < 1e-12) << shape.name;
  }
}

TEST(VertexNormals, HaveTheSameBitsForAnyThreadCount) {
  const PolyMesh mesh = test::random_blob(3, 200, 150);
  const TriangleView view = triangulate(mesh);
  set_thread_count(1);
  const auto one = vertex_normals({mesh.positions, view.triangles});
  set_thread_count(0);
  EXPECT_EQ(one, vertex_normals({mesh.positions, view.triangles}));
}

TEST(BoundingBox, LeavesOutWhatIsNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Box3 bounds = bounding_box(std::vector<Vec3>{{1, 2, 3}, {nan, 100, 0}, {-1, 5, 0}});
  EXPECT_EQ(bounds.min(), Vec3(-1, 2, 0));
  EXPECT_EQ(bounds.max(), Vec3(1, 5, 3));
  EXPECT_TRUE(bounding_box({}).isEmpty());
}

}  // namespace
}  // namespace sinew
