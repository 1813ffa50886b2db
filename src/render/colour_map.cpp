// SPDX-License-Identifier: Apache-2.0
#include "sinew/render/colour_map.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "render/colour.h"

namespace sinew {
namespace {

// OKLab (Ottosson 2020): a cube root of cone responses, in which equal steps look equal.
Vec3 linear_to_oklab(const Vec3& c) {
  const double l = std::cbrt(0.4122214708 * c.x() + 0.5363325363 * c.y() + 0.0514459929 * c.z());
  const double m = std::cbrt(0.2119034982 * c.x() + 0.6806995451 * c.y() + 0.1073969566 * c.z());
  const double s = std::cbrt(0.0883024619 * c.x() + 0.2817188376 * c.y() + 0.6299787005 * c.z());
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Vec3 oklab_to_linear(const Vec3& c) {
  const double l = std::pow(c.x() + 0.3963377774 * c.y() + 0.2158037573 * c.z(), 3);
  const double m = std::pow(c.x() - 0.1055613458 * c.y() - 0.0638541728 * c.z(), 3);
  const double s = std::pow(c.x() - 0.0894841775 * c.y() - 1.2914855480 * c.z(), 3);
  return {4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
          -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
          -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s};
}

// Hue (degrees) and chroma at even steps of t; lightness is a straight line. All control colours lie inside
// sRGB.
struct Control {
  double hue, chroma;
};
constexpr Control kControls[] = {{292, 0.150}, {270, 0.135}, {232, 0.100}, {186, 0.105},
                                 {148, 0.140}, {118, 0.165}, {103, 0.180}};
constexpr double kDark = 0.36, kLight = 0.92;

Rgb8 compute_heat_colour(double t) {
  constexpr int kLast = static_cast<int>(std::size(kControls)) - 1;
  const int k = std::min(static_cast<int>(t * kLast), kLast - 1);
  const double f = t * kLast - k;
  // Interpolating a and b, not hue and chroma, keeps the path even and inside the gamut.
  const auto point = [](const Control& c) {
    const double angle = c.hue * 3.14159265358979323846 / 180;
    return Vec2(c.chroma * std::cos(angle), c.chroma * std::sin(angle));
  };
  const auto at = [&](int i) { return point(kControls[std::clamp(i, 0, kLast)]); };
  const Vec2 p0 = at(k - 1), p1 = at(k), p2 = at(k + 1), p3 = at(k + 2);
  const Vec2 ab = 0.5 * (2 * p1 + f * (p2 - p0) + f * f * (2 * p0 - 5 * p1 + 4 * p2 - p3) +
                         f * f * f * (3 * p1 - p0 - 3 * p2 + p3));
  const Vec3 linear = oklab_to_linear({kDark + (kLight - kDark) * t, ab.x(), ab.y()});
  return render_detail::to_srgb(linear.cast<float>());
}

}  // namespace

Rgb8 heat_colour(double t) {
  if (std::isnan(t)) return {158, 158, 158};
  return compute_heat_colour(std::clamp(t, 0.0, 1.0));
}

Rgb8 series_colour(std::size_t index) {
  // Lightness differs between neighbours, and no two differ by red against green alone.
  constexpr Rgb8 kColours[] = {{31, 88, 166},   {222, 115, 18}, {22, 143, 116}, {171, 45, 100},
                               {109, 163, 219}, {92, 64, 40},   {190, 164, 38}, {98, 98, 104}};
  return kColours[index % std::size(kColours)];
}

double lightness(const Rgb8& colour) {
  return linear_to_oklab(render_detail::to_linear(colour).cast<double>()).x();
}

namespace render_detail {

double srgb_to_linear(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}

double linear_to_srgb(double value) {
  return value <= 0.0031308 ? value * 12.92 : 1.055 * std::pow(value, 1 / 2.4) - 0.055;
}

Vec3f to_linear(const Rgb8& colour) {
  Vec3f out;
  for (int i = 0; i < 3; ++i)
    out[i] = static_cast<float>(srgb_to_linear(colour[static_cast<std::size_t>(i)] / 255.0));
  return out;
}

Rgb8 to_srgb(const Vec3f& linear) {
  // Fine enough that every 8-bit value is hit, and its own.
  constexpr int kSteps = 1 << 14;
  static const std::vector<std::uint8_t> table = [] {
    std::vector<std::uint8_t> values(kSteps + 1);
    for (int i = 0; i <= kSteps; ++i)
      values[static_cast<std::size_t>(i)] =
          static_cast<std::uint8_t>(std::lround(255 * linear_to_srgb(static_cast<double>(i) / kSteps)));
    return values;
  }();
  Rgb8 out;
  for (int i = 0; i < 3; ++i)
    out[static_cast<std::size_t>(i)] =
        table[static_cast<std::size_t>(std::clamp(linear[i], 0.0f, 1.0f) * kSteps + 0.5f)];
  return out;
}

}  // namespace render_detail
}  // namespace sinew
