// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstddef>

#include "sinew/render/colour_map.h"
#include "sinew/render/render.h"

namespace sinew::test {

// A mesh with its triangles, as a subject. Must outlive the subject.
struct Model {
  PolyMesh mesh;
  std::vector<Triangle> triangles;
  explicit Model(PolyMesh m) : mesh(std::move(m)), triangles(triangulate(mesh).triangles) {}
  Subject subject() const {
    Subject s;
    s.positions = mesh.positions;
    s.triangles = triangles;
    return s;
  }
};

inline Rgb8 pixel(const Image& image, int x, int y) {
  const std::size_t at =
      3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x));
  return {image.rgb[at], image.rgb[at + 1], image.rgb[at + 2]};
}

inline bool is_white(const Rgb8& colour) {
  return colour == Rgb8{255, 255, 255};
}

// Saturated towards red, as back faces are and clay is not.
inline bool is_orange(const Rgb8& colour) {
  return colour[0] > colour[2] + 60;
}

// Pixels that are not white in the columns [x0, x1).
inline std::size_t count_drawn(const Image& image, int x0, int x1) {
  std::size_t count = 0;
  for (int y = 0; y < image.height; ++y)
    for (int x = x0; x < x1; ++x) count += is_white(pixel(image, x, y)) ? 0 : 1;
  return count;
}
inline std::size_t count_drawn(const Image& image) {
  return count_drawn(image, 0, image.width);
}

// Mean and largest difference of two pictures of one size, in 8-bit steps.
inline double mean_difference(const Image& a, const Image& b) {
  EXPECT_EQ(a.rgb.size(), b.rgb.size());
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.rgb.size(), b.rgb.size()); ++i)
    sum += std::abs(int{a.rgb[i]} - int{b.rgb[i]});
  return sum / static_cast<double>(std::max<std::size_t>(a.rgb.size(), 1));
}

// One view, small.
inline RenderOptions one_view(View view, int size = 160) {
  RenderOptions options;
  options.width = options.height = size;
  options.views = {view};
  return options;
}

inline Image rendered(const Subject& subject, const RenderOptions& options = {}) {
  Result<Image> image = render(subject, options);
  EXPECT_TRUE(image.ok()) << (image.ok() ? "" : image.error().message);
  return image.ok() ? *std::move(image) : Image{};
}

}  // namespace sinew::test
