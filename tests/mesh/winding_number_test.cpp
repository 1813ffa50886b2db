// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/winding_number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/shapes.h"

namespace sinew {
namespace {

WindingNumber winding_of(const PolyMesh& mesh) {
  const TriangleView view = triangulate(mesh);
  return WindingNumber({mesh.positions, view.triangles});
}

TEST(WindingNumber, IsOneInsideAndZeroOutsideOfClosedMeshes) {
  const WindingNumber ball = winding_of(test::uv_sphere({1, 2, 3}, 2, 64, 32));
  for (const double reach : {0.0, 0.5, 0.9, 0.97})
    EXPECT_NEAR(ball(Vec3(1, 2, 3) + 2 * reach * Vec3(1, 2, -1).normalized()), 1, 0.01);
  for (const double reach : {1.03, 1.2, 2.0, 10.0})
    EXPECT_NEAR(ball(Vec3(1, 2, 3) + 2 * reach * Vec3(1, 2, -1).normalized()), 0, 0.01);
  EXPECT_NEAR(winding_of(test::torus(2, 0.5))({0, 0, 0}), 0, 0.01);
  EXPECT_NEAR(winding_of(test::torus(2, 0.5))({2, 0, 0}), 1, 0.01);
}

TEST(WindingNumber, AgreesWithTheSumOverAllTriangles) {
  const PolyMesh cup = test::open_cup(1, 2, 48, 24);
  const TriangleView view = triangulate(cup);
  const WindingNumber winding({cup.positions, view.triangles});
  for (const Vec3& p :
       {Vec3(0, 0, 0.5), Vec3(0.3, 0.2, 1.8), Vec3(0, 0, 2.5), Vec3(1.5, 0, 1), Vec3(0, 0, -4)}) {
    double sum = 0;
    for (const Triangle& t : view.triangles)
      sum += solid_angle_fraction(p, cup.positions[t[0]], cup.positions[t[1]], cup.positions[t[2]]);
    EXPECT_NEAR(winding(p), sum, 0.01);
  }
}

// Sheets one behind the other, and triangles seen from so near that each is half of all there is to see: the angles add up
// to many turns, in both directions.
TEST(WindingNumber, AddsUpToManyTurns) {
  for (const int sign : {1, -1}) {
    PolyMesh sheets;
    for (std::uint32_t k = 0; k < 40; ++k) {
      const double z = sign * (1e-9 + 1e-7 * k);
      for (const Vec3& p : {Vec3(-1, -1, z), Vec3(2, -1, z), Vec3(-1, 2, z)}) sheets.positions.push_back(p);
      sheets.add_face({3 * k, 3 * k + 1, 3 * k + 2});
    }
    EXPECT_NEAR(winding_of(sheets)({0, 0, 0}), sign * 20, 1e-4);
    EXPECT_NEAR(winding_of(sheets)({0.1, 0.2, sign * 1e-7 * 25.5}), sign * (14 - 26) / 2, 1e-3);
  }
}

TEST(WindingNumber, OfASmallSoupIsTheSumOverItsTrianglesToTheLastDigits) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> at(-1, 1);
  PolyMesh soup;
  const auto point = [&] { return Vec3(at(random), at(random), at(random)); };
  for (std::uint32_t k = 0; k < 200; ++k) {
    for (int corner = 0; corner < 3; ++corner) soup.positions.push_back(point());
    soup.add_face({3 * k, 3 * k + 1, 3 * k + 2});
  }
  const TriangleView view = triangulate(soup);
  const WindingNumber winding({soup.positions, view.triangles});  // too large to be seen from afar
  for (int k = 0; k < 300; ++k) {
    const Vec3 p =
        k % 3 == 0 ? Vec3((soup.positions[3 * (k / 3)] + soup.positions[3 * (k / 3) + 1]) / 2) : point();
    double sum = 0;
    for (const Triangle& t : view.triangles)
      sum += solid_angle_fraction(p, soup.positions[t[0]], soup.positions[t[1]], soup.positions[t[2]]);
    EXPECT_NEAR(winding(p), sum, 1e-9);
  }
}

TEST(WindingNumber, OfAnOpenCupFallsOffByTheSolidAngleOfItsMouth) {
  // From height z on the axis the mouth (radius 1 at height 2) covers (1 - cos)/2 of all directions.
  const WindingNumber winding = winding_of(test::open_cup(1, 2, 256, 4));
  for (const double z : {0.2, 1.0, 1.6}) {
    const double up = 2 - z;
    EXPECT_NEAR(winding({0, 0, z}), 1 - (1 - up / std::hypot(up, 1)) / 2, 0.01);
  }
}

TEST(WindingNumber, ChangesSignWithTheFacesAndAddsUpWhereBodiesOverlap) {
  const PolyMesh ball = test::uv_sphere({0, 0, 0}, 1);
  EXPECT_NEAR(winding_of(test::flipped(ball))({0.1, 0.2, 0}), -1, 0.01);
  EXPECT_NEAR(winding_of(test::joined({ball, test::uv_sphere({1, 0, 0}, 1)}))({0.5, 0, 0.1}), 2, 0.01);
}

TEST(WindingNumber, IsFiniteOnTheSurfaceAndWithoutTriangles) {
  const PolyMesh cube = test::box({0, 0, 0}, {1, 1, 1}, 2);
  const WindingNumber winding = winding_of(cube);
  for (const Vec3& p : cube.positions) EXPECT_TRUE(std::isfinite(winding(p)));
  EXPECT_TRUE(std::isfinite(winding({0.25, 0.3, 0})));
  EXPECT_TRUE(std::isfinite(winding_of(test::degenerate_faces())({2, 2, 2})));
  EXPECT_EQ(winding_of(PolyMesh{})({0, 0, 0}), 0);
}

}  // namespace
}  // namespace sinew
