// SPDX-License-Identifier: Apache-2.0
#include "autorig/vertex_clusters.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

std::vector<double> distances(const VertexClusters& clusters, std::uint32_t from) {
  std::vector<double> distance(clusters.size(), std::numeric_limits<double>::infinity());
  std::priority_queue<std::pair<double, std::uint32_t>, std::vector<std::pair<double, std::uint32_t>>,
                      std::greater<>>
      queue;
  queue.push({distance[from] = 0, from});
  while (!queue.empty()) {
    const auto [d, p] = queue.top();
    queue.pop();
    if (d > distance[p]) continue;
    for (const VertexClusters::Neighbour& n : clusters.neighbours(p))
      if (d + static_cast<double>(n.length) < distance[n.cluster])
        queue.push({distance[n.cluster] = d + static_cast<double>(n.length), n.cluster});
  }
  return distance;
}

void expect_sound(const PolyMesh& mesh, const HalfEdges& edges, const VertexClusters& clusters) {
  for (std::uint32_t p = 0; p < clusters.size(); ++p) {
    EXPECT_EQ(clusters.of(clusters.seed(p)), p);
    for (const VertexClusters::Neighbour& n : clusters.neighbours(p)) {
      EXPECT_NE(n.cluster, p);
      const auto back = clusters.neighbours(n.cluster);
      EXPECT_TRUE(std::any_of(back.begin(), back.end(), [&](const auto& m) { return m.cluster == p; }));
      const double straight =
          (mesh.positions[clusters.seed(p)] - mesh.positions[clusters.seed(n.cluster)]).norm();
      EXPECT_NEAR(static_cast<double>(n.length), straight, 1e-5 * straight);
    }
  }
  // VertexClusters are neighbours where an edge joins them, and nowhere else.
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined, linked;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v)
    edges.for_each_neighbour(v, [&](std::uint32_t w) {
      if (clusters.of(v) != clusters.of(w)) joined.insert({clusters.of(v), clusters.of(w)});
    });
  for (std::uint32_t p = 0; p < clusters.size(); ++p)
    for (const VertexClusters::Neighbour& n : clusters.neighbours(p)) linked.insert({p, n.cluster});
  EXPECT_EQ(joined, linked);
}

double area_of(const VertexClusters& clusters) {
  double area = 0;
  for (std::uint32_t p = 0; p < clusters.size(); ++p) area += static_cast<double>(clusters.area(p).norm());
  return area;
}

TEST(VertexClusters, OfASmallMeshAreItsVertices) {
  for (const PolyMesh& mesh : {test::capped_cylinder(1, 9, 48, 60), test::cylinder(1, 9, 48, 60)}) {
    const HalfEdges edges(mesh);
    const VertexClusters clusters(mesh, edges);
    EXPECT_FALSE(clusters.is_thinned());
    ASSERT_EQ(clusters.size(), mesh.vertex_count());
    expect_sound(mesh, edges, clusters);
    EXPECT_NEAR(area_of(clusters), test::surface_area(mesh), 0.03 * test::surface_area(mesh));
  }
}

TEST(VertexClusters, ThinALargeMeshAndHangTogetherAsItDoes) {
  for (const PolyMesh& mesh : {test::uv_sphere(Vec3::Zero(), 1, 120, 60), test::torus(3, 1, 200, 100),
                               test::box({0, 0, 0}, {1, 2, 3}, 60), test::capped_cylinder(1, 40, 24, 300)}) {
    const HalfEdges edges(mesh);
    const VertexClusters clusters(mesh, edges);
    EXPECT_TRUE(clusters.is_thinned());
    EXPECT_LE(clusters.size(), 4000u);
    EXPECT_GE(clusters.size(), 400u);
    expect_sound(mesh, edges, clusters);
    EXPECT_NEAR(area_of(clusters), test::surface_area(mesh), 0.05 * test::surface_area(mesh));
  }
}

TEST(VertexClusters, FaceAsTheSurfaceDoes) {
  for (const int around : {24, 120}) {
    const PolyMesh sphere = test::uv_sphere({5, 6, 7}, 1, around, around / 2);
    const HalfEdges edges(sphere);
    const VertexClusters clusters(sphere, edges);
    for (std::uint32_t p = 0; p < clusters.size(); ++p) {
      const Vec3 outward = sphere.positions[clusters.seed(p)] - Vec3(5, 6, 7);
      EXPECT_GT(clusters.area(p).cast<double>().normalized().dot(outward), 0.9) << p;
    }
  }
}

TEST(VertexClusters, OpenBordersAreLinkedBothWays) {
  const PolyMesh tube = test::cylinder(1, 40, 40, 200);
  const HalfEdges edges(tube);
  const VertexClusters clusters(tube, edges);
  EXPECT_TRUE(clusters.is_thinned());
  expect_sound(tube, edges, clusters);
}

TEST(VertexClusters, TouchingPiecesStayApart) {
  const PolyMesh two =
      test::joined({test::capped_cylinder(1, 40, 40, 100), test::capped_cylinder(1, 40, 40, 100)});
  const HalfEdges edges(two);
  const VertexClusters clusters(two, edges);
  ASSERT_TRUE(clusters.is_thinned());
  const std::vector<double> distance = distances(clusters, clusters.of(0));
  for (std::uint32_t v = 0; v < two.vertex_count(); ++v)
    EXPECT_EQ(std::isfinite(distance[clusters.of(v)]), v < two.vertex_count() / 2) << v;
}

TEST(VertexClusters, WaysAreLittleLongerThanTheSurface) {
  const PolyMesh tube = test::cylinder(1, 40, 40, 400);
  const HalfEdges edges(tube);
  const VertexClusters clusters(tube, edges);
  ASSERT_TRUE(clusters.is_thinned());
  const std::vector<double> distance = distances(clusters, clusters.of(0));
  for (const std::uint32_t v : {40u * 399, 40u * 200, 40u * 100}) {
    const std::uint32_t seed = clusters.seed(clusters.of(v));
    const double straight =
        std::abs(tube.positions[seed].x() - tube.positions[clusters.seed(clusters.of(0))].x());
    EXPECT_GE(distance[clusters.of(v)], straight * (1 - 1e-6));
    EXPECT_LE(distance[clusters.of(v)], 1.2 * straight + 2) << v;
  }
}

}  // namespace
}  // namespace sinew::autorig
