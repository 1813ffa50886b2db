// SPDX-License-Identifier: Apache-2.0
#include "autorig/body_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/shapes.h"

namespace sinew::autorig {
namespace {

Result<BodyGraph> surface_of(const std::vector<Vec3>& positions, const std::vector<Triangle>& triangles) {
  return surface_graph({positions, triangles});
}

// Its edges were halved until all were short, which made three slivers of each one: 3^16.
TEST(BodyGraph, ANeedleIsTooThinToFollow) {
  for (const double width : {1e-3, 1e-4, 1e-5, 1e-6})
    for (const double tip : {0.0, 0.5}) {
      const auto graph = surface_of({{0, 0, 0}, {1, 0, 0}, {tip, width, 0}}, {{0, 1, 2}});
      if (graph)
        EXPECT_LT(graph->positions.size(), 60'001u) << width << " " << tip;
      else
        EXPECT_EQ(graph.error().code, ErrorCode::kImpossible);
    }
}

TEST(BodyGraph, SliversOfALidAreThinnedOut) {
  const PolyMesh prism = test::capped_cylinder(1, 3, 1000, 2);
  const TriangleView cut = triangulate(prism);
  const auto graph = surface_graph({prism.positions, cut.triangles});
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_GT(graph->positions.size(), 4'000u);
  EXPECT_LT(graph->positions.size(), 60'001u);
  EXPECT_NEAR(graph->size, 3, 0.01);
  double area = 0;
  for (const double w : graph->weights) area += w;
  EXPECT_NEAR(area, 2 * M_PI * 3 + 2 * M_PI, 0.5);
  const std::vector<double> distance = graph->distances(0);
  EXPECT_TRUE(std::all_of(distance.begin(), distance.end(), [](double d) { return std::isfinite(d); }));
}

}  // namespace
}  // namespace sinew::autorig
