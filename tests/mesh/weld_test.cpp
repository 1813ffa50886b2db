// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/weld.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "support/shapes.h"

namespace sinew {
namespace {

TEST(Weld, JoinsExactlyTheEqualPositions) {
  std::mt19937 random(5);
  std::vector<Vec3> positions(2000);
  for (Vec3& p : positions) p = Vec3(double(random() % 10), double(random() % 10), double(random() % 10));
  const Weld weld = weld_vertices(positions);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    EXPECT_EQ(weld.positions[weld.to_welded[i]], positions[i]);
    EXPECT_LE(weld.representative[weld.to_welded[i]], i);
  }
  for (std::size_t a = 0; a < weld.positions.size(); ++a) {
    EXPECT_EQ(weld.positions[a], positions[weld.representative[a]]);
    for (std::size_t b = 0; b < a; ++b) {
      ASSERT_NE(weld.positions[a], weld.positions[b]);
      ASSERT_LT(weld.representative[b], weld.representative[a]);
    }
  }
}

TEST(Weld, MinusZeroIsZeroAndNanJoinsNobody) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::vector<Vec3> positions{{0, 1, 2},   {-0.0, 1, 2}, {nan, 0, 0},
                                    {nan, 0, 0}, {inf, 0, 0},  {inf, 0, 0}};
  for (const double tolerance : {0.0, 1e-3}) {
    const Weld weld = weld_vertices(positions, tolerance);
    EXPECT_EQ(weld.to_welded, (std::vector<std::uint32_t>{0, 0, 1, 2, 3, 4}));
  }
}

TEST(Weld, ToleranceAgreesWithTryingAllRepresentativesInOrder) {
  std::mt19937 random(6);
  std::vector<Vec3> positions(1500);
  for (Vec3& p : positions)
    p = 1e-3 * Vec3(double(random() % 3000), double(random() % 3000), double(random() % 3000)) -
        Vec3(1, 1, 1);
  const double tolerance = 0.2;
  const Weld weld = weld_vertices(positions, tolerance);
  std::vector<Vec3> representatives;
  for (std::size_t i = 0; i < positions.size(); ++i) {
    std::size_t r = 0;
    while (r < representatives.size() && !((representatives[r] - positions[i]).norm() <= tolerance)) ++r;
    if (r == representatives.size()) representatives.push_back(positions[i]);
    ASSERT_EQ(weld.to_welded[i], r);
  }
  EXPECT_LT(representatives.size(), positions.size());
}

TEST(Weld, SoupOfABoxBecomesTheBox) {
  const PolyMesh cube = test::box({0, 0, 0}, {1, 1, 1}, 3);
  const PolyMesh soup = test::soup(cube);
  ASSERT_EQ(soup.vertex_count(), 4 * cube.face_count());
  const WeldedFaces welded = weld_faces(soup);
  EXPECT_EQ(welded.mesh.vertex_count(), cube.vertex_count());
  EXPECT_EQ(welded.mesh.face_count(), cube.face_count());
  EXPECT_EQ(welded.dropped, 0u);
}

TEST(Weld, FacesThatLoseTooManyCornersAreDroppedAndCounted) {
  const PolyMesh mesh = test::degenerate_faces();
  const WeldedFaces faces = weld_faces(mesh);
  EXPECT_EQ(faces.dropped, 2u);
  EXPECT_EQ(faces.source, (std::vector<std::uint32_t>{0, 1}));
  const TriangleView view = triangulate(mesh);
  const WeldedTriangles triangles = weld_triangles({mesh.positions, view.triangles});
  EXPECT_EQ(triangles.dropped, 2u);
  EXPECT_EQ(triangles.source, (std::vector<std::uint32_t>{0, 1, 2}));
}

TEST(Weld, AQuadThatLosesOneCornerIsATriangle) {
  PolyMesh mesh;
  mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 0, 0}};
  mesh.add_face({0, 1, 2, 3});
  const WeldedFaces welded = weld_faces(mesh);
  ASSERT_EQ(welded.mesh.face_count(), 1u);
  EXPECT_EQ(welded.mesh.face(0).size(), 3u);
}

}  // namespace
}  // namespace sinew
