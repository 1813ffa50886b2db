// SPDX-License-Identifier: Apache-2.0
#include "render/hidden_lines.h"

#include <algorithm>
#include <cmath>

namespace sinew::render_detail {
namespace {

bool has_corner(const Triangle& t, std::uint32_t i) {
  return t[0] == i || t[1] == i || t[2] == i;
}

// Whether the line, at this depth, is in front of what the sample shows. The tolerance follows the surface's
// slope: beside the line it may well be nearer than the line itself.
bool sees_line(const RasterScene& scene, const Segment& segment, float line_depth, std::uint32_t triangle,
               float depth) {
  if (triangle == kNothing || line_depth >= depth) return true;
  if (line_depth < depth - 12) return false;
  const Triangle& t = scene.triangles[triangle];
  if (has_corner(t, segment[0]) && has_corner(t, segment[1])) return true;
  const TriangleSetup s = set_up(scene, t);
  const double slope = std::min(std::hypot(s.dx, s.dy), 8.0);
  return line_depth >= depth - static_cast<float>(0.4 + 1.2 * slope);
}

void draw_segment(const RasterScene& scene, const Segment& segment, const TileSamples& samples, int x0,
                  int y0, int w, int h, std::vector<float>& alpha) {
  const Vec3f &a = scene.screen[segment[0]], &b = scene.screen[segment[1]];
  const Vec2f along = (b - a).head<2>();
  const float squared = along.squaredNorm(), radius = static_cast<float>(0.5 * scene.line_width);
  const float reach = radius + 0.5f;
  const int px0 = clamped_floor(std::min(a.x(), b.x()) - reach, x0, w),
            px1 = clamped_floor(std::max(a.x(), b.x()) + reach + 1, x0, w);
  const int py0 = clamped_floor(std::min(a.y(), b.y()) - reach, y0, h),
            py1 = clamped_floor(std::max(a.y(), b.y()) + reach + 1, y0, h);
  for (int y = py0; y < py1; ++y)
    for (int x = px0; x < px1; ++x) {
      const Vec2f p(static_cast<float>(x0 + x) + 0.5f, static_cast<float>(y0 + y) + 0.5f);
      const float t = squared > 0 ? std::clamp((p - a.head<2>()).dot(along) / squared, 0.0f, 1.0f) : 0.0f;
      const float cover = std::clamp(radius + 0.5f - (p - a.head<2>() - t * along).norm(), 0.0f, 1.0f);
      if (cover <= alpha[static_cast<std::size_t>(y * kTile + x)]) continue;
      const float depth = a.z() + t * (b.z() - a.z());
      const std::size_t base = static_cast<std::size_t>((y * kTile + x) * kSamples);
      int seen = 0;
      for (std::size_t i = 0; i < kSamples; ++i)
        seen += sees_line(scene, segment, depth, samples.triangle[base + i], samples.depth[base + i]) ? 1 : 0;
      float& best = alpha[static_cast<std::size_t>(y * kTile + x)];
      best = std::max(best, cover * static_cast<float>(seen) / kSamples);
    }
}

}  // namespace

void draw_hidden_lines(const RasterScene& scene, std::span<const std::uint32_t> segments,
                       const TileSamples& samples, int x0, int y0, int w, int h, Frame& frame) {
  if (segments.empty()) return;
  const Vec3f ink(0.010f, 0.014f, 0.022f);
  std::vector<float> alpha(kTile * kTile, 0.0f);
  for (const std::uint32_t index : segments)
    draw_segment(scene, scene.segments[index], samples, x0, y0, w, h, alpha);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      const float opacity =
          static_cast<float>(scene.line_opacity) * alpha[static_cast<std::size_t>(y * kTile + x)];
      const std::size_t pixel = static_cast<std::size_t>(y0 + y) * static_cast<std::size_t>(frame.width) +
                                static_cast<std::size_t>(x0 + x);
      frame.colour[pixel] = (1 - opacity) * frame.colour[pixel] + opacity * ink;
      frame.coverage[pixel] += opacity * (1 - frame.coverage[pixel]);
    }
}

}  // namespace sinew::render_detail
