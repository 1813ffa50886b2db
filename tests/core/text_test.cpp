// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>

namespace sinew {
namespace {

std::uint64_t bits_of(double value) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

void expect_as_strtod(const std::string& text) {
  const double expected = std::strtod(text.c_str(), nullptr);
  const auto actual = parse_double(text);
  if (!std::isfinite(expected)) {
    EXPECT_FALSE(actual.has_value()) << text;
    return;
  }
  ASSERT_TRUE(actual.has_value()) << text;
  EXPECT_EQ(bits_of(*actual), bits_of(expected)) << text;
}

std::string random_digits(std::mt19937_64& random, std::size_t count) {
  std::string digits;
  for (std::size_t i = 0; i < count; ++i) digits += static_cast<char>('0' + random() % 10);
  return digits;
}

TEST(ParseDouble, GivesTheBitsOfStrtodForRandomDecimals) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 300000; ++i) {
    std::string text = random() % 2 ? "-" : "";
    text += random_digits(random, 1 + random() % 20) + "." + random_digits(random, random() % 20);
    if (random() % 2) text += "e" + std::to_string(static_cast<int>(random() % 60) - 30);
    expect_as_strtod(text);
  }
}

TEST(ParseDouble, GivesTheBitsOfStrtodForRandomDoublesPrintedInFull) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200000; ++i) {
    const std::uint64_t bits = random();
    double value = 0;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value)) continue;
    char text[64];
    std::snprintf(text, sizeof text, "%.*g", 15 + static_cast<int>(random() % 4), value);
    expect_as_strtod(text);
  }
}

TEST(ParseDouble, RoundsHalfwayCasesToEvenAndSeesTheLastDigitOfMany) {
  for (const char* text : {"9007199254740993",
                           "9007199254740993.0000",
                           "9007199254740995",
                           "9007199254740992.5",
                           "9007199254740993.0000001",
                           "4.503599627370496500000000000000000000000000000000001",
                           "4503599627370496.5",
                           "4503599627370497.5",
                           "0.5000000000000001110",
                           "1.00000000000000011102230246251565404",
                           "18446744073709551615",
                           "18446744073709551616",
                           "9999999999999999999",
                           "0.9999999999999999999",
                           "2.2250738585072011e-308",
                           "4.9e-324",
                           "2.4703282292062327e-324",
                           "2.4703282292062328e-324",
                           "1.7976931348623157e308",
                           "1.7976931348623159e308",
                           "1e-400",
                           "0e999999999999999999999"})
    expect_as_strtod(text);
  // The value half-way between 1 and its successor, and the same with a digit 900 places behind it.
  const std::string half = "1.00000000000000011102230246251565404236316680908203125";
  expect_as_strtod(half);
  expect_as_strtod(half + std::string(900, '0') + "1");
  expect_as_strtod(std::string(5000, '0') + "1" + std::string(300, '0'));
  expect_as_strtod("0." + std::string(5000, '0') + "1e5001");
}

TEST(ParseDouble, AcceptsWhatFilesHoldInPractice) {
  EXPECT_EQ(parse_double("1"), 1.0);
  EXPECT_EQ(parse_double("-.5"), -0.5);
  EXPECT_EQ(parse_double("1."), 1.0);
  EXPECT_EQ(parse_double("1e-5"), 1e-5);
  EXPECT_EQ(parse_double("+2"), 2.0);
  EXPECT_EQ(parse_double("1e+007"), 1e7);
  EXPECT_EQ(parse_double("-1.5E2"), -150.0);
  EXPECT_TRUE(std::signbit(*parse_double("-0.0")));
}

TEST(ParseDouble, RefusesWhatIsNotAFiniteDecimalNumber) {
  for (const char* text : {"",    " ",   "-",    "+",   ".",    "-.",    "e5",     ".e5",      "1e",  "1e+",
                           "1e-", "nan", "NaN",  "inf", "-inf", "0x10",  "1.#IND", "-1.#QNAN", "1,5", "1 ",
                           " 1",  "1f",  "1..2", "--1", "+-1",  "1e5.0", "1e999",  "-1e309"})
    EXPECT_FALSE(parse_double(text).has_value()) << text;
  EXPECT_FALSE(parse_double(std::string_view("1\0", 2)).has_value());
}

