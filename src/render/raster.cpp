// SPDX-License-Identifier: Apache-2.0
#include "render/raster.h"

#include <algorithm>
#include <cmath>

#include "render/bins.h"
#include "render/colour.h"
#include "render/hidden_lines.h"
#include "render/shade.h"
#include "render/tile_samples.h"
#include "sinew/core/parallel.h"

namespace sinew::render_detail {
namespace {

constexpr int kHeatSteps = 1024;

// Linear colours of the heat map, the last one for NaN.
std::vector<Vec3f> heat_table() {
  std::vector<Vec3f> table(kHeatSteps + 2);
  for (int i = 0; i <= kHeatSteps; ++i)
    table[static_cast<std::size_t>(i)] = to_linear(heat_colour(static_cast<double>(i) / kHeatSteps));
  table.back() = to_linear(heat_colour(std::nan("")));
  return table;
}

struct Shaded {
  Vec3f colour, normal;
};

class Shader {
 public:
  explicit Shader(const RasterScene& scene)
      : scene_(scene), table_(scene.heat.empty() ? std::vector<Vec3f>() : heat_table()) {}

  // The colour of a triangle at (x, y) pixels.
  Shaded operator()(std::uint32_t index, double x, double y) const {
    const Triangle& t = scene_.triangles[index];
    const TriangleSetup s = set_up(scene_, t);
    float w[3], sum = 0;
    for (int k = 0; k < 3; ++k) {
      w[k] = static_cast<float>(std::max(0.0, (s.ax[k] * x + s.ay[k] * y + s.c[k]) / s.area));
      sum += w[k];
    }
    for (float& weight : w) weight /= sum;
    Vec3f normal = facet(s);
    if (!scene_.normals.empty()) {
      Vec3f smooth = w[0] * scene_.normals[t[0]] + w[1] * scene_.normals[t[1]] + w[2] * scene_.normals[t[2]];
      // Towards the side that is seen: of a single flipped triangle the neighbours know better where it
      // faces.
      if (smooth.dot(normal) < 0) smooth = -smooth;
      // Interpolated normals may turn away from the viewer near the silhouette; the surface there is seen
      // edge-on.
      smooth.z() = std::max(smooth.z(), 0.0f);
      if (smooth.squaredNorm() > 1e-6f) normal = smooth.normalized();
    }
    return {shade(normal, albedo(index, w, s), !scene_.heat.empty()), normal};
  }

 private:
  static Vec3f facet(const TriangleSetup& s) {
    return Vec3f(static_cast<float>(-s.dx), static_cast<float>(s.dy), 1.0f).normalized();
  }

  // As small as a pixel of the picture is to one of the screen.
  float level_of(const Texture& texture, const Triangle& t, double pixels) const {
    const Vec2f a = scene_.texcoords[t[1]] - scene_.texcoords[t[0]],
                b = scene_.texcoords[t[2]] - scene_.texcoords[t[0]];
    const double texels = std::abs(static_cast<double>(a.x() * b.y() - a.y() * b.x())) *
                          static_cast<double>(texture.width()) * static_cast<double>(texture.height());
    return static_cast<float>(0.5 * std::log2(std::max(texels / pixels, 1e-9)));
  }

  Vec3f painted(std::uint32_t index, const float (&w)[3], double pixels) const {
    const Triangle& t = scene_.triangles[index];
    const RasterPaint& paint = scene_.paints[scene_.paint_of[index]];
    Vec3f colour = paint.colour;
    if (paint.texture && !scene_.texcoords.empty()) {
      const Vec2f at =
          w[0] * scene_.texcoords[t[0]] + w[1] * scene_.texcoords[t[1]] + w[2] * scene_.texcoords[t[2]];
      colour = colour.cwiseProduct((*paint.texture)(at, level_of(*paint.texture, t, pixels)));
    }
    if (!scene_.colours.empty())
      colour = colour.cwiseProduct(w[0] * scene_.colours[t[0]] + w[1] * scene_.colours[t[1]] +
                                   w[2] * scene_.colours[t[2]]);
    return colour;
  }

