// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sinew::weights_detail {

// What data for a joint and the one above it could gain, and what that costs.
struct PairOffer {
  std::size_t child = 0;
  double gain = 1, cost = 0;
};

// Those that gain most, above `least`, until their cost reaches what is granted: per offer 1 or 0. Joints of one
// place in the tree, such as left and right limbs, are taken or left together.
std::vector<std::uint8_t> affordable(std::span<const PairOffer> offers, std::span<const int> parents,
                                     double least, double granted);

}  // namespace sinew::weights_detail
