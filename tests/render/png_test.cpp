// SPDX-License-Identifier: Apache-2.0
#include <png.h>

#include <random>
#include <set>

#include "render/pictures.h"
#include "support/shapes.h"

namespace sinew::test {
namespace {

// libpng's own reader.
Image decoded(const std::string& bytes) {
  png_image reader{};
  reader.version = PNG_IMAGE_VERSION;
  EXPECT_TRUE(png_image_begin_read_from_memory(&reader, bytes.data(), bytes.size())) << reader.message;
  reader.format = PNG_FORMAT_RGB;
  Image image;
  image.width = static_cast<int>(reader.width);
  image.height = static_cast<int>(reader.height);
  image.rgb.resize(PNG_IMAGE_SIZE(reader));
  EXPECT_TRUE(png_image_finish_read(&reader, nullptr, image.rgb.data(), 0, nullptr)) << reader.message;
  return image;
}

Image noise(int width, int height, int colours) {
  std::mt19937 random(1);
  std::vector<Rgb8> palette;
  for (int k = 0; k < colours; ++k)
    palette.push_back({static_cast<std::uint8_t>(random() & 255), static_cast<std::uint8_t>(random() & 255),
                       static_cast<std::uint8_t>(k & 255)});
  Image image;
  image.width = width;
  image.height = height;
  for (int i = 0; i < width * height; ++i) {
    const Rgb8& colour = palette[random() % palette.size()];
    image.rgb.insert(image.rgb.end(), colour.begin(), colour.end());
  }
  return image;
}

TEST(Png, DecodesToTheSamePixels) {
  for (const int colours : {1, 2, 17, 256, 257, 5000})
    for (const auto& [width, height] :
         {std::pair(1, 1), std::pair(1, 300), std::pair(301, 1), std::pair(97, 61)}) {
      const Image image = noise(width, height, colours);
      const auto bytes = encode_png(image);
      ASSERT_TRUE(bytes.ok());
      const Image back = decoded(*bytes);
      EXPECT_EQ(back.width, width);
      EXPECT_EQ(back.height, height);
      EXPECT_EQ(back.rgb, image.rgb) << colours;
    }
}

TEST(Png, ImagesThatAreNoneAreUsageErrors) {
  EXPECT_EQ(encode_png(Image{}).error().code, ErrorCode::kUsage);
  Image torn = noise(4, 4, 3);
  torn.rgb.pop_back();
  EXPECT_EQ(encode_png(torn).error().code, ErrorCode::kUsage);
}

TEST(ReduceColours, KeepsThePictureAndHalvesTheFile) {
  const Model model(random_blob(21, 128, 64));
  Subject subject = model.subject();
  subject.caption = "blob";
  subject.bones = {{{0, -1, 0}, {0, 1, 0}}};
  RenderOptions options;
  options.width = options.height = 320;
  const Image image = rendered(subject, options);
  const Image reduced = reduce_colours(image);
  std::set<Rgb8> colours;
  int largest = 0;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
    colours.insert({reduced.rgb[i], reduced.rgb[i + 1], reduced.rgb[i + 2]});
    for (std::size_t c = 0; c < 3; ++c)
      largest = std::max(largest, std::abs(int{image.rgb[i + c]} - int{reduced.rgb[i + c]}));
    // White is white, and nothing else becomes it.
    if (image.rgb[i] == 255 && image.rgb[i + 1] == 255 && image.rgb[i + 2] == 255) {
      ASSERT_EQ(reduced.rgb[i] + reduced.rgb[i + 1] + reduced.rgb[i + 2], 3 * 255);
    }
  }
  EXPECT_LE(colours.size(), 256u);
  EXPECT_LT(mean_difference(image, reduced), 0.6);
  EXPECT_LT(largest, 48);
  EXPECT_LT(encode_png(reduced)->size(), 0.6 * static_cast<double>(encode_png(image)->size()));
}

TEST(ReduceColours, FewColoursStayAsTheyAre) {
  const Image image = noise(50, 50, 200);
  EXPECT_EQ(reduce_colours(image).rgb, image.rgb);
  EXPECT_NE(reduce_colours(image, 16).rgb, image.rgb);
}

}  // namespace
}  // namespace sinew::test
