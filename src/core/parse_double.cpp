// SPDX-License-Identifier: Apache-2.0
// Decimal text to the nearest double. Three ways, by difficulty: one correctly rounded multiplication or
// division where both operands are exact [clinger1990]; a 128-bit division where at most 19 digits stand
// before or behind a point; and the C library's strtod for all else, on a copy without a decimal point, so
// that the locale has no say.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/digits.h"
#include "sinew/core/text.h"

namespace sinew {
namespace {

__extension__ typedef unsigned __int128 Uint128;

using core_detail::is_digit, core_detail::kPowers;

constexpr int kMaxDigits = 19;  // always fit 64 bits

struct Decimal {
  std::uint64_t digits = 0;   // the first 19 significant ones
  std::int64_t count = 0;     // how many significant digits the text has
  std::int64_t exponent = 0;  // power of ten of the last digit in the text
  bool negative = false;
  std::string_view mantissa;  // the text of the digits, a point among them perhaps
};

// Reads [sign] digits [. digits] [e [sign] digits]; false where the text is anything else.
bool scan(std::string_view text, Decimal& decimal) {
  std::size_t i = 0;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) decimal.negative = text[i++] == '-';
  const std::size_t begin = i;
  bool any = false, point = false;
  std::int64_t exponent = 0;
  for (; i < text.size(); ++i) {
    if (text[i] == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(text[i])) break;
    any = true;
    if (point) --exponent;
    if (decimal.count == 0 && text[i] == '0') continue;
    if (decimal.count < kMaxDigits)
      decimal.digits = decimal.digits * 10 + static_cast<std::uint64_t>(text[i] - '0');
    ++decimal.count;
  }
  if (!any) return false;
  decimal.mantissa = text.substr(begin, i - begin);
  if (i < text.size() && (text[i] == 'e' || text[i] == 'E')) {
    ++i;
    const bool down = i < text.size() && text[i] == '-';
    if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
    if (i == text.size()) return false;
    std::int64_t power = 0;
    for (; i < text.size() && is_digit(text[i]); ++i)
      if (power < (std::int64_t{1} << 50)) power = power * 10 + (text[i] - '0');
    exponent += down ? -power : power;
  }
  decimal.exponent = exponent;
  return i == text.size();
}

// digits / 10^power, rounded to nearest, ties to even; digits > 0, 0 <= power <= 19. The quotient is far from
// the ends of the range of double, so 53 bits and a sticky rest say all.
double divide(std::uint64_t digits, int power) {
  std::uint64_t divisor = 1;
  for (int i = 0; i < power; ++i) divisor *= 10;
  const int shift = __builtin_clzll(digits) + 64;
  const Uint128 numerator = static_cast<Uint128>(digits) << shift;
  Uint128 quotient = numerator / divisor;  // 64 bits or more
  bool sticky = quotient * divisor != numerator;
  const auto high = static_cast<std::uint64_t>(quotient >> 64);
  const int bits =
      high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll(static_cast<std::uint64_t>(quotient));
  const int drop = bits - 54;  // keeps one bit to round by
  sticky = sticky || (quotient & ((static_cast<Uint128>(1) << drop) - 1)) != 0;
  quotient >>= drop;
  auto mantissa = static_cast<std::uint64_t>(quotient);
  const bool half = mantissa & 1, odd = mantissa & 2;
  mantissa >>= 1;
  if (half && (sticky || odd)) ++mantissa;
  return std::ldexp(static_cast<double>(mantissa), drop + 1 - shift);
}

// Up to 800 digits decide every rounding (767 is the longest half-way case); a 1 behind them stands for all
// that follow.
double convert(const Decimal& decimal) {
  constexpr int kKept = 800;
  char copy[kKept + 32];
  int length = 0;
  bool started = false, more = false;
  for (const char c : decimal.mantissa) {
    started = started || (c != '0' && c != '.');
    if (c == '.' || !started) continue;
    if (length < kKept)
      copy[length++] = c;
    else
      more = more || c != '0';
  }
  std::int64_t exponent = decimal.exponent + (decimal.count - length);
  if (more) {
    copy[length++] = '1';
    --exponent;
  }
  exponent = exponent > 99999 ? 99999 : exponent < -99999 ? -99999 : exponent;
  std::snprintf(copy + length, 24, "e%d", static_cast<int>(exponent));
  return std::strtod(copy, nullptr);
}

double magnitude(const Decimal& decimal) {
  if (decimal.count == 0) return 0;
  if (decimal.count <= kMaxDigits) {
    const std::int64_t exponent = decimal.exponent;
    if (decimal.digits <= (std::uint64_t{1} << 53) && exponent >= -22 && exponent <= 22) {
      const auto exact = static_cast<double>(decimal.digits);
      return exponent < 0 ? exact / kPowers[-exponent] : exact * kPowers[exponent];
    }
    if (exponent <= 0 && exponent >= -19) return divide(decimal.digits, static_cast<int>(-exponent));
  }
  return convert(decimal);
}

}  // namespace

std::optional<double> parse_double(std::string_view text) {
  Decimal decimal;
  if (!scan(text, decimal)) return std::nullopt;
  const double value = magnitude(decimal);
  if (!std::isfinite(value)) return std::nullopt;
  return decimal.negative ? -value : value;
}

}  // namespace sinew
