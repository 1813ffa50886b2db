// SPDX-License-Identifier: Apache-2.0
#include "render/occlusion.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sinew/core/parallel.h"

namespace sinew::render_detail {
namespace {

constexpr int kDirections = 6, kSteps = 5;
constexpr int kPattern =
    4;  // the directions turn from pixel to pixel and repeat after so many, which the blur averages out

struct Offset {
  float x, y;
};
// Offsets (in radii) for each pixel of the pattern.
using Offsets = std::array<std::array<Offset, kDirections * kSteps>, kPattern * kPattern>;

Offsets make_offsets() {
  Offsets offsets;
  for (std::size_t cell = 0; cell < offsets.size(); ++cell) {
    // 7 is coprime with 16: neighbours in the pattern get angles far apart.
    const double turn = static_cast<double>(cell * 7 % 16) / 16,
                 shift = static_cast<double>(cell * 5 % 16) / 16;
    for (int d = 0; d < kDirections; ++d)
      for (int k = 0; k < kSteps; ++k) {
        const double angle = 2 * 3.14159265358979323846 * (d + turn) / kDirections;
        const double r = std::pow((k + 0.25 + 0.75 * shift) / kSteps, 1.5);
        offsets[cell][static_cast<std::size_t>(d * kSteps + k)] = {static_cast<float>(r * std::cos(angle)),
                                                                   static_cast<float>(r * std::sin(angle))};
      }
  }
  return offsets;
}

float occlusion_at(const Frame& frame, int x, int y, float radius,
                   const std::array<Offset, kDirections * kSteps>& offsets) {
  const std::size_t pixel =
      static_cast<std::size_t>(y) * static_cast<std::size_t>(frame.width) + static_cast<std::size_t>(x);
  const Vec3f normal = frame.normal[pixel];
  const float depth = frame.depth[pixel], inverse = 1 / (radius * radius);
  float sum = 0;
  for (const Offset& offset : offsets) {
    const int sx = x + static_cast<int>(radius * offset.x + 4096.5f) - 4096;  // rounds, whatever the sign
    const int sy = y + static_cast<int>(radius * offset.y + 4096.5f) - 4096;
    if (sx < 0 || sy < 0 || sx >= frame.width || sy >= frame.height) continue;
    const float other = frame.depth[static_cast<std::size_t>(sy) * static_cast<std::size_t>(frame.width) +
                                    static_cast<std::size_t>(sx)];
    if (!(other > -1e30f)) continue;
    const Vec3f to(static_cast<float>(sx - x), static_cast<float>(y - sy), other - depth);
    const float squared = to.squaredNorm();
    if (squared < 0.25f) continue;
    const float rise = normal.dot(to) / std::sqrt(squared) - 0.12f;
    // What is far in front casts no shade: it is another limb, with air between.
    if (rise > 0) sum += rise * std::max(0.0f, 1 - 0.5f * squared * inverse);
  }
  return sum / (kDirections * kSteps);
}

}  // namespace

void darken_creases(Frame& frame, double radius, double strength) {
  static const Offsets offsets = make_offsets();
  const std::size_t width = static_cast<std::size_t>(frame.width),
                    height = static_cast<std::size_t>(frame.height);
  std::vector<float> raw(width * height, 0.0f);
  parallel_for(height, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y)
      for (std::size_t x = 0; x < width; ++x)
        if (frame.depth[y * width + x] > -1e30f)
          raw[y * width + x] =
              occlusion_at(frame, static_cast<int>(x), static_cast<int>(y), static_cast<float>(radius),
                           offsets[(y % kPattern) * kPattern + x % kPattern]);
  });
  parallel_for(height, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y)
      for (std::size_t x = 0; x < width; ++x) {
        const float depth = frame.depth[y * width + x];
        if (!(depth > -1e30f)) continue;
        const Vec3f& normal = frame.normal[y * width + x];
        float sum = 0, weights = 0;
        for (int dy = -2; dy < 2; ++dy)
          for (int dx = -2; dx < 2; ++dx) {
            const std::size_t sx = x + static_cast<std::size_t>(dx), sy = y + static_cast<std::size_t>(dy);
            if (sx >= width || sy >= height) continue;  // below zero wraps to huge
            const float difference = std::abs(frame.depth[sy * width + sx] - depth);
            if (!(difference < 8) || normal.dot(frame.normal[sy * width + sx]) < 0.7f) continue;
            sum += raw[sy * width + sx];
            weights += 1;
          }
        const float occlusion = weights > 0 ? sum / weights : raw[y * width + x];
        frame.colour[y * width + x] *= std::max(0.0f, 1 - static_cast<float>(strength) * occlusion);
      }
  });
}

}  // namespace sinew::render_detail
