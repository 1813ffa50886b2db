// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "render/tile_samples.h"

namespace sinew::render_detail {

// For each tile the shapes whose box meets it, in their order.
struct Bins {
  int columns = 0, rows = 0;
  std::vector<std::size_t> offsets;  // tiles + 1
  std::vector<std::uint32_t> items;
  std::span<const std::uint32_t> of(std::size_t tile) const {
    return {items.data() + offsets[tile], items.data() + offsets[tile + 1]};
  }
};

// Shape is an array of vertex indices; `reach` widens its box, in pixels.
template <class Shape>
Bins bin(std::span<const Vec3f> screen, std::span<const Shape> shapes, int width, int height, float reach) {
  Bins bins;
  bins.columns = (width + kTile - 1) / kTile;
  bins.rows = (height + kTile - 1) / kTile;
  bins.offsets.assign(static_cast<std::size_t>(bins.columns) * static_cast<std::size_t>(bins.rows) + 1, 0);
  const auto each_tile = [&](const Shape& shape, auto&& visit) {
    const Vec3f& corner = screen[shape[0]];
    Vec2f low(corner.x(), corner.y()), high = low;
    for (const std::uint32_t i : shape) {
      low = low.cwiseMin(screen[i].head<2>());
      high = high.cwiseMax(screen[i].head<2>());
    }
    const auto tile = [](float value, int count) {
      return static_cast<int>(std::clamp(std::floor(value / kTile), -1.0f, static_cast<float>(count)));
    };
    const int x0 = std::max(tile(low.x() - reach, bins.columns), 0),
              x1 = std::min(tile(high.x() + reach, bins.columns), bins.columns - 1);
    const int y0 = std::max(tile(low.y() - reach, bins.rows), 0),
              y1 = std::min(tile(high.y() + reach, bins.rows), bins.rows - 1);
    for (int y = y0; y <= y1; ++y)
      for (int x = x0; x <= x1; ++x) visit(static_cast<std::size_t>(y * bins.columns + x));
  };
  for (const Shape& shape : shapes) each_tile(shape, [&](std::size_t tile) { ++bins.offsets[tile + 1]; });
  for (std::size_t tile = 1; tile < bins.offsets.size(); ++tile) bins.offsets[tile] += bins.offsets[tile - 1];
  bins.items.resize(bins.offsets.back());
  std::vector<std::size_t> next(bins.offsets.begin(), bins.offsets.end() - 1);
  for (std::uint32_t i = 0; i < shapes.size(); ++i)
    each_tile(shapes[i], [&](std::size_t tile) { bins.items[next[tile]++] = i; });
  return bins;
}

}  // namespace sinew::render_detail
