// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/skin_weights.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace sinew {
namespace {

TEST(SkinWeights, ARowIsMergedSortedAndFreeOfZeros) {
  SkinWeights weights;
  const Influence row[] = {{4, 0.25}, {1, 0.5}, {4, 0.125}, {7, 0}, {3, 0.375}, {9, 1}, {9, -1}};
  weights.add_row(row);
  weights.add_row({});
  const Influence single[] = {{2, 1.0}};
  weights.add_row(single);
  ASSERT_EQ(weights.vertex_count(), 3u);
  ASSERT_EQ(weights.row(0).size(), 3u);
  EXPECT_EQ(weights.row(0)[0].joint, 1u);
  EXPECT_EQ(weights.row(0)[1].joint, 3u);  // ties by joint
  EXPECT_EQ(weights.row(0)[2].joint, 4u);
  EXPECT_EQ(weights.row(0)[2].weight, 0.375);
  EXPECT_TRUE(weights.row(1).empty());
  EXPECT_EQ(weights.row(2)[0].weight, 1.0);
  EXPECT_EQ(weights.max_influences(), 3u);
}

TEST(SkinWeights, RandomRowsKeepTheirSumsPerJoint) {
  std::mt19937 random(8);
  SkinWeights weights;
  for (std::size_t i = 0; i < 500; ++i) {
    std::vector<Influence> row(random() % 12);
    std::map<std::uint32_t, double> expected;
    for (Influence& entry : row) {
      entry = {static_cast<std::uint32_t>(random() % 5), static_cast<double>(random() % 9) / 8};
      expected[entry.joint] += entry.weight;
    }
    std::erase_if(expected, [](const auto& item) { return item.second == 0; });
    weights.add_row(row);
    ASSERT_EQ(weights.row(i).size(), expected.size());
    for (const Influence& entry : weights.row(i)) EXPECT_EQ(entry.weight, expected[entry.joint]);
    for (std::size_t k = 1; k < weights.row(i).size(); ++k)
      EXPECT_GE(weights.row(i)[k - 1].weight, weights.row(i)[k].weight);
  }
}

TEST(SkinWeights, NoVerticesIsFine) {
  const SkinWeights weights;
  EXPECT_EQ(weights.vertex_count(), 0u);
  EXPECT_EQ(weights.max_influences(), 0u);
  const WeightStats stats = weight_stats(weights, 0, 0);
  EXPECT_EQ(stats.unweighted, 0u);
  EXPECT_EQ(stats.max, 0);
}

TEST(WeightStats, CountEmptyRowsAndMeasureTheOthers) {
  SkinWeights weights;
  weights.add_row(std::vector<Influence>{{0, 0.5}, {1, 0.25}});
  weights.add_row({});
  weights.add_row(std::vector<Influence>{{0, 1.5}, {1, -0.25}});
  const WeightStats all = weight_stats(weights, 0, 3);
  EXPECT_EQ(all.unweighted, 1u);
  EXPECT_EQ(all.max_row_error, 0.25);
  EXPECT_EQ(all.min, -0.25);
  EXPECT_EQ(all.max, 1.5);
  EXPECT_EQ(weight_stats(weights, 0, 1).min, 0.25);
}

}  // namespace
}  // namespace sinew
