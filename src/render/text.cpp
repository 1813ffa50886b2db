// SPDX-License-Identifier: Apache-2.0
#include "render/text.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include <cstdlib>
#include <filesystem>
#include <limits>

namespace sinew::render_detail {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

// The next code point; malformed bytes are U+FFFD, one each.
char32_t next_code_point(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  bool good = length > 0 && length <= text.size();
  char32_t code = length == 1 ? lead : lead & (0x7Fu >> length);
  for (std::size_t i = 1; good && i < length; ++i) {
    good = (byte(i) & 0xC0) == 0x80;
    code = code << 6 | (byte(i) & 0x3F);
  }
  text.remove_prefix(good ? length : 1);
  return good ? code : kReplacement;
}

std::string find_font() {
  static constexpr const char* kFolders[] = {"/usr/share/fonts/truetype/dejavu",
                                             "/usr/share/fonts/dejavu",
                                             "/usr/share/fonts/dejavu-sans-fonts",
                                             "/usr/share/fonts/TTF",
                                             "/usr/local/share/fonts",
                                             "/opt/homebrew/share/fonts",
                                             "/Library/Fonts",
                                             "C:/Windows/Fonts"};
  std::vector<std::filesystem::path> folders(std::begin(kFolders), std::end(kFolders));
  if (const char* home = std::getenv("HOME")) {
    folders.emplace_back(std::filesystem::path(home) / ".fonts");
    folders.emplace_back(std::filesystem::path(home) / ".local/share/fonts");
  }
  std::error_code ignored;
  // Beside a program that was unpacked from a tarball.
  const auto program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  if (!program.empty()) folders.emplace_back(program.parent_path().parent_path() / "share/sinew/fonts");
  for (const auto& folder : folders) {
    const auto file = folder / "DejaVuSans.ttf";
    if (std::filesystem::is_regular_file(file, ignored)) return file.string();
  }
  return {};
}

}  // namespace

struct Font::Face {
  FT_Library library = nullptr;
  FT_Face face = nullptr;
  ~Face() {
    if (face) FT_Done_Face(face);
    if (library) FT_Done_FreeType(library);
  }
  void set_size(double pixels) const {
    FT_Set_Char_Size(face, 0, static_cast<FT_F26Dot6>(std::lround(std::clamp(pixels, 1.0, 2000.0) * 64)), 72,
                     72);
  }
};

Font::Font(const std::string& file) {
  const std::string path = file.empty() ? find_font() : file;
  auto face = std::make_unique<Face>();
  if (path.empty())
    missing_ =
        "no text was drawn: DejaVuSans.ttf is in none of the usual folders (Debian: apt install "
        "fonts-dejavu-core)";
  else if (FT_Init_FreeType(&face->library) || FT_New_Face(face->library, path.c_str(), 0, &face->face))
    missing_ = "no text was drawn: " + path + " is not a font that can be read";
  else
    face_ = std::move(face);
}

Font::~Font() = default;

std::size_t Font::measure(std::string_view utf8, double size, double limit, double& width) const {
  const std::size_t total = utf8.size();
  double pen = 0;
  FT_UInt before = 0;
  if (face_) face_->set_size(size);
  while (!utf8.empty()) {
    const std::size_t done = total - utf8.size();
    const char32_t code = next_code_point(utf8);
    double advance = 0.6 * size;
    if (face_) {
      const FT_UInt glyph = FT_Get_Char_Index(face_->face, code);
      FT_Vector kerning{0, 0};
      if (before) FT_Get_Kerning(face_->face, before, glyph, FT_KERNING_UNFITTED, &kerning);
      const bool drawn = FT_Load_Glyph(face_->face, glyph, FT_LOAD_NO_HINTING) == 0;
      advance = drawn ? static_cast<double>(kerning.x + face_->face->glyph->advance.x) / 64 : 0;
      before = glyph;
    }
    if (pen + advance > limit) {
      width = pen;
      return done;
    }
    pen += advance;
  }
  width = pen;
  return total;
}

double Font::width(std::string_view utf8, double size) const {
  double width = 0;
  measure(utf8, size, std::numeric_limits<double>::infinity(), width);
  return width;
}

void Font::draw(Canvas& canvas, std::string_view utf8, double x, double y, double size, double anchor,
                const Rgb8& colour, bool upwards) const {
  if (!face_) return;
  const double along = -anchor * width(utf8, size);  // leaves the size set
  FT_Pos pen = std::lround(along * 64);
  FT_UInt before = 0;
  const FT_Matrix turn{0, -0x10000, 0x10000, 0};
  while (!utf8.empty()) {
    const FT_UInt glyph = FT_Get_Char_Index(face_->face, next_code_point(utf8));
    FT_Vector kerning{0, 0};
    if (before) FT_Get_Kerning(face_->face, before, glyph, FT_KERNING_UNFITTED, &kerning);
    before = glyph;
    if (FT_Load_Glyph(face_->face, glyph, FT_LOAD_NO_HINTING)) continue;
    const FT_GlyphSlot slot = face_->face->glyph;
    pen += kerning.x;
    const FT_Pos advance = slot->advance.x;
    // FreeType's y runs up; the sub-pixel part of the pen goes into the outline.
    const double px = upwards ? x : x + static_cast<double>(pen) / 64;
    const double py = upwards ? y - static_cast<double>(pen) / 64 : y;
    const double ox = std::floor(px), oy = std::floor(py);
    if (upwards) FT_Outline_Transform(&slot->outline, &turn);
    FT_Outline_Translate(&slot->outline, std::lround((px - ox) * 64), -std::lround((py - oy) * 64));
    if (FT_Render_Glyph(slot, FT_RENDER_MODE_NORMAL) == 0) {
      const FT_Bitmap& bitmap = slot->bitmap;
      for (int row = 0; row < static_cast<int>(bitmap.rows); ++row)
        for (int column = 0; column < static_cast<int>(bitmap.width); ++column)
          canvas.blend(static_cast<int>(ox) + slot->bitmap_left + column,
                       static_cast<int>(oy) - slot->bitmap_top + row, colour,
                       bitmap.buffer[row * bitmap.pitch + column] / 255.0);
    }
    pen += advance;
  }
}

std::string Font::fit(std::string_view utf8, double size, double limit) const {
  static constexpr const char* kEllipsis = "\xE2\x80\xA6";
  double ignored = 0;
  if (measure(utf8, size, limit, ignored) == utf8.size()) return std::string(utf8);
  return std::string(utf8.substr(0, measure(utf8, size, limit - width(kEllipsis, size), ignored))) +
         kEllipsis;
}

}  // namespace sinew::render_detail
