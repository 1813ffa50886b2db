// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <vector>

#include "render/texture.h"
#include "sinew/mesh/poly_mesh.h"

namespace sinew::render_detail {

using Segment = std::array<std::uint32_t, 2>;

struct RasterPaint {
  Vec3f colour = Vec3f::Ones();
  const Texture* texture = nullptr;
};

// What one camera sees. Screen space as in Camera; normals are unit in x right, y up, z to the viewer.
struct RasterScene {
  std::span<const Vec3f> screen;        // per vertex
  std::span<const Vec3f> normals;       // per vertex; empty: one per triangle
  std::span<const Triangle> triangles;  // all indices and their vertices are good
  std::span<const float> heat;          // per vertex, 0 ... 1 or NaN; empty: clay
  std::span<const Segment> segments;    // edges, hidden where a surface is in front of them
  std::span<const RasterPaint> paints = {};
  std::span<const std::uint32_t> paint_of = {};  // per triangle; empty: clay
  std::span<const Vec2f> texcoords = {};         // per vertex
  std::span<const Vec3f> colours = {};           // per vertex; or empty
  double line_width = 1, line_opacity = 0;
};

// One value per pixel, rows from the top.
struct Frame {
  int width = 0, height = 0;
  std::vector<Vec3f> colour;    // linear light, times coverage
  std::vector<float> coverage;  // 0 ... 1
  std::vector<float> depth;     // of the nearest surface, towards the viewer; -infinity where there is none
  std::vector<Vec3f> normal;    // of that surface
};

// Eight samples a pixel. The same bits for any thread count.
Frame rasterise(const RasterScene& scene, int width, int height);

}  // namespace sinew::render_detail
