// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>

#include "render/pictures.h"
#include "sinew/render/decode_image.h"

namespace sinew::test {
namespace {

Image two_colours(int size) {
  Image image{2 * size, size, {}, {}};
  for (int y = 0; y < size; ++y)
    for (int x = 0; x < 2 * size; ++x) {
      const std::array<std::uint8_t, 3> colour =
          x < size ? std::array<std::uint8_t, 3>{220, 30, 30} : std::array<std::uint8_t, 3>{30, 30, 220};
      image.rgb.insert(image.rgb.end(), colour.begin(), colour.end());
    }
  return image;
}

struct Square {
  std::vector<Vec3> positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  std::vector<Triangle> triangles = {{0, 1, 2}, {0, 2, 3}};
  std::vector<Vec2f> texcoords = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  std::vector<std::uint32_t> paint_of = {0, 0};
  std::vector<Paint> paints = {Paint()};

  Subject subject() const {
    Subject result;
    result.positions = positions;
    result.triangles = triangles;
    result.paints = paints;
    result.paint_of = paint_of;
    result.texcoords = texcoords;
    return result;
  }
};

RenderOptions front(int size) {
  RenderOptions options;
  options.width = options.height = size;
  options.views = {View::kFront};
  return options;
}

Rgb8 colour_at(const Image& image, double x, double y) {
  return pixel(image, static_cast<int>(x * image.width), static_cast<int>(y * image.height));
}

TEST(Texture, DecodesWhatWasEncoded) {
  const Image image = two_colours(16);
  const auto bytes = encode_png(image);
  ASSERT_TRUE(bytes.ok());
  const auto again = decode_image(*bytes);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again->width, image.width);
  EXPECT_EQ(again->rgb, image.rgb);
}

TEST(Texture, BrokenPicturesAreBadInput) {
  const std::string good = *encode_png(two_colours(8));
  EXPECT_EQ(decode_image("").error().code, ErrorCode::kBadInput);
  EXPECT_EQ(decode_image("GIF89a").error().code, ErrorCode::kBadInput);
  EXPECT_EQ(decode_image(std::string_view(good).substr(0, 40)).error().code, ErrorCode::kBadInput);
  EXPECT_EQ(decode_image("\xFF\xD8\xFF\xE0 no picture").error().code, ErrorCode::kBadInput);
}

TEST(Texture, PicturesLieOnTheSurfaceAsTheirCoordinatesSay) {
  // Both larger and smaller than the square on the screen.
  for (const int size : {4, 512}) {
    const Image picture = two_colours(size);
    Square square;
    square.paints[0].picture = &picture;
    const auto image = render(square.subject(), front(96));
    ASSERT_TRUE(image.ok());
    const Rgb8 left = colour_at(*image, 0.3, 0.5), right = colour_at(*image, 0.7, 0.5);
    EXPECT_GT(left[0], 3 * left[2]) << size;
    EXPECT_GT(right[2], 3 * right[0]) << size;
  }
}

TEST(Texture, ColoursOfMaterialAndVerticesMultiply) {
  Square square;
  square.paints[0].colour = Vec3f(1, 0.5f, 0);
  const std::vector<Vec3f> colours(4, Vec3f(0, 1, 1));
  Subject subject = square.subject();
  subject.colours = colours;
  const auto image = render(subject, front(64));
  ASSERT_TRUE(image.ok());
  const Rgb8 middle = colour_at(*image, 0.5, 0.5);
  EXPECT_GT(middle[1], 100);  // 1 * 0, 0.5 * 1, 0 * 1; what is left is sheen
  EXPECT_LT(middle[0], 0.6 * middle[1]);
  EXPECT_LT(middle[2], 0.6 * middle[1]);
}

TEST(Texture, CoordinatesBeyondThePictureRepeatOrStay) {
  const Image picture = two_colours(64);
  Square square;
  square.paints[0].picture = &picture;
  for (Vec2f& at : square.texcoords) at.x() += 1;
  const auto repeated = render(square.subject(), front(64));
  square.paints[0].repeat_u = false;
  const auto held = render(square.subject(), front(64));
  ASSERT_TRUE(repeated.ok() && held.ok());
  EXPECT_GT(colour_at(*repeated, 0.3, 0.5)[0], 3 * colour_at(*repeated, 0.3, 0.5)[2]);
  EXPECT_GT(colour_at(*held, 0.3, 0.5)[2], 3 * colour_at(*held, 0.3, 0.5)[0]);
}

TEST(Texture, PaintsThatAreNotThereAreRefused) {
  Square square;
  square.paint_of = {0, 1};
  EXPECT_EQ(render(square.subject()).error().code, ErrorCode::kUsage);
  square.paint_of = {0};
  EXPECT_EQ(render(square.subject()).error().code, ErrorCode::kUsage);
  square.paint_of = {0, 0};
  square.texcoords.pop_back();
  EXPECT_EQ(render(square.subject()).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace sinew::test
