// SPDX-License-Identifier: Apache-2.0
#include "render/canvas.h"

#include <array>
#include <cstring>
#include <limits>

namespace sinew::render_detail {
namespace {

double segment_distance(const Vec2& p, const Vec2& a, const Vec2& b) {
  const Vec2 ab = b - a;
  const double squared = ab.squaredNorm();
  const double t = squared > 0 ? std::clamp((p - a).dot(ab) / squared, 0.0, 1.0) : 0.0;
  return (p - a - t * ab).norm();
}

// The pixels whose centre may be within reach of [low, high], cut to [0, size).
std::array<int, 2> pixel_range(double low, double high, int size) {
  const double first = std::clamp(std::floor(low - 1), 0.0, static_cast<double>(size));
  const double last = std::clamp(std::ceil(high + 1), 0.0, static_cast<double>(size));
  return {static_cast<int>(first), static_cast<int>(last)};
}

}  // namespace

Image white_image(int width, int height) {
  Image image;
  image.width = width;
  image.height = height;
  image.rgb.assign(std::size_t{3} * static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 255);
  return image;
}

void Canvas::set_clip(double x0, double y0, double x1, double y1) {
  clip_x0_ = std::max(0, static_cast<int>(x0));
  clip_y0_ = std::max(0, static_cast<int>(y0));
  clip_x1_ = std::min(image_.width, static_cast<int>(x1) + 1);
  clip_y1_ = std::min(image_.height, static_cast<int>(y1) + 1);
}

void Canvas::clear_clip() {
  set_clip(0, 0, image_.width, image_.height);
}

void Canvas::blend(int x, int y, const Rgb8& colour, double alpha) {
  if (x < clip_x0_ || y < clip_y0_ || x >= clip_x1_ || y >= clip_y1_ || !(alpha > 0)) return;
  std::uint8_t* pixel =
      &image_.rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image_.width) +
                       static_cast<std::size_t>(x))];
  alpha = std::min(alpha, 1.0);
  for (std::size_t i = 0; i < 3; ++i)
    pixel[i] = static_cast<std::uint8_t>(std::lround(pixel[i] + alpha * (colour[i] - pixel[i])));
}

template <class Distance>
void Canvas::shape(const Vec2& low, const Vec2& high, const Rgb8& colour, double alpha, Distance&& distance) {
  if (!low.allFinite() || !high.allFinite()) return;
  const auto [x0, x1] = pixel_range(low.x(), high.x(), image_.width);
  const auto [y0, y1] = pixel_range(low.y(), high.y(), image_.height);
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x) {
      const double cover = std::clamp(0.5 - distance(Vec2(x + 0.5, y + 0.5)), 0.0, 1.0);
      if (cover > 0) blend(x, y, colour, alpha * cover);
    }
}

void Canvas::rectangle(double x0, double y0, double x1, double y1, const Rgb8& colour, double alpha) {
  shape({x0, y0}, {x1, y1}, colour, alpha, [&](const Vec2& p) {
    // The area of the pixel inside, as a distance: exact also for rectangles thinner than a pixel.
    const double w = std::min(p.x() + 0.5, x1) - std::max(p.x() - 0.5, x0);
    const double h = std::min(p.y() + 0.5, y1) - std::max(p.y() - 0.5, y0);
    return 0.5 - std::max(w, 0.0) * std::max(h, 0.0);
  });
}

void Canvas::line(const Vec2& a, const Vec2& b, double width, const Rgb8& colour, double alpha) {
  const Vec2 points[] = {a, b};
  polyline(points, width, colour, alpha);
}

