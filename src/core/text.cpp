// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/text.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>

#include "core/digits.h"

namespace sinew {
namespace {

using core_detail::is_digit, core_detail::kPowers;

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// %g of a number whose rounded digits fit an integer that one multiplication finds beyond doubt; false
// otherwise.
bool append_fast(std::string& out, double value, int digits) {
  const double magnitude = std::abs(value);
  if (digits < 1 || digits > 12 || !(magnitude >= 1e-4 && magnitude < kPowers[digits])) return false;
  int exponent = -4;  // of the leading digit: 10^exponent <= magnitude < 10^(exponent + 1)
  if (magnitude >= 1) {
    for (exponent = 0; magnitude >= kPowers[exponent + 1];) ++exponent;
  } else {
    while (magnitude * kPowers[-exponent] >= 10) ++exponent;
  }
  const double scaled = magnitude * kPowers[digits - 1 - exponent];
  const double below = std::floor(scaled), rest = scaled - below;
  // The product is off by at most 10^12 * 2^-53; a rest this close to one half might round the wrong way.
  if (std::abs(rest - 0.5) < 1e-3) return false;
  auto number = static_cast<std::uint64_t>(below) + (rest > 0.5 ? 1 : 0);
  if (static_cast<double>(number) >= kPowers[digits] || static_cast<double>(number) < kPowers[digits - 1])
    return false;
  int decimals = digits - 1 - exponent;
  while (decimals > 0 && number % 10 == 0) {
    number /= 10;
    --decimals;
  }
  char text[32];
  char* end = text + sizeof text;
  char* begin = end;
  for (; decimals > 0; --decimals, number /= 10) *--begin = static_cast<char>('0' + number % 10);
  if (begin != end) *--begin = '.';
  do {
    *--begin = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number > 0);
  if (value < 0) *--begin = '-';
  out.append(begin, end);
  return true;
}

// Length of the well-formed UTF-8 sequence at the front of text, 0 where there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return follows(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0, surrogate = lead == 0xED && byte(1) > 0x9F;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && byte(1) < 0x90, beyond = lead == 0xF4 && byte(1) > 0x8F;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

bool is_control(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead < 0x20 || lead == 0x7F;
  const auto second = static_cast<unsigned char>(character[1]);
  if (character.size() == 2) return lead == 0xC2 && second < 0xA0;
  if (character.size() != 3 || lead != 0xE2) return false;
  // Ends of lines and what turns the direction of the text after it: U+2028 to U+202E, U+2066 to U+2069.
  const auto third = static_cast<unsigned char>(character[2]);
  return (second == 0x80 && third >= 0xA8 && third <= 0xAE) ||
         (second == 0x81 && third >= 0xA6 && third <= 0xA9);
}

}  // namespace

std::optional<std::int64_t> parse_int(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::uint64_t magnitude = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (magnitude > (kMax + 1 - digit) / 10) return std::nullopt;
    magnitude = magnitude * 10 + digit;
  }
  if (magnitude > kMax + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

void append_number(std::string& out, double value, int digits) {
  if (value == 0) {
    out += '0';
    return;
  }
  if (!append_fast(out, value, digits)) fmt::format_to(std::back_inserter(out), "{:.{}g}", value, digits);
}

bool LineReader::next_line() {
  if (rest_.empty()) return false;
  std::size_t end = 0;
  // One pass for both line ends: two searches would be quadratic in files that only use \r.
  while (end < rest_.size() && rest_[end] != '\n' && rest_[end] != '\r') ++end;
  line_ = words_ = rest_.substr(0, end);
  if (end < rest_.size()) end += rest_.substr(end, 2) == "\r\n" ? 2 : 1;
  rest_.remove_prefix(end);
  ++number_;
  return true;
}

std::string_view LineReader::next_word() {
  std::size_t begin = 0;
  while (begin < words_.size() && is_blank(words_[begin])) ++begin;
  std::size_t end = begin;
  while (end < words_.size() && !is_blank(words_[end])) ++end;
  const std::string_view word = words_.substr(begin, end - begin);
  words_.remove_prefix(end);
  return word;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (lower(a[i]) != lower(b[i])) return false;
  return true;
}

std::string printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    std::string_view character = length == 0 ? std::string_view("\xEF\xBF\xBD") : text.substr(0, length);
    if (length > 0 && is_control(character)) character = "?";
    if (out.size() + character.size() > max_bytes) break;
    out += character;
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

}  // namespace sinew
