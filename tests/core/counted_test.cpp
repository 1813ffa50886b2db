// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/counted.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(0, "face"), "0 faces");
  EXPECT_EQ(counted(1, "face"), "1 face");
  EXPECT_EQ(counted(2, "face"), "2 faces");
  EXPECT_EQ(counted(1, "vertex lies", "vertices lie"), "1 vertex lies");
  EXPECT_EQ(counted(21, "vertex lies", "vertices lie"), "21 vertices lie");
}

TEST(Counted, VerbsAgree) {
  EXPECT_EQ(agreeing(1, "lies", "lie"), "lies");
  EXPECT_EQ(agreeing(0, "lies", "lie"), "lie");
}

}  // namespace
}  // namespace sinew
