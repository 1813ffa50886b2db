// SPDX-License-Identifier: Apache-2.0
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <new>
#include <unordered_map>

#include "render/colour.h"
#include "sinew/render/render.h"

namespace sinew {
namespace {

using render_detail::key_of;

// Colours seen, at most 256 of them, and the picture as indices.
struct Indexed {
  std::vector<png_color> palette;
  std::vector<std::uint8_t> pixels;
};

std::optional<Indexed> index_colours(const Image& image) {
  std::unordered_map<std::uint32_t, std::uint8_t> seen;
  for (std::size_t i = 0; i < image.rgb.size(); i += 3)
    if (seen.try_emplace(key_of(&image.rgb[i]), std::uint8_t{0}).second && seen.size() > 256)
      return std::nullopt;
  std::vector<std::uint32_t> keys;
  for (const auto& entry : seen) keys.push_back(entry.first);
  const auto brightness = [](std::uint32_t k) { return 2 * (k >> 16) + 5 * (k >> 8 & 255) + (k & 255); };
  std::sort(keys.begin(), keys.end(), [&](std::uint32_t a, std::uint32_t b) {
    return brightness(a) != brightness(b) ? brightness(a) < brightness(b) : a < b;
  });
  Indexed out;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    seen[keys[k]] = static_cast<std::uint8_t>(k);
    out.palette.push_back({static_cast<png_byte>(keys[k] >> 16), static_cast<png_byte>(keys[k] >> 8),
                           static_cast<png_byte>(keys[k])});
  }
  for (std::size_t i = 0; i < image.rgb.size(); i += 3) out.pixels.push_back(seen[key_of(&image.rgb[i])]);
  return out;
}

struct Job {
  const Image* image;
  const Indexed* indexed;  // null: true colour
  std::string* out;
  int filters;
  char message[128];
};

void on_error(png_structp png, png_const_charp text) {
  Job* job = static_cast<Job*>(png_get_error_ptr(png));
  std::strncpy(job->message, text, sizeof(job->message) - 1);
  std::longjmp(png_jmpbuf(png), 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_write(png_structp png, png_bytep data, png_size_t size) {
  Job* job = static_cast<Job*>(png_get_io_ptr(png));
  try {
    job->out->append(reinterpret_cast<const char*>(data), size);
  } catch (const std::bad_alloc&) {
    png_error(png, "out of memory");
  }
}

// libpng leaves by longjmp: nothing with a destructor may live in this frame.
bool write(Job* job) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, job, on_error, on_warning);
  if (!png) return false;
  png_infop info = png_create_info_struct(png);
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  const Image& image = *job->image;
  png_set_write_fn(png, job, on_write, nullptr);
  const bool indexed = job->indexed != nullptr;
  png_set_IHDR(png, info, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height), 8,
               indexed ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  // On shaded pictures in true colour level 9 takes four times as long as 6 and saves 2 %; few colours halve
  // the file.
  png_set_compression_level(png, indexed ? 9 : 6);
  png_set_compression_mem_level(png, 9);
  png_set_compression_strategy(png, Z_DEFAULT_STRATEGY);
  png_set_filter(png, 0, job->filters);
  if (indexed)
    png_set_PLTE(png, info, job->indexed->palette.data(), static_cast<int>(job->indexed->palette.size()));
  png_write_info(png, info);
  const std::size_t stride = static_cast<std::size_t>(image.width) * (indexed ? 1 : 3);
  const std::uint8_t* rows = indexed ? job->indexed->pixels.data() : image.rgb.data();
  for (int y = 0; y < image.height; ++y) png_write_row(png, rows + stride * static_cast<std::size_t>(y));
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return true;
}

}  // namespace

Result<std::string> encode_png(const Image& image) {
  if (image.width < 1 || image.height < 1)
    return usage_error("an image without pixels cannot be written as PNG");
  if (image.rgb.size() !=
      std::size_t{3} * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height))
    return usage_error("the image's buffer does not hold 3 bytes for each of its pixels");
  const std::optional<Indexed> indexed = index_colours(image);
  // A palette sorted by lightness sometimes gains from filters and sometimes loses: try both.
  std::string best;
  for (const int filters : {PNG_ALL_FILTERS, PNG_FILTER_NONE}) {
    std::string bytes;
    Job job{&image, indexed ? &*indexed : nullptr, &bytes, filters, {}};
    if (!write(&job))
      return job.message[0] == '\0' || std::strstr(job.message, "memory")
                 ? limit_error("not enough memory to pack the picture as PNG")
                 : impossible(std::string("the picture could not be packed as PNG: ") + job.message);
    if (best.empty() || bytes.size() < best.size()) best = std::move(bytes);
    if (!indexed) break;
  }
  return best;
}

}  // namespace sinew
