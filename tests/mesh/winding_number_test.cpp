// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/winding_number.h"

#include <gtest/gtest.h>

#include <cmath>

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
