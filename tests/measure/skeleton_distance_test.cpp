// SPDX-License-Identifier: Apache-2.0
#include "sinew/measure/skeleton_distance.h"

#include <gtest/gtest.h>

#include "sinew/measure/weight_difference.h"

namespace sinew {
namespace {

TEST(SkeletonDistance, TwoBarsSideBySideAreTheirDistanceApart) {
  const SkeletonShape a{{Vec3(0, 0, 0), Vec3(1, 0, 0)}, {{0, 1}}};
  const SkeletonShape b{{Vec3(0, 0.1, 0), Vec3(1, 0.1, 0)}, {{0, 1}}};
  const SkeletonDistances d = skeleton_distances(a, b, 2);
  EXPECT_NEAR(d.j2j, 100 * 0.05, 1e-12);
  EXPECT_NEAR(d.j2b, 100 * 0.05, 1e-12);
  EXPECT_NEAR(d.b2b, 100 * 0.05, 1e-12);
}

TEST(SkeletonDistance, AJointInTheMiddleOfABoneIsOnIt) {
  const SkeletonShape a{{Vec3(0, 0, 0), Vec3(0.5, 0, 0), Vec3(1, 0, 0)}, {{0, 1}, {1, 2}}};
  const SkeletonShape b{{Vec3(0, 0, 0), Vec3(1, 0, 0)}, {{0, 1}}};
  const SkeletonDistances d = skeleton_distances(a, b, 1);
  EXPECT_NEAR(d.j2j, 50 * (0.5 / 3), 1e-12);  // one way only
  EXPECT_NEAR(d.j2b, 0, 1e-12);
  EXPECT_NEAR(d.b2b, 0, 1e-12);
}

TEST(SkeletonDistance, ABonelessSkeletonIsAPoint) {
  const SkeletonShape a{{Vec3(0, 0, 0)}, {{0, 0}}}, b{{Vec3(0, 0, 0), Vec3(1, 0, 0)}, {{0, 1}}};
  const SkeletonDistances d = skeleton_distances(a, b, 1);
  EXPECT_NEAR(d.b2b, 50 * 0.5, 1e-12);  // the mean of 201 points from 0 to 1; the other way 0
}

TEST(WeightDifference, CountsWhatBothHave) {
  SkinWeights mine, theirs;
  const std::vector<Influence> half{{0, 0.5}, {1, 0.5}}, whole{{1, 1.0}}, faint{{0, 0.99995}, {2, 0.00005}};
  mine.add_row(half);
  theirs.add_row(whole);
  mine.add_row(faint);
  theirs.add_row(faint);
  const std::vector<std::uint32_t> same{0, 1, 2};
  const WeightDifference d = weight_difference(mine, theirs, same);
  EXPECT_DOUBLE_EQ(d.l1, (0.5 + 0.5) / 2);
  EXPECT_DOUBLE_EQ(d.precision, 2.0 / 3);
  EXPECT_DOUBLE_EQ(d.recall, 1);
  // The same joints in another order.
  const std::vector<std::uint32_t> swapped{1, 0, 2};
  EXPECT_DOUBLE_EQ(weight_difference(mine, theirs, swapped).l1, (1 + 2 * 0.99995) / 2);
}

}  // namespace
}  // namespace sinew
