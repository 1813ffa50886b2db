// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/descriptor.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace sinew {
namespace {

enum class Colour { kRed, kGreen, kBlue };

struct Paint {
  double gloss = 0.5;
  int coats = 2;
  bool dry = false;
  Colour colour = Colour::kGreen;
  std::string name = "wall";
  NamedNumbers amounts = {};
  NamedWords tones = {};
};

constexpr std::array kPaint = {
    setting<&Paint::gloss>("gloss", "how it shines", 0, 1),
    setting<&Paint::coats>("coats", "layers", 1, 9).as("paint-coats"),
    setting<&Paint::dry>("dry", "without water"),
    choice<&Paint::colour>("colour", "red|green|blue", "what it looks like"),
    setting<&Paint::name>("name", "of the paint"),
    setting<&Paint::amounts>("amounts", "litres for a room", 0, 100),
    choice<&Paint::tones>("tones", "light|dark", "of a room"),
};

const Descriptor& named(std::string_view name) {
  for (const Descriptor& one : kPaint)
    if (one.name == name) return one;
  ADD_FAILURE() << name;
  return kPaint[0];
}

TEST(Descriptor, AStructIsReadByNameAndKeepsItsDefaults) {
  const auto paint = read_settings<Paint>(kPaint, {{"gloss", 0.25},
                                                   {"coats", 3.0},
                                                   {"dry", true},
                                                   {"colour", std::string("blue")},
                                                   {"amounts", NamedNumbers{{"hall", 7}}},
                                                   {"tones", NamedWords{{"hall", "dark"}}},
                                                   {"unknown", 1.0}});
  ASSERT_TRUE(paint.ok()) << paint.error().message;
  EXPECT_EQ(paint->gloss, 0.25);
  EXPECT_EQ(paint->coats, 3);
  EXPECT_TRUE(paint->dry);
  EXPECT_EQ(paint->colour, Colour::kBlue);
  EXPECT_EQ(paint->name, "wall");
  EXPECT_EQ(paint->amounts.at("hall"), 7);
  EXPECT_EQ(paint->tones.at("hall"), "dark");
}

TEST(Descriptor, DefaultsAreThoseOfTheStruct) {
  EXPECT_EQ(default_of<Paint>(named("gloss")), Setting(0.5));
  EXPECT_EQ(default_of<Paint>(named("coats")), Setting(2.0));
  EXPECT_EQ(default_of<Paint>(named("colour")), Setting(std::string("green")));
  EXPECT_EQ(default_of<Paint>(named("name")), Setting(std::string("wall")));
}

TEST(Descriptor, WhatDoesNotFitIsAUsageErrorThatNamesTheOptionAndTheRange) {
  const std::vector<std::pair<std::string, Setting>> wrong = {
      {"gloss", 1.5},
      {"gloss", std::nan("")},
      {"gloss", std::string("much")},
      {"coats", 2.5},
      {"coats", 0.0},
      {"dry", 1.0},
      {"colour", std::string("pink")},
      {"colour", 1.0},
      {"amounts", NamedNumbers{{"hall", 101}}},
      {"amounts", 3.0},
      {"tones", NamedWords{{"hall", "grey"}}},
  };
  for (const auto& [name, value] : wrong) {
    const auto paint = read_settings<Paint>(kPaint, {{name, value}});
    ASSERT_FALSE(paint.ok()) << name << ' ' << setting_text(value);
    EXPECT_EQ(paint.error().code, ErrorCode::kUsage);
    EXPECT_EQ(paint.error().parameter, named(name).option);
    EXPECT_TRUE(paint.error().message.starts_with(named(name).option)) << paint.error().message;
    EXPECT_NE(paint.error().message.find(setting_range(named(name))), std::string::npos);
  }
  EXPECT_EQ(check_setting(named("coats"), 0.0).error().message,
            "paint-coats is 0: give a whole number from 1 to 9");
  EXPECT_EQ(check_setting(named("colour"), std::string("pink")).error().message,
            "colour is 'pink': give red, green or blue");
}

TEST(Descriptor, TextOfUsersBecomesValuesAndNamedOnesAddUp) {
  EXPECT_EQ(*parse_setting(named("gloss"), "0.75"), Setting(0.75));
  EXPECT_EQ(*parse_setting(named("dry"), "true"), Setting(true));
  EXPECT_EQ(*parse_setting(named("colour"), "red"), Setting(std::string("red")));
  const auto first = parse_setting(named("amounts"), "hall=2");
  const auto both = parse_setting(named("amounts"), "a=b=3", &*first);  // the last '=' counts
  EXPECT_EQ(*both, Setting(NamedNumbers{{"hall", 2}, {"a=b", 3}}));
  EXPECT_EQ(setting_text(*both), "a=b=3,hall=2");
  for (const auto& [name, text] : {std::pair("gloss", ""),
                                   {"gloss", "half"},
                                   {"amounts", "2"},
                                   {"amounts", "=2"},
                                   {"amounts", "hall=x"},
                                   {"amounts", "hall"},
                                   {"tones", "hall=grey"},
                                   {"dry", "yes"}})
    EXPECT_FALSE(parse_setting(named(name), text).ok()) << name << ' ' << text;
}

}  // namespace
}  // namespace sinew
