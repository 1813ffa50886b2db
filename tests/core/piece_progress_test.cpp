// SPDX-License-Identifier: Apache-2.0
#include "sinew/core/piece_progress.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "sinew/core/parallel.h"

namespace sinew {
namespace {

TEST(PieceProgress, OnlyItsOwnThreadReportsAndCountsAllPieces) {
  std::vector<double> seen;
  std::vector<std::string> stages;
  const std::thread::id here = std::this_thread::get_id();
  Progress progress;
  progress.report = [&](std::string_view stage, double fraction) {
    EXPECT_EQ(std::this_thread::get_id(), here);
    stages.emplace_back(stage);
    seen.push_back(fraction);
  };
  PieceProgress pieces(&progress, "stage", 4);
  pieces.add();
  std::thread([&] {
    pieces.add();
    pieces.add();
  }).join();
  pieces.add();
  EXPECT_EQ(seen, (std::vector<double>{0.25, 1}));
  EXPECT_EQ(stages, (std::vector<std::string>{"stage", "stage"}));
}

TEST(PieceProgress, FractionsOfALoopRise) {
  std::vector<double> seen;
  Progress progress;
  progress.report = [&](std::string_view, double fraction) { seen.push_back(fraction); };
  PieceProgress pieces(&progress, "loop", 1000);
  parallel_for(1000, 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin; k < end; ++k) pieces.add();
  });
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  ASSERT_FALSE(seen.empty());
  EXPECT_LE(seen.back(), 1);
  PieceProgress nobody(nullptr, "loop", 1);
  nobody.add();
}

}  // namespace
}  // namespace sinew
