// SPDX-License-Identifier: Apache-2.0
#include "studio/guard.h"

#include <gtest/gtest.h>

#include <set>

namespace sinew::studio {
namespace {

const std::string kToken = "0123456789abcdef0123456789abcdef";

int status_of(const Head& head, const std::string& path, const std::string& token_in_query = "") {
  Target target{path, {}};
  if (!token_in_query.empty()) target.query["token"] = token_in_query;
  const auto refused = Guard(8080, kToken).refuse(head, target);
  return refused ? refused->status : 200;
}

Head head_of(std::vector<std::string> hosts, std::vector<std::string> origins = {},
             std::string token = kToken) {
  Head head;
  head.hosts = std::move(hosts);
  head.origins = std::move(origins);
  head.token = std::move(token);
  return head;
}

TEST(Guard, IdsAre128BitsAndNoTwoAreTheSame) {
  std::set<std::string> seen;
  for (int k = 0; k < 1000; ++k) {
    const std::string id = random_id();
    EXPECT_EQ(id.size(), 32u);
    EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
    EXPECT_TRUE(seen.insert(id).second);
  }
}

TEST(Guard, ComparesTextsByEveryByte) {
  EXPECT_TRUE(equal_in_constant_time(kToken, kToken));
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_FALSE(equal_in_constant_time("", kToken));
  for (std::size_t k = 0; k < kToken.size(); ++k) {
    std::string other = kToken;
    other[k] ^= 1;
    EXPECT_FALSE(equal_in_constant_time(other, kToken)) << k;
    EXPECT_FALSE(equal_in_constant_time(kToken.substr(0, k), kToken)) << k;
  }
}

TEST(Guard, OnlyItsOwnNamesAreAHost) {
  for (const char* host : {"127.0.0.1:8080", "localhost:8080", "LocalHost:8080"})
    EXPECT_EQ(status_of(head_of({host}), "/api/x"), 200) << host;
  for (const char* host : {"", "127.0.0.1", "localhost", "127.0.0.1:80", "127.0.0.1:8080 ",
                           "evil.example:8080", "127.0.0.1:8080.evil.example", "0.0.0.0:8080", "[::1]:8080"})
    EXPECT_EQ(status_of(head_of({host}), "/"), 403) << host;
  EXPECT_EQ(status_of(head_of({}), "/"), 403);
  EXPECT_EQ(status_of(head_of({"127.0.0.1:8080", "127.0.0.1:8080"}), "/"), 403);
}

TEST(Guard, AnOriginMustBeItsOwnWhereThereIsOne) {
  const std::string host = "127.0.0.1:8080";
  for (const char* origin : {"http://127.0.0.1:8080", "http://localhost:8080"})
    EXPECT_EQ(status_of(head_of({host}, {origin}), "/api/x"), 200) << origin;
  for (const char* origin : {"", "null", "https://127.0.0.1:8080", "http://evil.example", "http://127.0.0.1",
                             "127.0.0.1:8080", "http://127.0.0.1:8080/"})
    EXPECT_EQ(status_of(head_of({host}, {origin}), "/"), 403) << origin;
  EXPECT_EQ(status_of(head_of({host}, {"http://" + host, "http://evil.example"}), "/"), 403);
}

TEST(Guard, TheApiNeedsTheTokenAndThePageDoesNot) {
  const std::string host = "127.0.0.1:8080";
  EXPECT_EQ(status_of(head_of({host}, {}, ""), "/"), 200);
  EXPECT_EQ(status_of(head_of({host}, {}, ""), "/apis"), 200);
  for (const char* path : {"/api", "/api/", "/api/session"}) {
    EXPECT_EQ(status_of(head_of({host}, {}, ""), path), 401);
    EXPECT_EQ(status_of(head_of({host}, {}, "wrong"), path), 401);
    EXPECT_EQ(status_of(head_of({host}, {}, "wrong"), path, kToken), 401)
        << "a wrong header is not made good";
    EXPECT_EQ(status_of(head_of({host}, {}, ""), path, "wrong"), 401);
    EXPECT_EQ(status_of(head_of({host}, {}, ""), path, kToken), 200);
    EXPECT_EQ(status_of(head_of({host}), path), 200);
  }
}

}  // namespace
}  // namespace sinew::studio
