// SPDX-License-Identifier: Apache-2.0
#include "autorig/patches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

std::vector<double> distances(const Patches& patches, std::uint32_t from) {
  std::vector<double> distance(patches.size(), std::numeric_limits<double>::infinity());
  std::priority_queue<std::pair<double, std::uint32_t>, std::vector<std::pair<double, std::uint32_t>>,
                      std::greater<>>
      queue;
  queue.push({distance[from] = 0, from});
  while (!queue.empty()) {
    const auto [d, p] = queue.top();
    queue.pop();
    if (d > distance[p]) continue;
    for (const Patches::Neighbour& n : patches.neighbours(p))
      if (d + static_cast<double>(n.length) < distance[n.patch])
        queue.push({distance[n.patch] = d + static_cast<double>(n.length), n.patch});
  }
  return distance;
}

void expect_sound(const PolyMesh& mesh, const HalfEdges& edges, const Patches& patches) {
  for (std::uint32_t p = 0; p < patches.size(); ++p) {
    EXPECT_EQ(patches.of(patches.seed(p)), p);
    for (const Patches::Neighbour& n : patches.neighbours(p)) {
      EXPECT_NE(n.patch, p);
      const auto back = patches.neighbours(n.patch);
      EXPECT_TRUE(std::any_of(back.begin(), back.end(), [&](const auto& m) { return m.patch == p; }));
      const double straight =
          (mesh.positions[patches.seed(p)] - mesh.positions[patches.seed(n.patch)]).norm();
      EXPECT_NEAR(static_cast<double>(n.length), straight, 1e-5 * straight);
    }
  }
  // Patches are neighbours where an edge joins them, and nowhere else.
  std::set<std::pair<std::uint32_t, std::uint32_t>> joined, linked;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v)
    edges.for_each_neighbour(v, [&](std::uint32_t w) {
      if (patches.of(v) != patches.of(w)) joined.insert({patches.of(v), patches.of(w)});
    });
  for (std::uint32_t p = 0; p < patches.size(); ++p)
    for (const Patches::Neighbour& n : patches.neighbours(p)) linked.insert({p, n.patch});
  EXPECT_EQ(joined, linked);
}

double area_of(const Patches& patches) {
  double area = 0;
  for (std::uint32_t p = 0; p < patches.size(); ++p) area += static_cast<double>(patches.area(p).norm());
  return area;
}

TEST(Patches, OfASmallMeshAreItsVertices) {
  for (const PolyMesh& mesh : {test::capped_cylinder(1, 9, 48, 60), test::cylinder(1, 9, 48, 60)}) {
    const HalfEdges edges(mesh);
    const Patches patches(mesh, edges);
    EXPECT_FALSE(patches.is_thinned());
    ASSERT_EQ(patches.size(), mesh.vertex_count());
    expect_sound(mesh, edges, patches);
    EXPECT_NEAR(area_of(patches), test::surface_area(mesh), 0.03 * test::surface_area(mesh));
  }
}

TEST(Patches, ThinALargeMeshAndHangTogetherAsItDoes) {
  for (const PolyMesh& mesh : {test::uv_sphere(Vec3::Zero(), 1, 120, 60), test::torus(3, 1, 200, 100),
                               test::box({0, 0, 0}, {1, 2, 3}, 60), test::capped_cylinder(1, 40, 24, 300)}) {
    const HalfEdges edges(mesh);
    const Patches patches(mesh, edges);
    EXPECT_TRUE(patches.is_thinned());
    EXPECT_LE(patches.size(), 4000u);
    EXPECT_GE(patches.size(), 400u);
    expect_sound(mesh, edges, patches);
    EXPECT_NEAR(area_of(patches), test::surface_area(mesh), 0.05 * test::surface_area(mesh));
  }
}

TEST(Patches, FaceAsTheSurfaceDoes) {
  for (const int around : {24, 120}) {
    const PolyMesh sphere = test::uv_sphere({5, 6, 7}, 1, around, around / 2);
    const HalfEdges edges(sphere);
    const Patches patches(sphere, edges);
    for (std::uint32_t p = 0; p < patches.size(); ++p) {
      const Vec3 outward = sphere.positions[patches.seed(p)] - Vec3(5, 6, 7);
      EXPECT_GT(patches.area(p).cast<double>().normalized().dot(outward), 0.9) << p;
    }
  }
}

TEST(Patches, OpenBordersAreLinkedBothWays) {
  const PolyMesh tube = test::cylinder(1, 40, 40, 200);
  const HalfEdges edges(tube);
  const Patches patches(tube, edges);
  EXPECT_TRUE(patches.is_thinned());
  expect_sound(tube, edges, patches);
}

TEST(Patches, TouchingPiecesStayApart) {
  const PolyMesh two =
      test::joined({test::capped_cylinder(1, 40, 40, 100), test::capped_cylinder(1, 40, 40, 100)});
  const HalfEdges edges(two);
  const Patches patches(two, edges);
  ASSERT_TRUE(patches.is_thinned());
  const std::vector<double> distance = distances(patches, patches.of(0));
  for (std::uint32_t v = 0; v < two.vertex_count(); ++v)
    EXPECT_EQ(std::isfinite(distance[patches.of(v)]), v < two.vertex_count() / 2) << v;
}

TEST(Patches, WaysAreLittleLongerThanTheSurface) {
  const PolyMesh tube = test::cylinder(1, 40, 40, 400);
  const HalfEdges edges(tube);
  const Patches patches(tube, edges);
  ASSERT_TRUE(patches.is_thinned());
  const std::vector<double> distance = distances(patches, patches.of(0));
  for (const std::uint32_t v : {40u * 399, 40u * 200, 40u * 100}) {
    const std::uint32_t seed = patches.seed(patches.of(v));
    const double straight =
        std::abs(tube.positions[seed].x() - tube.positions[patches.seed(patches.of(0))].x());
    EXPECT_GE(distance[patches.of(v)], straight * (1 - 1e-6));
    EXPECT_LE(distance[patches.of(v)], 1.2 * straight + 2) << v;
  }
}

}  // namespace
}  // namespace sinew::autorig
