// SPDX-License-Identifier: Apache-2.0
#include "weights/pair_choice.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

using weights_detail::affordable, weights_detail::PairOffer;

// Trunk 0 - 1 - 2, a head 3, and two arms of two joints each, of which the right one comes first.
const std::vector<int> kTwoArms{-1, 0, 1, 2, 2, 4, 2, 6};
constexpr std::size_t kHead = 3, kRight = 5, kLeft = 7;

std::vector<std::size_t> taken(const std::vector<PairOffer>& offers, double granted) {
  std::vector<std::size_t> joints;
  const std::vector<std::uint8_t> chosen = affordable(offers, kTwoArms, 1.25, granted);
  for (std::size_t k = 0; k < offers.size(); ++k)
    if (chosen[k]) joints.push_back(offers[k].child);
  return joints;
}

TEST(PairChoice, TakesLeftAndRightTogetherOrNot) {
  const std::vector<PairOffer> offers{{kRight, 1.2, 10}, {kHead, 1.4, 15}, {kLeft, 1.9, 10}};
  using Joints = std::vector<std::size_t>;
  EXPECT_EQ(taken(offers, 40), (Joints{kRight, kHead, kLeft}));  // the right arm is below the limit
  EXPECT_EQ(taken(offers, 34), (Joints{kRight, kLeft}));         // arms gain more than the head
  EXPECT_EQ(taken(offers, 19), (Joints{kHead}));                 // one arm alone would be affordable
  EXPECT_EQ(taken(offers, 9), Joints{});
}

TEST(PairChoice, LeavesWhatGainsTooLittle) {
  using Joints = std::vector<std::size_t>;
  EXPECT_EQ(taken({{kHead, 1.25, 1}}, 100), Joints{});
  EXPECT_EQ(taken({{kHead, 1.26, 1}}, 100), Joints{kHead});
}

}  // namespace
}  // namespace sinew
