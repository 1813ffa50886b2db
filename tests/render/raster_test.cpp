// SPDX-License-Identifier: Apache-2.0
#include "render/raster.h"

#include <cmath>
#include <random>

#include "render/pictures.h"
#include "render/tile_samples.h"
#include "support/shapes.h"

namespace sinew::test {
namespace {

using namespace render_detail;

double covered(const Frame& frame) {
  double sum = 0;
  for (const float c : frame.coverage) sum += static_cast<double>(c);
  return sum;
}

TEST(Raster, CoverageOfATriangleIsItsArea) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> place(0, 100);
  double bias = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<Vec3f> corners;
    for (int k = 0; k < 3; ++k) corners.emplace_back(place(random), place(random), place(random));
    const double area =
        0.5 * std::abs(static_cast<double>((corners[1] - corners[0]).x() * (corners[2] - corners[0]).y() -
                                           (corners[2] - corners[0]).x() * (corners[1] - corners[0]).y()));
    const std::vector<Triangle> triangles = {{0, 1, 2}};
    const Frame frame = rasterise({corners, {}, triangles, {}, {}}, 100, 100);
    double around = 0;
    for (std::size_t k = 0; k < 3; ++k)
      around += static_cast<double>((corners[k] - corners[(k + 1) % 3]).head<2>().norm());
    // Only pixels on the edge can be off, each by its own chance; on the whole they are not.
    EXPECT_NEAR(covered(frame), area, 0.5 + 0.5 * std::sqrt(around));
    bias += (covered(frame) - area) / 200;
  }
  EXPECT_NEAR(bias, 0, 0.25);
}

TEST(Raster, NeighboursLeaveNoGapAndNoCrack) {
  // A plane cut into slivers and large triangles alike covers every sample of its inside.
  std::mt19937 random(9);
  std::uniform_real_distribution<float> jitter(-0.45f, 0.45f);
  const int n = 40;
  std::vector<Vec3f> corners;
  for (int j = 0; j <= n; ++j)
    for (int i = 0; i <= n; ++i) {
      const bool edge = i == 0 || j == 0 || i == n || j == n;
      corners.emplace_back(-1 + 102.0f / n * (static_cast<float>(i) + (edge ? 0 : jitter(random))),
                           -1 + 102.0f / n * (static_cast<float>(j) + (edge ? 0 : jitter(random))), 0.0f);
    }
  std::vector<Triangle> triangles;
  for (std::uint32_t j = 0; j < n; ++j)
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t a = j * (n + 1) + i, c = a + n + 1;
      triangles.push_back({a, a + 1, c});
      triangles.push_back({a + 1, c + 1, c});
    }
  const Frame frame = rasterise({corners, {}, triangles, {}, {}}, 100, 100);
  for (const float c : frame.coverage) ASSERT_EQ(c, 1.0f);
}

TEST(Raster, SamplesExactlyOnASharedEdgeAreCovered) {
  // Two triangles whose common edge runs through a sample of the middle pixel, at any angle.
  std::mt19937 random(2);
  std::uniform_real_distribution<float> reach(-6, 6);
  const std::vector<Triangle> triangles = {{0, 1, 2}, {1, 0, 3}};
  for (int round = 0; round < 3000; ++round) {
    const auto& offset = kOffsets[static_cast<std::size_t>(round) % kSamples];
    const Vec3f sample(8 + static_cast<float>(offset[0]) / 16, 8 + static_cast<float>(offset[1]) / 16, 0);
    const Vec3f along = Vec3f(reach(random), reach(random), 0), across(-along.y(), along.x(), 0);
    if (along.norm() < 3) continue;
    const std::vector<Vec3f> corners = {sample - along, sample + along, sample + across, sample - across};
    ASSERT_EQ(rasterise({corners, {}, triangles, {}, {}}, 16, 16).coverage[8 * 16 + 8], 1.0f) << round;
  }
}

TEST(Raster, DepthIsThatOfThePlane) {
  // z = 3 x - 2 y + 5 in pixels.
  const auto depth = [](float x, float y) { return 3 * x - 2 * y + 5; };
  const std::vector<Vec3f> corners = {
      {0, 0, depth(0, 0)}, {64, 0, depth(64, 0)}, {0, 64, depth(0, 64)}, {64, 64, depth(64, 64)}};
  const std::vector<Triangle> triangles = {{0, 2, 1}, {1, 2, 3}};
  const Frame frame = rasterise({corners, {}, triangles, {}, {}}, 64, 64);
  for (int y = 0; y < 64; ++y)
    for (int x = 0; x < 64; ++x)
      // The nearest sample of the pixel.
      ASSERT_NEAR(frame.depth[static_cast<std::size_t>(y * 64 + x)],
                  depth(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f), 2.6);
}

TEST(Raster, ShapesFarOutsideAreCutAndCostNothing) {
  const std::vector<Vec3f> corners = {{-1e9f, -1e9f, 0}, {1e9f, -1e9f, 0}, {0, 1e9f, 0},
                                      {500, 500, 0},     {600, 500, 0},    {500, 600, 0}};
  const std::vector<Triangle> triangles = {{0, 1, 2}, {3, 4, 5}};
  const std::vector<Segment> segments = {{0, 1}, {3, 4}, {0, 2}};
  RasterScene scene{corners, {}, triangles, {}, segments};
  scene.line_opacity = 1;
  EXPECT_DOUBLE_EQ(covered(rasterise(scene, 33, 65)), 33 * 65);
}

}  // namespace
}  // namespace sinew::test
