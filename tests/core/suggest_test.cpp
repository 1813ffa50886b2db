// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/suggest.h"

#include <gtest/gtest.h>

#include <vector>

namespace sinew {
namespace {

const std::vector<std::string_view> kNames = {"Hips", "LeftArm", "LeftForeArm", "RightArm", "Head", "Hand"};

TEST(Suggest, OffersTheNameThatIsFewLettersAway) {
  EXPECT_EQ(did_you_mean("LeftFroeArm", kNames), "; did you mean 'LeftForeArm'?");
  EXPECT_EQ(did_you_mean("hpis", kNames), "; did you mean 'Hips'?");
  EXPECT_EQ(did_you_mean("LEFTARM", kNames), "; did you mean 'LeftArm'?");
}

TEST(Suggest, OffersSeveralThatAreAsNear) {
  EXPECT_EQ(did_you_mean("Hend", kNames), "; did you mean 'Head' or 'Hand'?");
}

TEST(Suggest, OffersNamesThatHoldTheWordWhereNoneIsNear) {
  EXPECT_EQ(did_you_mean("fore", kNames), "; did you mean 'LeftForeArm'?");
}

TEST(Suggest, OffersNamesThatNearlyHoldTheWord) {
  const std::vector<std::string_view> names = {"b_Tail01_012", "b_Tail02_013", "b_Spine01_02", "b_Hip_01"};
  EXPECT_EQ(did_you_mean("b_Tial01", names), "; did you mean 'b_Tail01_012'?");
  EXPECT_EQ(did_you_mean("Tial", names), "");  // too short for a letter that is wrong
  EXPECT_EQ(did_you_mean("b_Neck01", names), "");
}

TEST(Suggest, IsSilentWhereNothingIsAlike) {
  EXPECT_EQ(did_you_mean("xylophone", kNames), "");
  EXPECT_EQ(did_you_mean("", kNames), "");
  EXPECT_EQ(did_you_mean("Hips", {}), "");
}

TEST(Suggest, TakesNamesOfAnyLength) {
  const std::string longest(5000, 'a');
  const std::vector<std::string_view> names = {longest};
  EXPECT_NE(did_you_mean(std::string(5000, 'a') + "b", names), "");
}

}  // namespace
}  // namespace sinew
