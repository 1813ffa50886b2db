// SPDX-License-Identifier: Apache-2.0
#include "render/texture.h"

#include <algorithm>
#include <cmath>

#include "render/colour.h"

namespace sinew::render_detail {
namespace {

const std::array<float, 256>& light_of_bytes() {
  static const std::array<float, 256> table = [] {
    std::array<float, 256> made;
    for (std::size_t i = 0; i < 256; ++i)
      made[i] = static_cast<float>(srgb_to_linear(static_cast<double>(i) / 255));
    return made;
  }();
  return table;
}

int wrapped(int at, int size, bool repeat) {
  return repeat ? ((at % size) + size) % size : std::clamp(at, 0, size - 1);
}

}  // namespace

Texture::Texture(const Image& image, bool repeat_u, bool repeat_v)
    : repeat_u_(repeat_u), repeat_v_(repeat_v) {
  levels_.push_back({image.width, image.height, image.rgb});
  const auto& light = light_of_bytes();
  while (levels_.back().width > 1 || levels_.back().height > 1) {
    const Level& fine = levels_.back();
    Level half{std::max(1, fine.width / 2), std::max(1, fine.height / 2), {}};
    half.rgb.reserve(std::size_t{3} * static_cast<std::size_t>(half.width) *
                     static_cast<std::size_t>(half.height));
    for (int y = 0; y < half.height; ++y)
      for (int x = 0; x < half.width; ++x) {
        Vec3f sum = Vec3f::Zero();
        for (const int dy : {0, 1})
          for (const int dx : {0, 1}) {
            const int fx = std::min(2 * x + dx, fine.width - 1), fy = std::min(2 * y + dy, fine.height - 1);
            const std::uint8_t* p = &fine.rgb[std::size_t{3} * (static_cast<std::size_t>(fy) *
                                                                    static_cast<std::size_t>(fine.width) +
                                                                static_cast<std::size_t>(fx))];
            sum += 0.25f * Vec3f(light[p[0]], light[p[1]], light[p[2]]);
          }
        const Rgb8 pixel = to_srgb(sum);
        half.rgb.insert(half.rgb.end(), pixel.begin(), pixel.end());
      }
    levels_.push_back(std::move(half));
  }
}

Vec3f Texture::operator()(const Vec2f& at, float level) const {
  if (!at.allFinite()) return Vec3f::Ones();
  const float last = static_cast<float>(levels_.size() - 1);
  const Level& picture = levels_[static_cast<std::size_t>(
      std::isfinite(level) ? std::clamp(std::round(level), 0.0f, last) : last)];
  // Whole turns go first, so that large coordinates keep their pixels.
  const float u = repeat_u_ ? at.x() - std::floor(at.x()) : std::clamp(at.x(), 0.0f, 1.0f),
              v = repeat_v_ ? at.y() - std::floor(at.y()) : std::clamp(at.y(), 0.0f, 1.0f);
  const float x = u * static_cast<float>(picture.width) - 0.5f,
              y = v * static_cast<float>(picture.height) - 0.5f;
  const float fx = std::floor(x), fy = std::floor(y);
  const auto& light = light_of_bytes();
  Vec3f colour = Vec3f::Zero();
  for (const int dy : {0, 1})
    for (const int dx : {0, 1}) {
      const int px = wrapped(static_cast<int>(fx) + dx, picture.width, repeat_u_),
                py = wrapped(static_cast<int>(fy) + dy, picture.height, repeat_v_);
      const std::uint8_t* p =
          &picture
               .rgb[std::size_t{3} * (static_cast<std::size_t>(py) * static_cast<std::size_t>(picture.width) +
                                      static_cast<std::size_t>(px))];
      colour += (dx ? x - fx : 1 - (x - fx)) * (dy ? y - fy : 1 - (y - fy)) *
                Vec3f(light[p[0]], light[p[1]], light[p[2]]);
    }
  return colour;
}

}  // namespace sinew::render_detail
