// SPDX-License-Identifier: Apache-2.0
#include "render/tile_samples.h"

#include <algorithm>
#include <cmath>

namespace sinew::render_detail {
namespace {

// Back faces lie this much (pixels of depth) behind: where a sheet is stored twice, its front shows.
constexpr double kBackBias = 0.02;

// How the edge functions and the depth change from a pixel's corner to its samples.
struct SampleSteps {
  double edge[3][kSamples], depth[kSamples];
  double least[3], most[3];  // of `edge`

  explicit SampleSteps(const TriangleSetup& s) {
    for (std::size_t i = 0; i < kSamples; ++i) {
      const double ox = kOffsets[i][0] / 16.0, oy = kOffsets[i][1] / 16.0;
      for (int k = 0; k < 3; ++k) edge[k][i] = s.ax[k] * ox + s.ay[k] * oy;
      depth[i] = s.dx * ox + s.dy * oy;
    }
    for (int k = 0; k < 3; ++k) {
      least[k] = *std::min_element(edge[k], edge[k] + kSamples);
      most[k] = *std::max_element(edge[k], edge[k] + kSamples);
    }
  }
};

// `depths` and `triangles` are the pixel's samples.
inline void draw_pixel(const TriangleSetup& s, const SampleSteps& steps, double x, double y,
                       std::uint32_t index, float* depths, std::uint32_t* triangles) {
  double e[3];
  bool none = false, all = true;
  for (int k = 0; k < 3; ++k) {
    e[k] = s.ax[k] * x + s.ay[k] * y + s.c[k];
    none = none || e[k] + steps.most[k] < 0;
    all = all && e[k] + steps.least[k] >= 0;
  }
  if (none) return;
  const double z = s.z0 + s.dx * x + s.dy * y;
  for (int i = 0; i < kSamples; ++i) {
    if (!all && (e[0] + steps.edge[0][i] < 0 || e[1] + steps.edge[1][i] < 0 || e[2] + steps.edge[2][i] < 0))
      continue;
    // A sliver's plane is steep: its depth stays between those of its corners.
    const float depth = static_cast<float>(std::clamp(z + steps.depth[i], s.low, s.high));
    if (depth > depths[i]) {
      depths[i] = depth;
      triangles[i] = index;
    }
  }
}

}  // namespace

TriangleSetup set_up(const RasterScene& scene, const Triangle& triangle) {
  TriangleSetup s;
  // Floats subtracted and multiplied as doubles lose nothing that counts: neighbours leave no gap between
  // them.
  double x[3], y[3], z[3];
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3f& p = scene.screen[triangle[k]];
    x[k] = static_cast<double>(p.x());
    y[k] = static_cast<double>(p.y());
    z[k] = static_cast<double>(p.z());
  }
  double area = (x[1] - x[0]) * (y[2] - y[0]) - (x[2] - x[0]) * (y[1] - y[0]);
  s.back = area > 0;  // y runs down
  s.empty = area == 0 || !std::isfinite(area);
  if (s.empty) return s;
  const double sign = area < 0 ? -1 : 1;
  s.area = area * sign;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
    s.ax[k] = sign * (y[a] - y[b]);
    s.ay[k] = sign * (x[b] - x[a]);
    s.c[k] = -(s.ax[k] * x[a] + s.ay[k] * y[a]);
  }
  s.dx = (s.ax[0] * z[0] + s.ax[1] * z[1] + s.ax[2] * z[2]) / s.area;
  s.dy = (s.ay[0] * z[0] + s.ay[1] * z[1] + s.ay[2] * z[2]) / s.area;
  const double bias = s.back ? kBackBias : 0;
  s.z0 = z[0] - s.dx * x[0] - s.dy * y[0] - bias;
  s.low = std::min({z[0], z[1], z[2]}) - bias;
  s.high = std::max({z[0], z[1], z[2]}) - bias;
  return s;
}

void draw_triangle(const RasterScene& scene, std::uint32_t index, int x0, int y0, int w, int h,
                   TileSamples& samples) {
  const Triangle& triangle = scene.triangles[index];
  const Vec3f &p = scene.screen[triangle[0]], &q = scene.screen[triangle[1]], &r = scene.screen[triangle[2]];
  const int px0 = clamped_floor(std::min({p.x(), q.x(), r.x()}), x0, w);
  const int px1 = clamped_floor(std::max({p.x(), q.x(), r.x()}) + 1, x0, w);
  const int py0 = clamped_floor(std::min({p.y(), q.y(), r.y()}), y0, h);
  const int py1 = clamped_floor(std::max({p.y(), q.y(), r.y()}) + 1, y0, h);
  if (px0 >= px1 || py0 >= py1) return;
  const TriangleSetup setup = set_up(scene, triangle);
  if (setup.empty) return;
  const SampleSteps steps(setup);
  for (int py = py0; py < py1; ++py)
    for (int px = px0; px < px1; ++px) {
      const std::size_t base = static_cast<std::size_t>((py * kTile + px) * kSamples);
      draw_pixel(setup, steps, x0 + px, y0 + py, index, &samples.depth[base], &samples.triangle[base]);
    }
}

}  // namespace sinew::render_detail
