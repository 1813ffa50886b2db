// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sinew {

/// Numbers in text, independent of the locale, without allocation. The whole of `text` must be the number.
/// parse_double accepts what OBJ, OFF and BVH files hold in practice: "1", "-.5", "1.", "1e-5", "+2",
/// "1e+007"; not "nan", "inf", hexadecimal, "1.#IND" or what no double can hold, "1e999" (nullopt). Results
/// are the nearest double.
std::optional<double> parse_double(std::string_view text);
std::optional<std::int64_t> parse_int(std::string_view text);

/// Appends the shortest text of at most `digits` significant digits ("%.{digits}g"); "-0" becomes "0".
void append_number(std::string& out, double value, int digits = 9);

/// Walks over text line by line and word by word; lines end at LF, CR LF or CR. Never allocates.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : rest_(text) {}
  bool next_line();  ///< false at the end
  std::string_view line() const { return line_; }
  std::string_view next_word();  ///< blanks and tabs separate; empty at the end of the line
  std::size_t line_number() const { return number_; }  // 1-based

 private:
  std::string_view rest_, line_, words_;
  std::size_t number_ = 0;
};

/// Case-insensitive comparison of ASCII text.
bool equals_ignoring_case(std::string_view a, std::string_view b);

/// UTF-8 that is safe to print: malformed bytes become U+FFFD, control characters '?', cut to max_bytes.
std::string printable(std::string_view text, std::size_t max_bytes = 120);

}  // namespace sinew
