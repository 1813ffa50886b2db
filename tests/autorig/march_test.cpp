// SPDX-License-Identifier: Apache-2.0
#include "autorig/march.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

TEST(March, DistancesOnABallAreArcs) {
  const PolyMesh ball = test::uv_sphere(Vec3::Zero(), 1, 48);
  const TriangleView cut = triangulate(ball);
  const auto graph = surface_graph({ball.positions, cut.triangles});
  ASSERT_TRUE(graph.ok()) << graph.error().message;
  const std::vector<double> distance = march_distances(*graph, 0);
  const Vec3 from = graph->positions[0].normalized();
  for (std::size_t v = 0; v < distance.size(); ++v) {
    const double arc = std::acos(std::clamp(from.dot(graph->positions[v].normalized()), -1.0, 1.0));
    EXPECT_NEAR(distance[v], arc, 0.04 * M_PI) << v;
  }
}

}  // namespace
}  // namespace sinew::autorig
