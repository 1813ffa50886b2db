// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/result.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <memory>
#include <string>

#include "sinew/core/progress.h"
#include "sinew/core/version.h"

namespace sinew {
namespace {

Result<int> half(int value) {
  if (value % 2) return bad_input("odd");
  return value / 2;
}

Result<int> quarter(int value) {
  SINEW_TRY(const int once, half(value));
  SINEW_TRY(const int twice, half(once));
  return twice;
}

Result<void> check_quarter(int value) {
  SINEW_CHECK(quarter(value));
  return {};
}

TEST(Result, CarriesAValueOrAnError) {
  const Result<int> good = half(4);
  ASSERT_TRUE(good.ok());
  EXPECT_TRUE(static_cast<bool>(good));
  EXPECT_EQ(*good, 2);
  const Result<int> bad = half(3);
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, ErrorCode::kBadInput);
  EXPECT_EQ(bad.error().message, "odd");
}

TEST(Result, TryHandsValuesOnAndErrorsBack) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_EQ(quarter(5).error().message, "odd");
  EXPECT_TRUE(check_quarter(8).ok());
  EXPECT_EQ(check_quarter(2).error().message, "odd");
}

TEST(Result, HoldsWhatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(7));
  ASSERT_TRUE(result.ok());
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

// Counts what is alive.
struct Counted {
  static inline int alive = 0;
  Counted() { ++alive; }
  Counted(Counted&&) noexcept { ++alive; }
  ~Counted() { --alive; }
};

TEST(Result, DestroysWhatItHoldsExactlyOnce) {
  {
    Result<Counted> value{Counted()}, failed{bad_input("a message too long for the string's own buffer")};
    EXPECT_EQ(Counted::alive, 1);
    Result<Counted> moved(std::move(value));
    EXPECT_EQ(Counted::alive, 2);
    moved = std::move(failed);
    EXPECT_EQ(Counted::alive, 1);
    EXPECT_EQ(moved.error().message, "a message too long for the string's own buffer");
    moved = Result<Counted>(Counted());
    EXPECT_TRUE(moved.ok());
    EXPECT_EQ(Counted::alive, 2);
  }
  EXPECT_EQ(Counted::alive, 0);
}

TEST(ErrorCode, NumbersAreTheExitCodesOfTheCommandLine) {
  EXPECT_EQ(static_cast<int>(usage_error("").code), 2);
  EXPECT_EQ(static_cast<int>(bad_input("").code), 3);
  EXPECT_EQ(static_cast<int>(impossible("").code), 4);
  EXPECT_EQ(static_cast<int>(io_error("").code), 5);
  EXPECT_EQ(static_cast<int>(limit_error("").code), 6);
  EXPECT_EQ(static_cast<int>(cancelled().code), 130);
}

TEST(Progress, IsOptionalEverywhere) {
  EXPECT_FALSE(is_cancelled(nullptr));
  report(nullptr, "stage", 0.5);
  Progress progress;
  EXPECT_FALSE(is_cancelled(&progress));
  report(&progress, "stage", 0.5);
  std::atomic<bool> stop{true};
  progress.cancel = &stop;
  EXPECT_TRUE(is_cancelled(&progress));
}

TEST(Version, HasThreeNumbers) {
  int major = -1, minor = -1, patch = -1;
  EXPECT_EQ(std::sscanf(std::string(version()).c_str(), "%d.%d.%d", &major, &minor, &patch), 3);
}

}  // namespace
}  // namespace sinew
