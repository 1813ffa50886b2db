// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/render/render.h"

namespace sinew::render_detail {

// A picture and its halves down to one pixel, averaged as light.
class Texture {
 public:
  Texture(const Image& image, bool repeat_u, bool repeat_v);

  // Linear colour at a texture coordinate, between the four nearest pixels of the picture that is smaller by
  // 2^level, the nearest whole one.
  Vec3f operator()(const Vec2f& at, float level) const;
  int width() const { return levels_[0].width; }
  int height() const { return levels_[0].height; }

 private:
  struct Level {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb;
  };
  std::vector<Level> levels_;
  bool repeat_u_, repeat_v_;
};

}  // namespace sinew::render_detail
