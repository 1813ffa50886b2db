// SPDX-License-Identifier: Apache-2.0
#include "sinew/render/decode_image.h"

#include <jpeglib.h>
#include <png.h>

#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it before

namespace sinew {
namespace {

bool fits(std::uint64_t width, std::uint64_t height) {
  return width >= 1 && height >= 1 && width <= kMaxImageSide && height <= kMaxImageSide &&
         width * height <= static_cast<std::uint64_t>(kMaxImagePixels);
}

Error too_large() {
  return limit_error("an image with too many pixels");
}

Result<Image> decode_png(std::string_view bytes) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()))
    return bad_input(std::string("a broken PNG picture: ") + png.message);
  if (!fits(png.width, png.height)) {
    png_image_free(&png);
    return too_large();
  }
  png.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> rgba(PNG_IMAGE_SIZE(png));
  if (!png_image_finish_read(&png, nullptr, rgba.data(), 0, nullptr))
    return bad_input(std::string("a broken PNG picture: ") + png.message);
  Image image;
  image.width = static_cast<int>(png.width);
  image.height = static_cast<int>(png.height);
  image.rgb.resize(rgba.size() / 4 * 3);
  for (std::size_t i = 0; i < rgba.size() / 4; ++i)
    for (std::size_t k = 0; k < 3; ++k) image.rgb[3 * i + k] = rgba[4 * i + k];
  return image;
}

struct JpegFailure {
  jpeg_error_mgr manager;
  std::jmp_buf leave;
};

void leave_jpeg(j_common_ptr info) {
  std::longjmp(reinterpret_cast<JpegFailure*>(info->err)->leave, 1);
}

void keep_quiet(j_common_ptr, int) {}

enum class JpegEnd { kDone, kBroken, kTooLarge };

// libjpeg leaves by longjmp: nothing with a destructor may live in this frame. With `image` null only the
// size is read.
JpegEnd read_jpeg(std::string_view bytes, int* width, int* height, std::uint8_t* rgb) {
  jpeg_decompress_struct info;
  JpegFailure failure;
  info.err = jpeg_std_error(&failure.manager);
  failure.manager.error_exit = leave_jpeg;
  failure.manager.emit_message = keep_quiet;
  if (setjmp(failure.leave)) {
    jpeg_destroy_decompress(&info);
    return JpegEnd::kBroken;
  }
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()),
               static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(&info, TRUE);
  if (!fits(info.image_width, info.image_height)) {
    jpeg_destroy_decompress(&info);
    return JpegEnd::kTooLarge;
  }
  *width = static_cast<int>(info.image_width);
  *height = static_cast<int>(info.image_height);
  if (rgb) {
    info.out_color_space = JCS_RGB;
    jpeg_start_decompress(&info);
    while (info.output_scanline < info.output_height) {
      JSAMPROW row = rgb + std::size_t{3} * info.output_width * info.output_scanline;
      jpeg_read_scanlines(&info, &row, 1);
    }
    jpeg_finish_decompress(&info);
  }
  jpeg_destroy_decompress(&info);
  return JpegEnd::kDone;
}

Result<Image> decode_jpeg(std::string_view bytes) {
  Image image;
  JpegEnd end = read_jpeg(bytes, &image.width, &image.height, nullptr);
  if (end == JpegEnd::kDone) {
    image.rgb.resize(std::size_t{3} * static_cast<std::size_t>(image.width) *
                     static_cast<std::size_t>(image.height));
    end = read_jpeg(bytes, &image.width, &image.height, image.rgb.data());
  }
  if (end == JpegEnd::kTooLarge) return too_large();
  if (end == JpegEnd::kBroken) return bad_input("a broken JPEG picture");
  return image;
}

}  // namespace

Result<Image> decode_image(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG")) return decode_png(bytes);
  if (bytes.starts_with("\xFF\xD8\xFF")) return decode_jpeg(bytes);
  return bad_input("a picture that is neither PNG nor JPEG");
}

}  // namespace sinew
