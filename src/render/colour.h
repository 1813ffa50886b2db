// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sinew/math/types.h"
#include "sinew/render/colour_map.h"

namespace sinew::render_detail {

// Linear light and sRGB, both 0 ... 1.
double srgb_to_linear(double value);
double linear_to_srgb(double value);
Vec3f to_linear(const Rgb8& colour);
// Values outside 0 ... 1 are clamped.
Rgb8 to_srgb(const Vec3f& linear);

// Three bytes of red, green and blue as one number.
inline std::uint32_t key_of(const std::uint8_t* p) {
  return static_cast<std::uint32_t>(p[0] << 16 | p[1] << 8 | p[2]);
}

}  // namespace sinew::render_detail