void Canvas::polyline(std::span<const Vec2> points, double width, const Rgb8& colour, double alpha) {
  Vec2 low = Vec2::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const Vec2& p : points)
    if (p.allFinite()) {
      low = low.cwiseMin(p);
      high = high.cwiseMax(p);
    }
  if (!low.allFinite()) return;
  // A stroke thinner than a pixel is drawn a pixel wide and paler.
  const double drawn = std::max(width, 1.0), radius = drawn / 2;
  const auto [x0, x1] = pixel_range(low.x() - radius, high.x() + radius, image_.width);
  const auto [y0, y1] = pixel_range(low.y() - radius, high.y() + radius, image_.height);
  if (x0 >= x1 || y0 >= y1) return;
  const std::size_t columns = static_cast<std::size_t>(x1 - x0);
  std::vector<float> cover(columns * static_cast<std::size_t>(y1 - y0), 0.0f);
  for (std::size_t k = 0; k + 1 < points.size(); ++k) {
    const Vec2 &a = points[k], &b = points[k + 1];
    if (!a.allFinite() || !b.allFinite()) continue;
    const auto [sx0, sx1] =
        pixel_range(std::min(a.x(), b.x()) - radius, std::max(a.x(), b.x()) + radius, image_.width);
    const auto [sy0, sy1] =
        pixel_range(std::min(a.y(), b.y()) - radius, std::max(a.y(), b.y()) + radius, image_.height);
    for (int y = sy0; y < sy1; ++y)
      for (int x = sx0; x < sx1; ++x) {
        float& c = cover[static_cast<std::size_t>(y - y0) * columns + static_cast<std::size_t>(x - x0)];
        const double d = segment_distance(Vec2(x + 0.5, y + 0.5), a, b) - radius;
        c = std::max(c, static_cast<float>(std::clamp(0.5 - d, 0.0, 1.0)));
      }
  }
  for (int y = y0; y < y1; ++y)
    for (int x = x0; x < x1; ++x)
      blend(x, y, colour,
            alpha * (width / drawn) *
                cover[static_cast<std::size_t>(y - y0) * columns + static_cast<std::size_t>(x - x0)]);
}

void Canvas::disc(const Vec2& centre, double radius, const Rgb8& colour, double alpha) {
  const Vec2 reach = Vec2::Constant(radius);
  shape(centre - reach, centre + reach, colour, alpha,
        [&](const Vec2& p) { return (p - centre).norm() - radius; });
}

void Canvas::convex(std::span<const Vec2> corners, const Rgb8& colour, double alpha) {
  if (corners.size() < 3) return;
  Vec2 low = corners[0], high = corners[0];
  double area = 0;
  for (std::size_t k = 0; k < corners.size(); ++k) {
    const Vec2 &a = corners[k], &b = corners[(k + 1) % corners.size()];
    low = low.cwiseMin(a);
    high = high.cwiseMax(a);
    area += a.x() * b.y() - a.y() * b.x();
  }
  const double sign = area < 0 ? 1 : -1;
  shape(low, high, colour, alpha, [&](const Vec2& p) {
    double outside = -1e9;
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const Vec2& a = corners[k];
      const Vec2 ab = corners[(k + 1) % corners.size()] - a;
      const double length = ab.norm();
      if (length > 1e-9)
        outside = std::max(outside, sign * (ab.x() * (p.y() - a.y()) - ab.y() * (p.x() - a.x())) / length);
    }
    return outside;
  });
}

void Canvas::paste(const Image& source, int x, int y) {
  const int x0 = std::max(x, 0), x1 = std::min(x + source.width, image_.width);
  if (x0 >= x1) return;
  for (int row = std::max(y, 0); row < std::min(y + source.height, image_.height); ++row) {
    const std::size_t from = 3 * (static_cast<std::size_t>(row - y) * static_cast<std::size_t>(source.width) +
                                  static_cast<std::size_t>(x0 - x));
    const std::size_t to = 3 * (static_cast<std::size_t>(row) * static_cast<std::size_t>(image_.width) +
                                static_cast<std::size_t>(x0));
    std::memcpy(&image_.rgb[to], &source.rgb[from], std::size_t{3} * static_cast<std::size_t>(x1 - x0));
  }
}

}  // namespace sinew::render_detail
