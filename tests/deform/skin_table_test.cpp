// SPDX-License-Identifier: Apache-2.0
#include "deform/skin_table.h"

#include <gtest/gtest.h>

#include <map>

#include "deform/rig_samples.h"

namespace sinew {
namespace {

// Rows of the table as joint -> weight; the identity is joint -1.
std::vector<std::map<int, double>> unpack(const SkinTable& table) {
  std::vector<std::map<int, double>> rows;
  for_each_run(table, 0, table.group_count(), [&](const SkinRun& run, std::size_t begin, std::size_t end) {
    for (std::size_t row = begin * kGroupSize; row < end * kGroupSize; ++row) {
      std::map<int, double>& entries = rows.emplace_back();
      const std::size_t first = run.entry + (row - run.group_begin * kGroupSize) * run.influences;
      for (std::size_t k = 0; k < run.influences; ++k) {
        const std::size_t e = table.joints[first + k];
        const int joint = e < table.palette_joints.size() ? static_cast<int>(table.palette_joints[e]) : -1;
        if (table.weights[first + k] != 0) entries[joint] += static_cast<double>(table.weights[first + k]);
      }
    }
  });
  return rows;
}

TEST(SkinTable, HoldsEveryRowAndCarriesEmptyOnesByTheIdentity) {
  const test::Sample sample = test::random_sample(333, 40, 9, test::Motion::kRigid);
  const auto table = pack_skin(sample.rig.weights, 40, RowSums::kAsGiven);
  ASSERT_TRUE(table.ok());
  const auto rows = unpack(*table);
  ASSERT_EQ(rows.size(), 336u);
  for (std::size_t i = 0; i < 333; ++i) {
    const auto row = sample.rig.weights.row(i);
    if (row.empty()) {
      EXPECT_EQ(rows[i], (std::map<int, double>{{-1, 1.0}}));
      continue;
    }
    ASSERT_EQ(rows[i].size(), row.size()) << i;
    for (const Influence& influence : row)
      EXPECT_NEAR(rows[i].at(static_cast<int>(influence.joint)), influence.weight, 1e-7);
  }
}

TEST(SkinTable, WidthsAreOneTwoOrMultiplesOfFour) {
  const test::Sample sample = test::random_sample(400, 40, 9, test::Motion::kRigid);
  const auto table = pack_skin(sample.rig.weights, 40, RowSums::kAsGiven);
  ASSERT_TRUE(table.ok());
  for (const SkinRun& run : table->runs)
    EXPECT_TRUE(run.influences == 1 || run.influences == 2 || run.influences % 4 == 0) << run.influences;
}

TEST(SkinTable, PalettesHoldOnlyJointsThatCarryVertices) {
  SkinWeights weights;
  weights.add_row(std::vector<Influence>{{70000, 0.5}, {3, 0.5}});
  const auto table = pack_skin(weights, 80000, RowSums::kAsGiven);
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->palette_joints, (std::vector<std::uint32_t>{3, 70000}));
}

TEST(SkinTable, NormalisesRowsOnRequestAndEmptiesThoseThatCancel) {
  SkinWeights weights;
  weights.add_row(std::vector<Influence>{{0, 1.5}, {1, 0.5}});
  weights.add_row(std::vector<Influence>{{0, 1.0}, {1, -1.0}});
  const auto table = pack_skin(weights, 2, RowSums::kNormalised);
  ASSERT_TRUE(table.ok());
  const auto rows = unpack(*table);
  EXPECT_EQ(rows[0], (std::map<int, double>{{0, 0.75}, {1, 0.25}}));
  EXPECT_EQ(rows[1], (std::map<int, double>{{-1, 1.0}}));
}

TEST(SkinTable, RefusesAJointThatIsNotThere) {
  SkinWeights weights;
  weights.add_row(std::vector<Influence>{{5, 1.0}});
  const auto table = pack_skin(weights, 5, RowSums::kAsGiven);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code, ErrorCode::kBadInput);
}

TEST(SkinTable, RefusesMoreJointsThanSixteenBitsCanName) {
  SkinWeights weights;
  for (std::uint32_t j = 0; j < 65536; ++j) weights.add_row(std::vector<Influence>{{j, 1.0}});
  const auto table = pack_skin(weights, 65536, RowSums::kAsGiven);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code, ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew
