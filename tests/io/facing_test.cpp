// SPDX-License-Identifier: Apache-2.0
#include "sinew/io/facing.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

namespace sinew {
namespace {

TEST(Facing, EveryPairOfAxesBecomesARotationToYUpAndZFront) {
  const std::vector<std::pair<std::string, Vec3>> axes = {{"x", {1, 0, 0}},   {"y", {0, 1, 0}},
                                                          {"+z", {0, 0, 1}},  {"-x", {-1, 0, 0}},
                                                          {"-Y", {0, -1, 0}}, {"-z", {0, 0, -1}}};
  int right = 0;
  for (const auto& [up, u] : axes)
    for (const auto& [front, f] : axes) {
      const auto turn = turn_of({up, front});
      EXPECT_EQ(turn.ok(), std::abs(u.dot(f)) < 0.5) << up << front;
      if (!turn.ok()) continue;
      ++right;
      EXPECT_EQ(Vec3(*turn * u), Vec3::UnitY());
      EXPECT_EQ(Vec3(*turn * f), Vec3::UnitZ());
      EXPECT_EQ(turn->determinant(), 1);
    }
  EXPECT_EQ(right, 24);
}

TEST(Facing, WhatIsNotGivenIsTheUsual) {
  EXPECT_TRUE(turn_of({})->isIdentity());
  EXPECT_EQ(Vec3(*turn_of({"z", ""}) * Vec3(1, 2, 3)), Vec3(1, 3, -2));  // as Blender's exporter
  EXPECT_EQ(Vec3(*turn_of({"", "x"}) * Vec3::UnitX()), Vec3::UnitZ());
  EXPECT_EQ(to_text({"z", ""}), "z up, -y forward");
}

TEST(Facing, OtherWordsAreRefused) {
  for (const char* word : {"w", "xy", "-", "--x", "\n"}) {
    EXPECT_EQ(turn_of({word, ""}).error().code, ErrorCode::kUsage);
    EXPECT_EQ(turn_of({"", word}).error().code, ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace sinew
