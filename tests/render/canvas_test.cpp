// SPDX-License-Identifier: Apache-2.0
#include "render/canvas.h"

#include <cmath>
#include <limits>

#include "render/pictures.h"

namespace sinew::test {
namespace {

using render_detail::Canvas;
using render_detail::white_image;

constexpr Rgb8 kBlack = {0, 0, 0};

// Black laid on white, in pixels.
double ink(const Image& image) {
  double sum = 0;
  for (const std::uint8_t value : image.rgb) sum += (255 - value) / 255.0 / 3;
  return sum;
}

TEST(Canvas, ShapesHaveTheirArea) {
  Image image = white_image(100, 80);
  Canvas(image).disc({50.3, 40.8}, 20, kBlack);
  EXPECT_NEAR(ink(image), 3.14159265 * 400, 4);
  image = white_image(100, 80);
  Canvas(image).rectangle(10.25, 20.5, 60.75, 20.75, kBlack);  // thinner than a pixel
  EXPECT_NEAR(ink(image), 50.5 * 0.25, 0.3);
  image = white_image(100, 80);
  const Vec2 diamond[] = {{50, 10}, {90, 40}, {50, 70}, {10, 40}};
  Canvas(image).convex(diamond, kBlack);
  EXPECT_NEAR(ink(image), 0.5 * 80 * 60, 5);
  image = white_image(100, 80);
  const Vec2 turned[] = {{10, 40}, {50, 70}, {90, 40}, {50, 10}};
  Canvas(image).convex(turned, kBlack);
  EXPECT_NEAR(ink(image), 0.5 * 80 * 60, 5);
}

TEST(Canvas, LinesHaveTheirLengthTimesTheirWidth) {
  for (const double width : {0.5, 1.0, 3.0})
    for (const double angle : {0.0, 0.3, 0.8, 1.2}) {
      Image image = white_image(120, 120);
      const Vec2 reach(40 * std::cos(angle), 40 * std::sin(angle));
      Canvas(image).line(Vec2(60, 60) - reach, Vec2(60, 60) + reach, width, kBlack);
      EXPECT_NEAR(ink(image) / (80 * width), 1, 0.06) << width << " " << angle;
    }
}

TEST(Canvas, ALineOnePixelWideIsSharp) {
  Image image = white_image(20, 20);
  Canvas(image).line({0, 10.5}, {20, 10.5}, 1, kBlack);
  EXPECT_EQ(pixel(image, 10, 10), kBlack);
  EXPECT_TRUE(is_white(pixel(image, 10, 9)));
  EXPECT_TRUE(is_white(pixel(image, 10, 11)));
}

TEST(Canvas, AStrokeIsOnePieceAndBreaksAtMissingPoints) {
  // Half transparent, and back over itself: nowhere darker than half.
  Image image = white_image(60, 60);
  const Vec2 there_and_back[] = {{10, 30}, {50, 30}, {10, 30}, {50, 30}};
  Canvas(image).polyline(there_and_back, 4, kBlack, 0.5);
  for (const std::uint8_t value : image.rgb) ASSERT_GE(value, 127);
  const double whole = ink(image);
  image = white_image(60, 60);
  const double none = std::numeric_limits<double>::quiet_NaN();
  const Vec2 broken[] = {{10, 30}, {20, 30}, {none, 30}, {40, 30}, {50, 30}};
  Canvas(image).polyline(broken, 4, kBlack, 0.5);
  EXPECT_LT(ink(image), 0.7 * whole);
}

TEST(Canvas, WhatLiesOutsideIsCut) {
  Image image = white_image(40, 40);
  Canvas canvas(image);
  const double far = 1e12;
  canvas.disc({-far, far}, 10, kBlack);
  canvas.disc({std::numeric_limits<double>::infinity(), 0}, 10, kBlack);
  canvas.rectangle(50, 50, 60, 60, kBlack);
  canvas.blend(-1, 0, kBlack, 1);
  canvas.blend(0, 40, kBlack, 1);
  canvas.paste(white_image(5, 5), -3, 38);
  EXPECT_EQ(ink(image), 0);
  canvas.line({-far, 20}, {far, 20}, 2, kBlack);
  EXPECT_NEAR(ink(image), 80, 1);
  image = white_image(40, 40);
  Canvas clipped(image);
  clipped.set_clip(10, 10, 19, 19);
  clipped.rectangle(0, 0, 40, 40, kBlack);
  EXPECT_NEAR(ink(image), 100, 1e-6);
  clipped.clear_clip();
  clipped.rectangle(0, 0, 40, 40, kBlack);
  EXPECT_NEAR(ink(image), 1600, 1e-6);
}

}  // namespace
}  // namespace sinew::test
