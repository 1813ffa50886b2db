// SPDX-License-Identifier: Apache-2.0
#include "autorig/symmetry.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

std::optional<Mirror> mirror_of(const PolyMesh& mesh, const Mirror& guess) {
  const TriangleView cut = triangulate(mesh);
  const Bvh surface({mesh.positions, cut.triangles});
  return find_mirror(mesh.positions, surface, 2, guess);
}

TEST(Symmetry, AReflectionIsItsOwnInverse) {
  const Mirror mirror{Vec3(1, 2, 2) / 3, Vec3(0.5, 0, 1)};
  const Vec3 p(3, -1, 2);
  EXPECT_NEAR((mirror(mirror(p)) - p).norm(), 0, 1e-12);
  EXPECT_NEAR(((p + mirror(p)) / 2 - mirror.centre).dot(mirror.normal), 0, 1e-12);
}

TEST(Symmetry, ThePlaneIsFoundFromAGuessNearIt) {
  const PolyMesh body = test::joined({test::capsule({0, -1, 0}, {0, 1, 0.2}, 0.3),
                                      test::capsule({0, 0.6, 0}, {1, 0.5, 0}, 0.15),
                                      test::capsule({0, 0.6, 0}, {-1, 0.5, 0}, 0.15)});
  const auto found = mirror_of(body, {Vec3(1, 0.06, -0.05).normalized(), Vec3(0.03, 0, 0)});
  ASSERT_TRUE(found.has_value());
  EXPECT_GT(std::abs(found->normal.x()), 0.999);
  EXPECT_NEAR((Vec3::Zero() - found->centre).dot(found->normal), 0, 0.02);
}

TEST(Symmetry, ABodyWithOneArmHasNone) {
  const PolyMesh body = test::joined(
      {test::capsule({0, -1, 0}, {0, 1, 0.2}, 0.3), test::capsule({0, 0.6, 0}, {1.4, 0.5, 0}, 0.2)});
  EXPECT_FALSE(mirror_of(body, {Vec3::UnitX(), Vec3::Zero()}).has_value());
}

}  // namespace
}  // namespace sinew::autorig
