// SPDX-License-Identifier: Apache-2.0
#include "render/text.h"

#include <cmath>

#include "render/pictures.h"

namespace sinew::test {
namespace {

using namespace render_detail;

// The box of what is not white: left, top, right, bottom (past the last).
std::array<int, 4> drawn_box(const Image& image) {
  std::array<int, 4> box = {image.width, image.height, 0, 0};
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      if (!is_white(pixel(image, x, y))) {
        box = {std::min(box[0], x), std::min(box[1], y), std::max(box[2], x + 1), std::max(box[3], y + 1)};
      }
  return box;
}

class Text : public testing::Test {
 protected:
  void SetUp() override {
    if (!font_.loaded()) GTEST_SKIP() << font_.missing();
  }
  std::array<int, 4> box_of(std::string_view text, double x, double y, double anchor,
                            bool upwards = false) const {
    Image image = white_image(300, 300);
    Canvas canvas(image);
    font_.draw(canvas, text, x, y, 20, anchor, {0, 0, 0}, upwards);
    return drawn_box(image);
  }
  Font font_;
};

TEST_F(Text, WidthGrowsWithSizeAndText) {
  EXPECT_EQ(font_.width("", 20), 0);
  EXPECT_NEAR(font_.width("sinew", 40), 2 * font_.width("sinew", 20), 0.5);
  EXPECT_GT(font_.width("sinews", 20), font_.width("sinew", 20));
  EXPECT_NEAR(font_.width("iii", 20), 3 * font_.width("i", 20), 0.1);
}

TEST_F(Text, AnchorsPlaceIt) {
  const double width = font_.width("HHHH", 20);
  const auto start = box_of("HHHH", 150, 150, 0), centre = box_of("HHHH", 150, 150, 0.5),
             end = box_of("HHHH", 150, 150, 1);
  EXPECT_NEAR(start[0], 150, 4);
  EXPECT_NEAR(end[2], 150, 4);
  EXPECT_NEAR(0.5 * (centre[0] + centre[2]), 150, 1.5);
  EXPECT_NEAR(start[2] - start[0], width, 5);
  EXPECT_EQ(start[3], 150);                          // capitals stand on the baseline
  EXPECT_NEAR(start[3] - start[1], 0.73 * 20, 1.5);  // and are this high in DejaVu Sans
}

TEST_F(Text, UpwardsIsAQuarterTurn) {
  const auto flat = box_of("HHHi", 150, 150, 0), up = box_of("HHHi", 150, 150, 0, true);
  EXPECT_NEAR(up[2] - up[0], flat[3] - flat[1], 1);
  EXPECT_NEAR(up[3] - up[1], flat[2] - flat[0], 1);
  EXPECT_NEAR(up[3], 150, 4);  // starts below and reads up
  EXPECT_EQ(up[2], 150);
}

TEST_F(Text, FitCutsWholeLetters) {
  const std::string text = "Größenänderung der Übergänge";
  EXPECT_EQ(font_.fit(text, 20, 1000), text);
  for (const double limit : {0.0, 5.0, 30.0, 60.0, 100.0, 150.0}) {
    const std::string cut = font_.fit(text, 20, limit);
    EXPECT_TRUE(cut.ends_with("\xE2\x80\xA6"));
    const std::string kept = cut.substr(0, cut.size() - 3);
    EXPECT_EQ(text.substr(0, kept.size()), kept);
    EXPECT_NE(static_cast<unsigned char>(text[kept.size()]) & 0xC0, 0x80);  // not in the middle of a letter
    if (!kept.empty()) {
      EXPECT_LE(font_.width(cut, 20), limit + 1);
    }
  }
}

TEST_F(Text, MalformedUtf8IsDrawnAsReplacements) {
  EXPECT_NEAR(font_.width("\xFF\xC3", 20), font_.width("\xEF\xBF\xBD\xEF\xBF\xBD", 20), 1);
  EXPECT_NEAR(font_.width("\xE2\x82", 20), font_.width("\xEF\xBF\xBD\xEF\xBF\xBD", 20), 1);  // cut short
  EXPECT_NEAR(font_.width("\xC3\xA9", 20), font_.width("e", 20), 0.5);
}

TEST(TextWithoutFont, DrawsNothingAndSaysWhy) {
  const Font font("/nowhere/none.ttf");
  EXPECT_FALSE(font.loaded());
  EXPECT_NE(font.missing().find("/nowhere/none.ttf"), std::string::npos);
  EXPECT_GT(font.width("abc", 20), 10);
  Image image = white_image(50, 50);
  Canvas canvas(image);
  font.draw(canvas, "abc", 5, 30, 20, 0, {0, 0, 0});
  EXPECT_EQ(count_drawn(image), 0u);
}

}  // namespace
}  // namespace sinew::test
