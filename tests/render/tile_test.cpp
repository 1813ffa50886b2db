// SPDX-License-Identifier: Apache-2.0
#include "render/canvas.h"
#include "render/pictures.h"

namespace sinew::test {
namespace {

Image plain(int width, int height, std::uint8_t value, std::vector<std::string> warnings = {}) {
  Image image = render_detail::white_image(width, height);
  image.rgb.assign(image.rgb.size(), value);
  image.warnings = std::move(warnings);
  return image;
}

TEST(Tile, RowsOfColumnsEachCentredInItsCell) {
  const std::vector<Image> images = {plain(10, 4, 1), plain(20, 8, 2), plain(6, 6, 3)};
  const Image image = tile(images, 2);
  EXPECT_EQ(image.width, 30);
  EXPECT_EQ(image.height, 14);
  EXPECT_EQ(count_drawn(image), 10u * 4 + 20u * 8 + 6u * 6);
  EXPECT_EQ(pixel(image, 0, 2)[0], 1);
  EXPECT_TRUE(is_white(pixel(image, 0, 1)));
  EXPECT_EQ(pixel(image, 10, 0)[0], 2);
  EXPECT_EQ(pixel(image, 2, 8)[0], 3);
  EXPECT_TRUE(is_white(pixel(image, 1, 8)));
  EXPECT_TRUE(is_white(pixel(image, 29, 13)));
}

TEST(Tile, MoreColumnsThanImagesIsOneRow) {
  const std::vector<Image> images = {plain(5, 5, 1), plain(5, 5, 2)};
  EXPECT_EQ(tile(images, 9).width, 10);
  EXPECT_EQ(tile(images, 1).height, 10);
}

TEST(Tile, NothingGivesNothing) {
  const Image image = tile({}, 3);
  EXPECT_EQ(image.width, 0);
  EXPECT_TRUE(image.rgb.empty());
}

TEST(Tile, NotesAreCollectedOnce) {
  const std::vector<Image> images = {plain(1, 1, 0, {"a"}), plain(1, 1, 0, {"a", "b"})};
  EXPECT_EQ(tile(images, 2).warnings, (std::vector<std::string>{"a", "b"}));
}

}  // namespace
}  // namespace sinew::test
