// SPDX-License-Identifier: Apache-2.0
#include "sinew/render/colour_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "render/colour.h"

namespace sinew {
namespace {

TEST(ColourMap, LightnessRisesEvenly) {
  const double low = lightness(heat_colour(0)), high = lightness(heat_colour(1));
  EXPECT_GT(high - low, 0.5);
  double before = low;
  for (int i = 1; i <= 256; ++i) {
    const double now = lightness(heat_colour(i / 256.0));
    EXPECT_GE(now, before - 0.002) << i;  // 8-bit rounding
    EXPECT_NEAR(now, low + (high - low) * i / 256.0, 0.006)
        << i;  // so nothing was clipped at the gamut's edge
    before = now;
  }
  for (int i = 0; i < 32; ++i)
    EXPECT_GT(lightness(heat_colour((i + 1) / 32.0)), lightness(heat_colour(i / 32.0)));
}

TEST(ColourMap, ColourBlindEyesSeeTheSameOrder) {
  // Brettel's projection for red-blind and green-blind eyes, in linear light (the usual 3x3 approximations by
  // Vienot 1999).
  for (const auto& matrix :
       {(Mat3() << 0.11238, 0.88762, 0, 0.11238, 0.88762, 0, 0.00401, -0.00401, 1).finished(),
        (Mat3() << 0.29275, 0.70725, 0, 0.29275, 0.70725, 0, -0.02234, 0.02234, 1).finished()}) {
    double before = -1;
    for (int i = 0; i <= 20; ++i) {
      const Vec3 seen = matrix * render_detail::to_linear(heat_colour(i / 20.0)).cast<double>();
      const double now = lightness(render_detail::to_srgb(seen.cast<float>()));
      EXPECT_GT(now, before) << i;
      before = now;
    }
  }
}

TEST(ColourMap, ValuesBeyondTheEndsTakeTheEnds) {
  EXPECT_EQ(heat_colour(-3), heat_colour(0));
  EXPECT_EQ(heat_colour(1e300), heat_colour(1));
  EXPECT_EQ(heat_colour(INFINITY), heat_colour(1));
  const Rgb8 none = heat_colour(std::nan(""));
  EXPECT_TRUE(none[0] == none[1] && none[1] == none[2]);
}

TEST(ColourMap, SrgbSurvivesLinearLight) {
  for (int v = 0; v < 256; ++v) {
    const Rgb8 colour = {static_cast<std::uint8_t>(v), 0, 255};
    EXPECT_EQ(render_detail::to_srgb(render_detail::to_linear(colour)), colour);
  }
}

TEST(ColourMap, LightnessOfGreysIsTheirs) {
  EXPECT_NEAR(lightness({0, 0, 0}), 0, 1e-9);
  EXPECT_NEAR(lightness({255, 255, 255}), 1, 1e-6);
}

TEST(ColourMap, SeriesColoursDiffer) {
  std::set<Rgb8> seen;
  for (std::size_t i = 0; i < 8; ++i) seen.insert(series_colour(i));
  EXPECT_EQ(seen.size(), 8u);
  EXPECT_EQ(series_colour(8), series_colour(0));
  for (std::size_t i = 0; i < 8; ++i) {
    EXPECT_LT(lightness(series_colour(i)), 0.8) << i;  // readable on white
    EXPECT_GT(std::abs(lightness(series_colour(i)) - lightness(series_colour(i + 1))), 0.03) << i;
  }
}

}  // namespace
}  // namespace sinew
