// SPDX-License-Identifier: Apache-2.0
#include "autorig/body_map.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

Result<BodyGraph> surface_of(const PolyMesh& mesh) {
  const TriangleView cut = triangulate(mesh);
  return surface_graph({mesh.positions, cut.triangles});
}

TEST(BodyMap, DistancesOnASphereAreArcs) {
  const auto graph = surface_of(test::uv_sphere(Vec3::Zero(), 1, 64, 32));
  ASSERT_TRUE(graph.ok());
  std::uint32_t pole = 0;
  for (std::uint32_t v = 0; v < graph->positions.size(); ++v)
    if (graph->positions[v].z() > graph->positions[pole].z()) pole = v;
  const std::vector<double> distance = graph->distances(pole);
  for (std::uint32_t v = 0; v < graph->positions.size(); v += 7) {
    const double arc = std::acos(
        std::clamp(graph->positions[v].normalized().dot(graph->positions[pole].normalized()), -1.0, 1.0));
    EXPECT_NEAR(distance[v], arc, 0.03 * arc + 0.02);
  }
}

TEST(BodyMap, DistancesThroughABoxAreStraight) {
  const PolyMesh box = test::box({0, 0, 0}, {4, 1, 1}, 4);
  const TriangleView cut = triangulate(box);
  const auto graph = voxel_graph({box.positions, cut.triangles}, nullptr);
  ASSERT_TRUE(graph.ok());
  EXPECT_TRUE(graph->volume);
  const std::vector<double> distance = graph->distances(0);
  for (std::size_t v = 0; v < distance.size(); v += 97) {
    const double straight = (graph->positions[v] - graph->positions[0]).norm();
    EXPECT_GE(distance[v], straight * 0.999);
    EXPECT_LE(distance[v], straight * 1.08 + graph->spacing);
  }
}

// Three capsules that meet at the origin, far from alike.
PolyMesh tripod() {
  return test::joined({test::capsule({0, 0, 0}, {3, 0, 0}, 0.2), test::capsule({0, 0, 0}, {0, 2, 0}, 0.2),
                       test::capsule({0, 0, 0}, {0, 0, 1.5}, 0.2)});
}

TEST(BodyMap, TipsAndSeamsOfATripodThroughItsVoxels) {
  const PolyMesh mesh = tripod();
  const TriangleView cut = triangulate(mesh);
  auto graph = voxel_graph({mesh.positions, cut.triangles}, nullptr);
  ASSERT_TRUE(graph.ok());
  const auto body = map_body(*std::move(graph), nullptr);
  ASSERT_TRUE(body.ok());
  ASSERT_EQ(body->major.size(), 3u);
  // From the end of the longest leg the others part at the middle.
  std::size_t root = 0;
  for (std::size_t i = 0; i < 3; ++i)
    if (body->graph.positions[body->major[i].point].x() > 2) root = i;
  std::vector<std::size_t> tips;
  for (std::size_t i = 0; i < 3; ++i)
    if (i != root) tips.push_back(i);
  const Parts parts = take_apart(*body, root, tips);
  EXPECT_NEAR(parts.trunk.length(), 3.2, 0.3);
  for (const Part& limb : parts.limbs) {
    EXPECT_LT(limb.curve.points.front().norm(), 0.5);
    EXPECT_NEAR(limb.curve.middle_radius(), 0.2, 0.06);
    for (const Vec3& p : limb.curve.points) {  // on the axis
      const bool second = limb.tip.y() > 1;
      EXPECT_LT(std::abs(p.x()) + std::abs(second ? p.z() : p.y()), 0.2) << p.transpose();
    }
  }
}

TEST(BodyMap, MinorPeaksDoNotCutALimb) {
  const auto graph = surface_of(test::capsule({0, 0, 0}, {4, 0, 0}, 0.3));
  ASSERT_TRUE(graph.ok());
  const auto body = map_body(*graph, nullptr);
  ASSERT_TRUE(body.ok());
  ASSERT_EQ(body->major.size(), 2u);
  const std::size_t other[] = {1};
  const Parts parts = take_apart(*body, 0, other);
  EXPECT_NEAR(parts.trunk.length(), 4.6, 0.1);
  for (const Vec3& p : parts.trunk.points) EXPECT_LT(p.tail<2>().norm(), 0.03) << p.transpose();
}

TEST(BodyMap, FewAndManyTrianglesGiveTheSameTips) {
  for (const int around : {8, 64, 256}) {
    const auto graph = surface_of(test::capsule({0, 0, 0}, {0, 5, 0}, 0.4, around));
    ASSERT_TRUE(graph.ok());
    EXPECT_GT(graph->positions.size(), 3000u) << "cut finer";
    EXPECT_LT(graph->positions.size(), 120'000u) << "thinned";
    const auto body = map_body(*graph, nullptr);
    ASSERT_TRUE(body.ok());
    ASSERT_EQ(body->major.size(), 2u) << around;
    EXPECT_NEAR(body->diameter, 5 + M_PI * 0.4, 0.25) << around;
  }
}

}  // namespace
}  // namespace sinew::autorig
