// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/core/text.h"
#include "sinew/mesh/poly_mesh.h"

// What the readers of text formats share.
namespace sinew::io {

// The text of a file: without a UTF-8 byte order mark, decoded into `storage` where it is UTF-16 (characters
// beyond ASCII, which only occur in names and comments, become '?').
std::string_view as_text(std::string_view bytes, std::string& storage);

// kBadInput: "'name', line 12: what".
Error error_at_line(std::string_view name, std::size_t line, const std::string& what);
// kBadInput: "'name': what".
Error error_in(std::string_view name, const std::string& what);

// Things that are repaired but harmless: how many there were and where the first is.
struct WarningCount {
  std::size_t count = 0, first_line = 0;
  void see(std::size_t line) {
    if (count++ == 0) first_line = line;
  }
  void add(const WarningCount& later) {
    if (count == 0) first_line = later.first_line;
    count += later.count;
  }
};
// Adds "3 faces with ... were left out (first in line 12)" where any were seen.
void warn(std::vector<std::string>& warnings, const WarningCount& repaired, std::string_view what);

// Words one after another, whatever line they stand in. With a comment sign, it and the rest of its line are
// skipped.
class WordReader {
 public:
  explicit WordReader(std::string_view text, char comment = '\0')
      : lines_(text), begin_(text.data()), size_(text.size()), comment_(comment) {}

  std::string_view next();          // empty at the end of the text
  std::string_view next_in_line();  // empty at the end of the line
  bool next_line();                 // skips the rest of the line; false at the end of the text
  std::size_t line() const { return lines_.line_number(); }
  // Bytes from the start of this line on: what a count promises must fit in before memory is taken for it.
  std::size_t remaining() const {
    return lines_.line_number() == 0 ? size_
                                     : size_ - static_cast<std::size_t>(lines_.line().data() - begin_);
  }

 private:
  LineReader lines_;
  const char* begin_;
  std::size_t size_;
  char comment_;
  bool in_comment_ = true;  // before the first line there are no words
};

// kBadInput for a word that should have been a finite number of `where` ("vertex 3 of 8"); empty: the text
// ended.
Error not_a_number(std::string_view name, std::size_t line, std::string_view word, const std::string& where);

// The next `count` words as finite numbers; where() is only called for the message.
template <class Where>
Result<void> read_numbers(WordReader& words, std::string_view name, std::span<double> numbers,
                          Where&& where) {
  for (double& number : numbers) {
    const std::string_view word = words.next();
    const auto value = parse_double(word);
    if (!value) return not_a_number(name, words.line(), word, where());
    number = *value;
  }
  return {};
}

// Removes corners whose vertex the face has already; false where fewer than three stay.
bool tidy_face(std::vector<std::uint32_t>& corners);

// Adds faces to a mesh, tidied, and keeps count of those left out. The indices must be in range.
class FaceBuilder {
 public:
  explicit FaceBuilder(PolyMesh& mesh) : mesh_(mesh) {}
  void add(std::vector<std::uint32_t>& corners, std::size_t line);
  // kBadInput where the mesh has grown beyond what 32-bit indices reach.
  Result<void> finish(std::string_view name, std::vector<std::string>& warnings) const;

 private:
  PolyMesh& mesh_;
  WarningCount dropped_;
  bool too_large_ = false;
};

inline constexpr std::string_view kDroppedFaces =
    "faces with fewer than three different corners were left out";

}  // namespace sinew::io
