// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/key_names.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

TEST(KeyNames, AllKeysOfANameInOrder) {
  Rig rig;
  for (const char* name : {"smile", "frown", "smile", "Smile"}) rig.keys.emplace_back().name = name;
  EXPECT_EQ(keys_named(rig, "smile"), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(keys_named(rig, "Smile"), (std::vector<std::size_t>{3}));
  EXPECT_TRUE(keys_named(rig, "").empty());
}

}  // namespace
}  // namespace sinew
