// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/bvh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sinew/core/parallel.h"
#include "support/shapes.h"

namespace sinew {
namespace {

class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_()) / 4294967296.0;
  }
  Vec3 in_box(double half) { return {between(-half, half), between(-half, half), between(-half, half)}; }

 private:
  std::mt19937 engine_;
};

// The independent way to the nearest distance: alternating refinement over a fine sampling would be slow, so
// the closed form by the seven regions (corners, sides, inside), each tried on its own.
double brute_distance(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  double best = std::min({(p - a).norm(), (p - b).norm(), (p - c).norm()});
  const std::array<Vec3, 3> corner{a, b, c};
  for (int k = 0; k < 3; ++k) {
    const Vec3 from = corner[k], along = corner[(k + 1) % 3] - from;
    const double t = along.dot(p - from) / along.squaredNorm();
    if (t > 0 && t < 1) best = std::min(best, (p - from - t * along).norm());
  }
  const Vec3 normal = (b - a).cross(c - a);
  if (normal.norm() > 0) {
    const Vec3 unit = normal.normalized(), foot = p - unit.dot(p - a) * unit;
    bool inside = true;
    for (int k = 0; k < 3; ++k)
      inside &= (corner[(k + 1) % 3] - corner[k]).cross(foot - corner[k]).dot(unit) >= 0;
    if (inside) best = std::min(best, std::abs(unit.dot(p - a)));
  }
  return best;
}

// Cramer's rule; t, or infinity.
double brute_ray(const Vec3& origin, const Vec3& direction, const Vec3& a, const Vec3& b, const Vec3& c) {
  Mat3 matrix;
  matrix << b - a, c - a, -direction;
  if (std::abs(matrix.determinant()) < 1e-14) return std::numeric_limits<double>::infinity();
  const Vec3 solution = matrix.inverse() * (origin - a);
  const bool inside =
      solution.x() >= 0 && solution.y() >= 0 && solution.x() + solution.y() <= 1 && solution.z() >= 0;
  return inside ? solution.z() : std::numeric_limits<double>::infinity();
}

TEST(Bvh, NearestPointsAgreeWithTryingEveryTriangle) {
  Random random(1);
  for (const auto& shape : test::all_shapes()) {
    const TriangleView view = triangulate(shape.mesh);
    const auto& positions = shape.mesh.positions;
    const Bvh bvh({positions, view.triangles});
    for (int k = 0; k < 50; ++k) {
      const Vec3 p = random.in_box(5);
      double expected = std::numeric_limits<double>::infinity();
      for (const Triangle& t : view.triangles)
        expected = std::min(expected, brute_distance(p, positions[t[0]], positions[t[1]], positions[t[2]]));
      const NearestPoint found = bvh.nearest(p);
      ASSERT_TRUE(found.found());
      EXPECT_NEAR(std::sqrt(found.squared_distance), expected, 1e-9) << shape.name;
      const Triangle& t = view.triangles[found.triangle];
      const Vec3& weights = found.barycentric;
      EXPECT_NEAR(weights.sum(), 1, 1e-12);
      EXPECT_GE(weights.minCoeff(), 0);
      const Vec3 rebuilt =
          weights[0] * positions[t[0]] + weights[1] * positions[t[1]] + weights[2] * positions[t[2]];
      EXPECT_NEAR((rebuilt - found.point).norm(), 0, 1e-9) << shape.name;
      EXPECT_FALSE(bvh.nearest(p, 0.99 * expected).found());
      EXPECT_TRUE(bvh.nearest(p, 1.01 * expected).found());
    }
  }
}

TEST(Bvh, FirstHitsAgreeWithTryingEveryTriangle) {
  Random random(2);
  std::size_t hits = 0;
  for (const auto& shape : test::all_shapes()) {
    const TriangleView view = triangulate(shape.mesh);
    const auto& positions = shape.mesh.positions;
    const Bvh bvh({positions, view.triangles});
    const Vec3 middle = bvh.bounds().center();
    for (int k = 0; k < 100; ++k) {
      const Vec3 origin = middle + random.in_box(6), direction = middle + random.in_box(1) - origin;
      double expected = std::numeric_limits<double>::infinity();
      for (const Triangle& t : view.triangles)
        expected = std::min(expected,
                            brute_ray(origin, direction, positions[t[0]], positions[t[1]], positions[t[2]]));
      const RayHit hit = bvh.first_hit(origin, direction);
      ASSERT_EQ(hit.found(), std::isfinite(expected)) << shape.name;
      EXPECT_EQ(bvh.any_hit(origin, direction), hit.found());
      if (!hit.found()) continue;
      ++hits;
      EXPECT_NEAR(hit.t, expected, 1e-9) << shape.name;
      const Triangle& t = view.triangles[hit.triangle];
      const Vec3& w = hit.barycentric;
      const Vec3 point = w[0] * positions[t[0]] + w[1] * positions[t[1]] + w[2] * positions[t[2]];
      EXPECT_NEAR((point - origin - hit.t * direction).norm(), 0, 1e-9);
      EXPECT_FALSE(bvh.any_hit(origin, direction, 0, 0.999 * hit.t));
      EXPECT_TRUE(bvh.any_hit(origin, direction, 0.999 * hit.t, 1.001 * hit.t));
    }
  }
  EXPECT_GT(hits, 500u);
}

