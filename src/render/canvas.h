// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "sinew/render/colour_map.h"
#include "sinew/render/render.h"

namespace sinew::render_detail {

// Flat shapes drawn over a picture, anti-aliased by their distance to each pixel's centre. Coordinates are
// pixels from the top left corner, pixel (0, 0) has its centre at (0.5, 0.5). Whatever lies outside is cut.
class Canvas {
 public:
  explicit Canvas(Image& image) : image_(image) { clear_clip(); }
  int width() const { return image_.width; }
  int height() const { return image_.height; }

  // Until clear_clip nothing outside the rectangle changes.
  void set_clip(double x0, double y0, double x1, double y1);
  void clear_clip();

  void blend(int x, int y, const Rgb8& colour, double alpha);
  void rectangle(double x0, double y0, double x1, double y1, const Rgb8& colour, double alpha = 1);
  void line(const Vec2& a, const Vec2& b, double width, const Rgb8& colour, double alpha = 1);
  // One stroke, so that it does not darken where it meets itself. Breaks at points that are not finite.
  void polyline(std::span<const Vec2> points, double width, const Rgb8& colour, double alpha = 1);
  void disc(const Vec2& centre, double radius, const Rgb8& colour, double alpha = 1);
  // Corners in either order; convex.
  void convex(std::span<const Vec2> corners, const Rgb8& colour, double alpha = 1);
  // Copies `source` with its top left corner at (x, y).
  void paste(const Image& source, int x, int y);

 private:
  // distance(p) < 0 inside the shape, in pixels; [low, high] bounds it.
  template <class Distance>
  void shape(const Vec2& low, const Vec2& high, const Rgb8& colour, double alpha, Distance&& distance);

  Image& image_;
  int clip_x0_ = 0, clip_y0_ = 0, clip_x1_ = 0, clip_y1_ = 0;  // first pixel and one past the last
};

Image white_image(int width, int height);

}  // namespace sinew::render_detail