  Vec3f albedo(std::uint32_t index, const float (&w)[3], const TriangleSetup& s) const {
    const Triangle& t = scene_.triangles[index];
    const bool back = s.back;
    if (scene_.heat.empty() && !scene_.paint_of.empty()) return painted(index, w, s.area);
    if (scene_.heat.empty()) return back ? back_albedo() : clay_albedo();
    const float value = w[0] * scene_.heat[t[0]] + w[1] * scene_.heat[t[1]] + w[2] * scene_.heat[t[2]];
    const std::size_t row =
        std::isnan(value) ? kHeatSteps + 1
                          : static_cast<std::size_t>(std::lround(std::clamp(value, 0.0f, 1.0f) * kHeatSteps));
    return back ? Vec3f(0.4f * table_[row] + 0.6f * back_albedo()) : table_[row];
  }

  const RasterScene& scene_;
  std::vector<Vec3f> table_;
};

// Each triangle seen in the pixel is shaded once, at the mean of its samples.
void resolve_pixel(const Shader& shader, const TileSamples& samples, std::size_t base, int x, int y,
                   std::size_t pixel, Frame& frame) {
  unsigned done = 0;
  float nearest = -std::numeric_limits<float>::infinity();
  Vec3f colour = Vec3f::Zero();
  int covered = 0;
  for (std::size_t i = 0; i < kSamples; ++i) {
    const std::uint32_t index = samples.triangle[base + i];
    if (index == kNothing || (done >> i & 1u)) continue;
    int count = 0, ox = 0, oy = 0;
    float depth = -std::numeric_limits<float>::infinity();
    for (std::size_t j = i; j < kSamples; ++j) {
      if (samples.triangle[base + j] != index) continue;
      done |= 1u << j;
      ++count;
      ox += kOffsets[j][0];
      oy += kOffsets[j][1];
      depth = std::max(depth, samples.depth[base + j]);
    }
    const Shaded shaded = shader(index, x + ox / (16.0 * count), y + oy / (16.0 * count));
    colour += static_cast<float>(count) * shaded.colour;
    covered += count;
    if (depth > nearest) {
      nearest = depth;
      frame.normal[pixel] = shaded.normal;
    }
  }
  frame.colour[pixel] = colour / kSamples;
  frame.coverage[pixel] = static_cast<float>(covered) / kSamples;
  frame.depth[pixel] = nearest;
}

}  // namespace

Frame rasterise(const RasterScene& scene, int width, int height) {
  Frame frame;
  frame.width = width;
  frame.height = height;
  const std::size_t pixels = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
  frame.colour.assign(pixels, Vec3f::Zero());
  frame.coverage.assign(pixels, 0.0f);
  frame.depth.assign(pixels, -std::numeric_limits<float>::infinity());
  frame.normal.assign(pixels, Vec3f::UnitZ());
  const Bins triangles = bin(scene.screen, scene.triangles, width, height, 0);
  const Bins segments =
      bin(scene.screen, scene.segments, width, height, static_cast<float>(scene.line_width));
  const Shader shader(scene);
  parallel_for(
      static_cast<std::size_t>(triangles.columns) * static_cast<std::size_t>(triangles.rows), 4,
      [&](std::size_t begin, std::size_t end) {
        TileSamples samples;
        for (std::size_t tile = begin; tile < end; ++tile) {
          const int x0 = static_cast<int>(tile % static_cast<std::size_t>(triangles.columns)) * kTile;
          const int y0 = static_cast<int>(tile / static_cast<std::size_t>(triangles.columns)) * kTile;
          const int w = std::min(kTile, width - x0), h = std::min(kTile, height - y0);
          if (triangles.of(tile).empty() && segments.of(tile).empty()) continue;
          samples.clear();
          for (const std::uint32_t index : triangles.of(tile))
            draw_triangle(scene, index, x0, y0, w, h, samples);
          for (int y = 0; y < h; ++y)
            for (int x = 0; x < w; ++x)
              resolve_pixel(shader, samples, static_cast<std::size_t>((y * kTile + x) * kSamples), x0 + x,
                            y0 + y,
                            static_cast<std::size_t>(y0 + y) * static_cast<std::size_t>(width) +
                                static_cast<std::size_t>(x0 + x),
                            frame);
          draw_hidden_lines(scene, segments.of(tile), samples, x0, y0, w, h, frame);
        }
      });
  return frame;
}

}  // namespace sinew::render_detail