TEST(Bvh, NoRayFromInsideSlipsThroughEdgesOrCorners) {
  const PolyMesh cube = test::box({-1, -1, -1}, {1, 1, 1}, 4);
  const TriangleView view = triangulate(cube);
  const Bvh bvh({cube.positions, view.triangles});
  Random random(3);
  for (const Vec3& origin : {Vec3(0, 0, 0), Vec3(0.25, 0, -0.5), random.in_box(0.9)}) {
    for (const Triangle& t : view.triangles)
      for (std::size_t k = 0; k < 3; ++k) {
        const Vec3 &a = cube.positions[t[k]], &b = cube.positions[t[(k + 1) % 3]];
        EXPECT_TRUE(bvh.any_hit(origin, a - origin));
        for (const double s : {0.1, 0.5, 0.77}) EXPECT_TRUE(bvh.any_hit(origin, a + s * (b - a) - origin));
      }
  }
}

TEST(Bvh, AxisParallelRaysInThePlaneOfABoxSideAreSafe) {
  const PolyMesh cube = test::box({0, 0, 0}, {1, 1, 1}, 2);
  const TriangleView view = triangulate(cube);
  const Bvh bvh({cube.positions, view.triangles});
  const RayHit hit = bvh.first_hit({-1, 0.5, 0}, {2, 0, 0});  // along the floor z = 0, into the wall x = 0
  ASSERT_TRUE(hit.found());
  EXPECT_DOUBLE_EQ(hit.t, 0.5);
  EXPECT_FALSE(bvh.first_hit({-1, 0.5, 0}, {0, 0, 0}).found());
  EXPECT_FALSE(bvh.first_hit({-1, 0.5, -0.1}, {1, 0, 0}).found());
}

TEST(Bvh, AmongEqualsTheLowestTriangleWins) {
  const PolyMesh one = test::one_triangle();
  const PolyMesh stack = test::joined(std::vector<PolyMesh>(50, one));
  const TriangleView view = triangulate(stack);
  const Bvh bvh({stack.positions, view.triangles});
  EXPECT_EQ(bvh.nearest({0.2, 0.2, 3}).triangle, 0u);
  EXPECT_EQ(bvh.first_hit({0.2, 0.2, 3}, {0, 0, -1}).triangle, 0u);
}

TEST(Bvh, LeavesOutWhatIsNotFiniteAndHasNothingToFindInNothing) {
  PolyMesh mesh = test::box({0, 0, 0}, {1, 1, 1});
  mesh.positions.emplace_back(std::nan(""), 0, 0);
  mesh.positions.emplace_back(0, std::numeric_limits<double>::infinity(), 0);
  mesh.add_face({0, 1, 8});
  mesh.add_face({0, 1, 9});
  const TriangleView view = triangulate(mesh);
  const Bvh bvh({mesh.positions, view.triangles});
  EXPECT_EQ(bvh.bounds().min(), Vec3(0, 0, 0));
  EXPECT_EQ(bvh.bounds().max(), Vec3(1, 1, 1));
  EXPECT_NEAR(bvh.nearest({0.5, 0.5, 2}).squared_distance, 1, 1e-12);
  EXPECT_FALSE(bvh.nearest({std::nan(""), 0, 0}).found());
  EXPECT_FALSE(Bvh().nearest({0, 0, 0}).found());
  EXPECT_FALSE(Bvh(MeshView{}).any_hit({0, 0, 0}, {1, 0, 0}));
}

TEST(Bvh, DegenerateTrianglesHaveNearestPointsAndNoRayHits) {
  PolyMesh needle;
  needle.positions = {{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {5, 5, 5}};
  needle.add_face({0, 1, 2});
  needle.add_face({3, 3, 3});
  const TriangleView view = triangulate(needle);
  const Bvh bvh({needle.positions, view.triangles});
  EXPECT_NEAR(bvh.nearest({2, 1, 0}).squared_distance, 1, 1e-12);
  EXPECT_NEAR(bvh.nearest({5, 5, 7}).squared_distance, 4, 1e-12);
  EXPECT_FALSE(bvh.any_hit({2, 1, 0}, {0, -1, 0}));
}

TEST(Bvh, EqualBoxesAndExtremeSizesBuildAndAnswer) {
  for (const double size : {1e-150, 1e-5, 1e5, 1e150}) {
    const PolyMesh ball =
        test::transformed(test::uv_sphere({0, 0, 0}, 1, 40, 30), Affine3(Eigen::Scaling(size)));
    const TriangleView view = triangulate(ball);
    const Bvh bvh({ball.positions, view.triangles});
    EXPECT_TRUE(bvh.nearest(Vec3(2, 0, 0) * size).found());
    EXPECT_TRUE(bvh.any_hit(Vec3(0.1, 0.1, 0) * size, Vec3(0.1, 0.3, 1) * size));
  }
  const PolyMesh same = test::joined(std::vector<PolyMesh>(3000, test::one_triangle()));
  const TriangleView view = triangulate(same);
  EXPECT_TRUE(Bvh({same.positions, view.triangles}).any_hit({0.2, 0.2, 1}, {0, 0, -1}));
}

TEST(Bvh, AnswersAreTheSameForAnyThreadCount) {
  const PolyMesh mesh = test::random_blob(5, 200, 120);
  const TriangleView view = triangulate(mesh);
  set_thread_count(1);
  const Bvh one({mesh.positions, view.triangles});
  set_thread_count(0);
  const Bvh all({mesh.positions, view.triangles});
  Random random(4);
  for (int k = 0; k < 200; ++k) {
    const Vec3 p = random.in_box(2);
    const NearestPoint a = one.nearest(p), b = all.nearest(p);
    EXPECT_EQ(a.triangle, b.triangle);
    EXPECT_EQ(a.point, b.point);
  }
}

}  // namespace
}  // namespace sinew
