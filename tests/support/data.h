// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>

namespace sinew::test {

// The folder of real characters and hostile files: $SINEW_DATA, or shared/data beside the checkout; nullopt
// where neither exists.
std::optional<std::filesystem::path> data_folder();

// Whether tests that go through the files of that folder take each of them (SINEW_ALL, as ./dev test --all sets it) or
// every third of the large ones.
bool every_file();

// The folder of the checkout.
std::filesystem::path source_folder();

}  // namespace sinew::test

// Skips the test, visibly, where the data is not there.
#define SINEW_REQUIRE_DATA(variable)                                                    \
  const auto sinew_data_folder = ::sinew::test::data_folder();                          \
  if (!sinew_data_folder) GTEST_SKIP() << "no test data: set SINEW_DATA to its folder"; \
  const std::filesystem::path variable = *sinew_data_folder