TEST(ParseInt, CoversTheWholeRangeAndNothingBeyond) {
  EXPECT_EQ(parse_int("0"), 0);
  EXPECT_EQ(parse_int("-0"), 0);
  EXPECT_EQ(parse_int("+12"), 12);
  EXPECT_EQ(parse_int("000000000000000000000000012"), 12);
  EXPECT_EQ(parse_int("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(parse_int("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  for (const char* text :
       {"", "-", "+", "1.0", "1e3", " 1", "1 ", "9223372036854775808", "-9223372036854775809",
        "18446744073709551617", "99999999999999999999999", "0x1", "1/2"})
    EXPECT_FALSE(parse_int(text).has_value()) << text;
}

std::string number(double value, int digits) {
  std::string out;
  append_number(out, value, digits);
  return out;
}

TEST(AppendNumber, WritesWhatPrintfWrites) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int i = 0; i < 300000; ++i) {
    const int digits = 1 + static_cast<int>(random() % 17);
    double value = unit(random) * std::pow(10.0, static_cast<int>(random() % 24) - 10);
    // Numbers that were decimal once have the awkward digits: exact ties and trailing zeros.
    if (i % 3 == 0) value = std::round(value * 1000) / 1000;
    if (i % 7 == 0)
      value = static_cast<double>(static_cast<std::int64_t>(random() % 2000001) - 1000000) / 128;
    if (value == 0) continue;
    char expected[64];
    std::snprintf(expected, sizeof expected, "%.*g", digits, value);
    ASSERT_EQ(number(value, digits), expected) << digits;
  }
}

TEST(AppendNumber, HasNoNegativeZeroAndHandlesPowersOfTen) {
  EXPECT_EQ(number(-0.0, 9), "0");
  EXPECT_EQ(number(1e-4, 9), "0.0001");
  EXPECT_EQ(number(9.9999e-5, 9), "9.9999e-05");
  EXPECT_EQ(number(999999999, 9), "999999999");
  EXPECT_EQ(number(999999999.9, 9), "1e+09");
  EXPECT_EQ(number(0.99999999999, 9), "1");
  EXPECT_EQ(number(-1234.5, 9), "-1234.5");
  EXPECT_EQ(number(5e-324, 9), "4.94065646e-324");
}

TEST(LineReader, TakesAllThreeLineEndsAndAnUnfinishedLastLine) {
  LineReader lines("a b\r\n\rc\n\n\tlast  word ");
  std::vector<std::string> seen;
  while (lines.next_line()) seen.emplace_back(lines.line());
  EXPECT_EQ(seen, (std::vector<std::string>{"a b", "", "c", "", "\tlast  word "}));
  EXPECT_EQ(lines.line_number(), 5u);
  EXPECT_FALSE(lines.next_line());
}

TEST(LineReader, SplitsWordsAtBlanksAndTabs) {
  LineReader lines("\t one\ttwo   three \nfour");
  EXPECT_TRUE(lines.next_word().empty());
  ASSERT_TRUE(lines.next_line());
  EXPECT_EQ(lines.next_word(), "one");
  EXPECT_EQ(lines.next_word(), "two");
  EXPECT_EQ(lines.next_word(), "three");
  EXPECT_TRUE(lines.next_word().empty());
  EXPECT_TRUE(lines.next_word().empty());
  ASSERT_TRUE(lines.next_line());
  EXPECT_EQ(lines.next_word(), "four");
}

TEST(EqualsIgnoringCase, ComparesAsciiOnly) {
  EXPECT_TRUE(equals_ignoring_case("HIERARCHY", "Hierarchy"));
  EXPECT_FALSE(equals_ignoring_case("a", "ab"));
  EXPECT_FALSE(equals_ignoring_case("[", "{"));
  EXPECT_FALSE(equals_ignoring_case("\xC3\x84", "\xC3\xA4"));
}

TEST(Printable, ReplacesWhatATerminalShouldNotSee) {
  EXPECT_EQ(printable("Hüfte 骨"), "Hüfte 骨");
  EXPECT_EQ(printable("a\x1b[31mb\n\x7f"), "a?[31mb??");
  EXPECT_EQ(printable("a\u202eb\u2028c\u2069\u200d"),
            "a?b?c?\u200d");  // what turns text round, ends of lines
  EXPECT_EQ(printable("\xFF"
                      "a\xC3"),
            "\xEF\xBF\xBD"
            "a\xEF\xBF\xBD");
  EXPECT_EQ(printable("\xC2\x9B"), "?");                                         // C1 control
  EXPECT_EQ(printable("\xC0\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD");                  // overlong
  EXPECT_EQ(printable("\xE0\x80\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // overlong
  EXPECT_EQ(printable("\xF0\x80\x80\xAF"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(printable("\xED\xA0\x80"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // surrogate
  EXPECT_EQ(printable("\xF4\x90\x80\x80"),
            "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // beyond U+10FFFF
  EXPECT_EQ(printable("\xF0\x9F\xA6\xB4"), "\xF0\x9F\xA6\xB4");
}

TEST(Printable, CutsAtACharacter) {
  EXPECT_EQ(printable("aäb", 2), "a");
  EXPECT_EQ(printable("aäb", 3), "aä");
  EXPECT_EQ(printable(std::string(1000, 'x')).size(), 120u);
}

}  // namespace
}  // namespace sinew
