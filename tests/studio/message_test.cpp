// SPDX-License-Identifier: Apache-2.0
#include "studio/message.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace sinew::studio {
namespace {

TEST(Target, PathsStayAsTheyWereSentAndQueriesAreDecoded) {
  const auto target = parse_target("/api/files/%2e%2e/x?name=a%20b+c%2Fd&token=12&token=34&flag&=v#part");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/api/files/%2e%2e/x");
  EXPECT_EQ(target->query.at("name"), "a b c/d");
  EXPECT_EQ(target->query.at("token"), "12");  // the first
  EXPECT_EQ(target->query.at("flag"), "");
  EXPECT_EQ(target->query.at(""), "v");
  EXPECT_EQ(parse_target("/")->path, "/");
  EXPECT_TRUE(parse_target("/?")->query.empty());
}

TEST(Target, WhatIsNoAddressOfThisServerIsRefused) {
  for (const char* text :
       {"", "*", "api", "http://127.0.0.1/", "/a b", "/a\tb", "/\x7f", "/?a=%", "/?a=%4", "/?a=%zz"})
    EXPECT_FALSE(parse_target(text)) << text;
  EXPECT_FALSE(parse_target(std::string_view("/a\0b", 4)));
}

TEST(Target, AnyBytesAreParsedOrRefused) {
  std::mt19937 random(5);
  for (int k = 0; k < 20000; ++k) {
    std::string text = "/";
    for (auto n = random() % 20; n > 0; --n) text += "/?&=%+#a0\xff\x01"[random() % 11];
    const auto target = parse_target(text);
    if (target) {
      EXPECT_EQ(target->path[0], '/');
    }
  }
}

TEST(Refusal, IsOneDocumentWithACodeAndASentence) {
  const Answer answer = refusal(404, bad_input("a \"quoted\" \xff name"));
  EXPECT_EQ(answer.status, 404);
  EXPECT_EQ(answer.type, "application/json");
  const auto document = nlohmann::json::parse(*answer.body);
  EXPECT_EQ(document["error"]["code"], 3);
  EXPECT_EQ(document["error"]["message"], "a \"quoted\" \xEF\xBF\xBD name");
}

}  // namespace
}  // namespace sinew::studio
