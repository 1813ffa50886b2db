// SPDX-License-Identifier: Apache-2.0
#include "io/text_input.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "sinew/core/text.h"

namespace sinew::io {
namespace {

std::string decode_utf16(std::string_view bytes, std::size_t high) {
  std::string text;
  text.reserve(bytes.size() / 2);
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const char upper = bytes[i + high], lower = bytes[i + 1 - high];
    text += upper == 0 && static_cast<unsigned char>(lower) < 0x80 ? lower : '?';
  }
  return text;
}

}  // namespace

std::string_view as_text(std::string_view bytes, std::string& storage) {
  if (bytes.substr(0, 3) == "\xEF\xBB\xBF") return bytes.substr(3);
  const bool big = bytes.substr(0, 2) == "\xFE\xFF", little = bytes.substr(0, 2) == "\xFF\xFE";
  if (!big && !little) return bytes;
  storage = decode_utf16(bytes.substr(2), big ? 0 : 1);
  return storage;
}

Error error_at_line(std::string_view name, std::size_t line, const std::string& what) {
  return bad_input("'" + printable(name, 400) + "', line " + std::to_string(line) + ": " + what);
}

Error error_in(std::string_view name, const std::string& what) {
  return bad_input("'" + printable(name, 400) + "': " + what);
}

void warn(std::vector<std::string>& warnings, const WarningCount& repaired, std::string_view what) {
  if (repaired.count == 0) return;
  std::string sentence = std::to_string(repaired.count) + " " + std::string(what);
  if (repaired.first_line > 0) sentence += " (first in line " + std::to_string(repaired.first_line) + ")";
  warnings.push_back(std::move(sentence));
}

std::string_view WordReader::next_in_line() {
  if (in_comment_) return {};
  const std::string_view word = lines_.next_word();
  const std::size_t comment = comment_ == '\0' ? std::string_view::npos : word.find(comment_);
  if (comment == std::string_view::npos) return word;
  in_comment_ = true;
  return word.substr(0, comment);
}

bool WordReader::next_line() {
  in_comment_ = !lines_.next_line();
  return !in_comment_;
}

std::string_view WordReader::next() {
  for (;;) {
    if (const std::string_view word = next_in_line(); !word.empty()) return word;
    if (!next_line()) return {};
  }
}

Error not_a_number(std::string_view name, std::size_t line, std::string_view word, const std::string& where) {
  if (word.empty())
    return error_at_line(name, line,
                         "the file ends within " + where + "; it is cut short or its counts are wrong");
  return error_at_line(name, line, "'" + printable(word, 40) + "' in " + where + " is not a finite number");
}

bool tidy_face(std::vector<std::uint32_t>& corners) {
  constexpr std::size_t kFew = 24;
  std::size_t kept = 0;
  if (corners.size() <= kFew) {
    for (const std::uint32_t corner : corners)
      if (std::find(corners.begin(), corners.begin() + static_cast<std::ptrdiff_t>(kept), corner) ==
          corners.begin() + static_cast<std::ptrdiff_t>(kept))
        corners[kept++] = corner;
  } else {
    std::unordered_set<std::uint32_t> seen;
    for (const std::uint32_t corner : corners)
      if (seen.insert(corner).second) corners[kept++] = corner;
  }
  corners.resize(kept);
  return kept >= 3;
}

void FaceBuilder::add(std::vector<std::uint32_t>& corners, std::size_t line) {
  if (!tidy_face(corners)) {
    dropped_.see(line);
  } else if (mesh_.face_vertices.size() + corners.size() > std::numeric_limits<std::uint32_t>::max()) {
    too_large_ = true;
  } else {
    mesh_.add_face(corners);
  }
}

Result<void> FaceBuilder::finish(std::string_view name, std::vector<std::string>& warnings) const {
  if (too_large_) return error_in(name, "it has more than 4 294 967 295 face corners; split it into parts");
  warn(warnings, dropped_, kDroppedFaces);
  return {};
}

}  // namespace sinew::io
