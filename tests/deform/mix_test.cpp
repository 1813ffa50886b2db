// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/mix.h"

#include <gtest/gtest.h>

#include <limits>

#include "deform/rig_samples.h"
#include "sinew/deform/dqs.h"
#include "sinew/deform/lbs.h"

namespace sinew {
namespace {

using test::Motion;

TEST(Mix, AllZeroIsLbsAndAllOneIsDqsBitForBit) {
  const test::Sample sample = test::random_sample(1003, 20, 7, Motion::kStretched);
  const test::Output lbs = test::run(build_lbs(sample.rig), sample),
                     dqs = test::run(build_dqs(sample.rig), sample);
  ASSERT_FALSE(test::same_bits(lbs, dqs));
  EXPECT_TRUE(test::same_bits(test::run(build_mix(sample.rig, {.mix = 0}), sample), lbs));
  EXPECT_TRUE(test::same_bits(test::run(build_mix(sample.rig, {.mix = 1}), sample), dqs));
  MixOptions per_vertex;
  per_vertex.per_vertex.assign(1003, 1);
  EXPECT_TRUE(test::same_bits(test::run(build_mix(sample.rig, per_vertex), sample), dqs));
  MixOptions per_joint;
  per_joint.per_joint.assign(20, 0);
  EXPECT_TRUE(test::same_bits(test::run(build_mix(sample.rig, per_joint), sample), lbs));
}

TEST(Mix, IsTheDoublePrecisionFormulaForOneNumberPerVertex) {
  const test::Sample sample = test::random_sample(1003, 9, 7, Motion::kStretched);
  std::mt19937 random(5);
  MixOptions options;
  std::vector<double> mix;
  for (std::size_t i = 0; i < 1003; ++i) {
    options.per_vertex.push_back(static_cast<float>(test::uniform(random, 0, 1)));
    mix.push_back(static_cast<double>(options.per_vertex.back()));
  }
  test::Expected expected(sample);
  reference_mix(sample.rig, sample.input(), mix, expected.out());
  test::expect_near(test::run(build_mix(sample.rig, options), sample), expected);
}

TEST(Mix, VerticesAtZeroAndOneHaveThePositionsOfLbsAndDqsExactly) {
  const test::Sample sample = test::random_sample(203, 9, 7, Motion::kRigid);
  MixOptions options;
  for (std::size_t i = 0; i < 203; ++i) options.per_vertex.push_back(i % 2 == 0 ? 0.0f : 1.0f);
  const test::Output lbs = test::run(build_lbs(sample.rig), sample),
                     dqs = test::run(build_dqs(sample.rig), sample);
  const test::Output mix = test::run(build_mix(sample.rig, options), sample);
  for (std::size_t i = 0; i < 203; ++i)
    EXPECT_EQ(mix.positions[i], i % 2 == 0 ? lbs.positions[i] : dqs.positions[i]) << i;
}

TEST(Mix, PerJointIsTheMeanOverTheWeights) {
  const test::Sample sample = test::random_sample(500, 9, 6, Motion::kRigid);
  MixOptions per_joint, per_vertex;
  for (std::size_t j = 0; j < 9; ++j) per_joint.per_joint.push_back(static_cast<float>(j) / 8);
  for (std::size_t i = 0; i < 500; ++i) {
    double mean = 0;
    for (const Influence& influence : sample.rig.weights.row(i))
      mean += influence.weight * influence.joint / 8;
    per_vertex.per_vertex.push_back(static_cast<float>(std::min(mean, 1.0)));
  }
  const test::Output a = test::run(build_mix(sample.rig, per_joint), sample);
  const test::Output b = test::run(build_mix(sample.rig, per_vertex), sample);
  for (std::size_t i = 0; i < 500; ++i) EXPECT_LT((a.positions[i] - b.positions[i]).norm(), 1e-6f);
}

TEST(Mix, RefusesWhatCannotBeMeant) {
  const test::Sample sample = test::random_sample(10, 3, 2, Motion::kRigid);
  const auto code = [&](const MixOptions& options) {
    const auto built = build_mix(sample.rig, options);
    return built.ok() ? 0 : static_cast<int>(built.error().code);
  };
  const int usage = static_cast<int>(ErrorCode::kUsage);
  EXPECT_EQ(code({.mix = 1.5}), usage);
  EXPECT_EQ(code({.mix = std::numeric_limits<double>::quiet_NaN()}), usage);
  EXPECT_EQ(code({.per_vertex = std::vector<float>(9, 0.5f)}), usage);
  EXPECT_EQ(code({.per_joint = std::vector<float>(4, 0.5f)}), usage);
  EXPECT_EQ(code({.per_joint = std::vector<float>(3, -0.5f)}), usage);
  EXPECT_EQ(code({.per_vertex = std::vector<float>(10, 0.5f), .per_joint = std::vector<float>(3, 0.5f)}),
            usage);
}

}  // namespace
}  // namespace sinew
