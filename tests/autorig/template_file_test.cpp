// SPDX-License-Identifier: Apache-2.0
#include "autorig/template_file.h"

#include <gtest/gtest.h>

#include "sinew/autorig/skeleton_template.h"

namespace sinew::autorig {
namespace {

TEST(TemplateFile, WhatIsReadIsWrittenAgain) {
  for (const char* name : {"biped", "quadruped", "bird", "hand", "snake", "arm", "cylinder"}) {
    const std::string_view text = built_in_text(name);
    ASSERT_FALSE(text.empty()) << name;
    const auto read = read_template(text);
    ASSERT_TRUE(read.ok()) << name << ": " << read.error().message;
    EXPECT_EQ(read->name(), name);
    EXPECT_EQ(write_template(*read), text) << name;
  }
  EXPECT_TRUE(built_in_text("unicorn").empty());
}

TEST(TemplateFile, EveryTruncatedTextIsRefused) {
  const std::string_view text = built_in_text("cylinder");
  for (std::size_t length = 0; length + 2 < text.size(); length += 97) {
    const auto read = read_template(text.substr(0, length));
    if (read.ok()) continue;  // the part without rings is a template
    EXPECT_EQ(read.error().code, ErrorCode::kBadInput) << length;
  }
}

TEST(TemplateFile, WordsThatAreNoNumbersFail) {
  Words words("# a comment\nten 10 -3.5 x");
  EXPECT_TRUE(words.expect("ten"));
  EXPECT_EQ(words.count(), 10u);
  EXPECT_EQ(words.number(), -3.5);
  EXPECT_FALSE(words.failed());
  words.number();
  EXPECT_TRUE(words.failed());
}

}  // namespace
}  // namespace sinew::autorig
