// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "render/raster.h"

namespace sinew::render_detail {

inline constexpr int kTile = 32;    // pixels a side
inline constexpr int kSamples = 8;  // a pixel
inline constexpr std::uint32_t kNothing = 0xFFFFFFFF;

// Positions in the pixel, in 1/16: one in every row and column, and of all such patterns the one whose count
// is nearest to the area under an edge at any angle (0.052 RMS, by exhaustive trial).
inline constexpr std::array<std::array<int, 2>, kSamples> kOffsets = {
    {{1, 5}, {3, 13}, {5, 3}, {7, 9}, {9, 15}, {11, 7}, {13, 1}, {15, 11}}};

// The nearest triangle at each sample of a tile.
struct TileSamples {
  std::vector<float> depth = std::vector<float>(kTile * kTile * kSamples);
  std::vector<std::uint32_t> triangle = std::vector<std::uint32_t>(kTile * kTile * kSamples);
  void clear() {
    depth.assign(depth.size(), -std::numeric_limits<float>::infinity());
    triangle.assign(triangle.size(), kNothing);
  }
};

// A triangle in pixels, turned so that its area is positive: three edge functions and the plane of its
// depth.
struct TriangleSetup {
  double ax[3], ay[3];  // edge k is value(x, y) = ax x + ay y + c, >= 0 inside; opposite corner k
  double c[3];
  double dx, dy, z0;  // depth = z0 + dx x + dy y, x and y in pixels
  double low, high;   // depth of the corners
  double area;        // twice, in pixels
  bool back;          // seen from behind
  bool empty;         // covers nothing
};
TriangleSetup set_up(const RasterScene& scene, const Triangle& triangle);

// The whole number below value - origin, cut to 0 ... size.
inline int clamped_floor(float value, int origin, int size) {
  return static_cast<int>(
      std::clamp(std::floor(static_cast<double>(value)) - origin, 0.0, static_cast<double>(size)));
}

// Draws triangle `index` into the tile whose first pixel is (x0, y0) and which has w times h pixels.
void draw_triangle(const RasterScene& scene, std::uint32_t index, int x0, int y0, int w, int h,
                   TileSamples& samples);

}  // namespace sinew::render_detail
