// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/disjoint_sets.h"

#include <gtest/gtest.h>

#include <random>

namespace sinew {
namespace {

TEST(DisjointSets, AreTheClassesOfWhatWasJoinedAndTheirLowestMember) {
  std::mt19937 random(7);
  const std::size_t n = 300;
  DisjointSets sets(n);
  std::vector<std::uint32_t> label(n);  // the same by relabelling every member
  std::iota(label.begin(), label.end(), 0u);
  for (int step = 0; step < 220; ++step) {
    const auto a = static_cast<std::uint32_t>(random() % n), b = static_cast<std::uint32_t>(random() % n);
    sets.join(a, b);
    const std::uint32_t low = std::min(label[a], label[b]), high = std::max(label[a], label[b]);
    std::replace(label.begin(), label.end(), high, low);
    for (std::uint32_t i = 0; i < n; ++i) {
      ASSERT_EQ(sets.find(i), label[i]);
      ASSERT_EQ(sets.is_root(i), label[i] == i);
    }
  }
}

TEST(DisjointSets, GrowAndLetTheCallerChooseWhoStandsForASet) {
  DisjointSets sets;
  EXPECT_EQ(sets.add(), 0u);
  EXPECT_EQ(sets.add(), 1u);
  EXPECT_EQ(sets.add(), 2u);
  sets.join_under(0, 2);
  EXPECT_EQ(sets.find(0), 2u);
  EXPECT_EQ(sets.find(1), 1u);
  sets.join_under(2, 1);
  EXPECT_EQ(sets.find(0), 1u);
}

}  // namespace
}  // namespace sinew
