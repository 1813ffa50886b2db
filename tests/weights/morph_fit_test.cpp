// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/morph_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/shapes.h"

namespace sinew {
namespace {

// A tube with two joints. The second turns about all axes and switches on a bulge by two functions of its turn.
struct BulgingTube {
  SkinSequence sequence;
  SkinWeights weights;
  std::vector<std::vector<TurnValues>> values;  // per joint
  std::vector<Vec3f> bulge;
  std::vector<double> switched;  // per frame
};

// `both`: the bulge turns into a dent where the joint turns the other way.
BulgingTube bulging_tube(std::size_t frames, bool both = false) {
  BulgingTube made;
  SkinSequence& sequence = made.sequence;
  sequence.joints = 2;
  sequence.frames = frames;
  sequence.rest = test::cylinder(0.3, 4, 12, 16).positions;
  sequence.parents = {-1, 0};
  sequence.moves.assign(2 * frames, Affine3::Identity());
  made.values.assign(2, std::vector<TurnValues>(frames, TurnValues{}));
  for (std::size_t k = 0; k < frames; ++k) {
    const double t = static_cast<double>(k);
    const Vec3 turn(1.2 * std::sin(t), 1.1 * std::cos(1.7 * t), std::sin(2.3 * t));
    Affine3 move = Affine3::Identity();
    move.translate(Vec3(2, 0, 0));
    move.rotate(Eigen::AngleAxisd(turn.norm(), turn.normalized()));
    move.translate(Vec3(-2, 0, 0));
    sequence.moves[frames + k] = move;
    made.values[1][k] = turn_functions(turn);
    made.switched.push_back(both ? 0.8 * std::sin(turn.z())
                                 : 0.7 * made.values[1][k][4] - 0.4 * made.values[1][k][13]);
  }
  made.weights.offsets.push_back(0);
  sequence.shapes.resize(sequence.rest.size() * frames);
  for (std::size_t i = 0; i < sequence.rest.size(); ++i) {
    const Vec3& p = sequence.rest[i];
    const double share = std::min(1.0, std::max(0.0, 0.5 + 0.8 * (p.x() - 2)));
    std::vector<Influence> row;
    if (share < 1) row.push_back({0, 1 - share});
    if (share > 0) row.push_back({1, share});
    made.weights.add_row(row);
    const double bump = std::max(0.0, 0.2 - 0.2 * std::abs(p.x() - 2));
    made.bulge.push_back((bump * Vec3(0.1, p.y(), 2 * p.z())).cast<float>());
    for (std::size_t k = 0; k < frames; ++k) {
      const Vec3 moved = p + made.switched[k] * made.bulge[i].cast<double>();
      const Vec3 there = (1 - share) * moved + share * (sequence.moves[frames + k] * moved);
      sequence.shapes[i * frames + k] = there.cast<float>();
    }
  }
  return made;
}

double left_over(const SkinFit& fit, std::span<const DrivenMorph> morphs,
                 const std::vector<std::vector<double>>& weights) {
  double sum = 0;
  for (std::size_t i = 0; i < fit.sequence().vertices(); ++i)
    for (std::size_t k = 0; k < fit.sequence().frames; ++k) {
      Vec3 p = fit.point(i, k);
      for (std::size_t m = 0; m < morphs.size(); ++m) p += weights[m][k] * morphs[m].deltas[i].cast<double>();
      sum += (fit.blend(i, k) * p - fit.shape(i, k)).squaredNorm();
    }
  return std::sqrt(sum);
}

SkinFit fit_of(const BulgingTube& made) {
  auto fit = SkinFit::build(made.sequence, made.weights);
  EXPECT_TRUE(fit.ok());
  return *std::move(fit);
}

TEST(MorphFit, FindsABulgeAndWhatSwitchesItOn) {
  const BulgingTube made = bulging_tube(120);
  const SkinFit fit = fit_of(made);
  MorphFitOptions options;
  options.morphs = 1;
  options.least = 1e-6;
  const std::vector<DrivenMorph> morphs = fit_morphs(fit, made.values, options);
  ASSERT_EQ(morphs.size(), 1u);
  EXPECT_EQ(morphs[0].driver.joint, 1u);
  std::vector<std::vector<double>> weights(1);
  double scale = 0, square = 0;
  for (std::size_t k = 0; k < 120; ++k) {
    weights[0].push_back(mixed(morphs[0].driver.mix, made.values[1][k]));
    EXPECT_LE(std::abs(weights[0].back()), 1.001);
    scale += weights[0][k] * made.switched[k];
    square += weights[0][k] * weights[0][k];
  }
  scale /= square;  // the known bulge times this is the found one
  for (std::size_t k = 0; k < 120; ++k)
    EXPECT_NEAR(weights[0][k] * scale, made.switched[k], 0.1);  // drivers are damped
  EXPECT_LT(left_over(fit, morphs, weights), 0.1 * left_over(fit, {}, {}));
}

TEST(MorphFit, WeightsOfAFrameAreTheBestOnes) {
  const BulgingTube made = bulging_tube(12);
  const SkinFit fit = fit_of(made);
  const std::vector<DrivenMorph> morphs{{made.bulge, {1, {}}}};
  const auto weights = fit_morph_weights(fit, morphs, {std::vector<double>(12, 0.0)}, 0);
  for (std::size_t k = 0; k < 12; ++k) EXPECT_NEAR(weights[0][k], made.switched[k], 1e-4);
  const auto some = fit_morph_weights(fit, morphs, {std::vector<double>(12, 0.0)}, 0, 7);
  for (std::size_t k = 0; k < 7; ++k) EXPECT_EQ(some[0][k], 0);
}

TEST(MorphFit, ABulgeThatTurnsIntoADentTakesTwoTargetsWithWeightsFromZeroToOne) {
  const BulgingTube made = bulging_tube(120, true);
  const SkinFit fit = fit_of(made);
  const auto left = [&](std::size_t count) {
    MorphFitOptions options;
    options.morphs = count;
    options.least = 1e-6;
    const std::vector<DrivenMorph> morphs = fit_morphs(fit, made.values, options);
    EXPECT_EQ(morphs.size(), count);
    std::vector<std::vector<double>> weights;
    for (const DrivenMorph& morph : morphs)
      for (std::vector<double>& own = weights.emplace_back(); own.size() < 120;)
        own.push_back(morph_weight(morph.driver, made.values[morph.driver.joint][own.size()]));
    const std::vector<std::vector<double>> best = fit_morph_weights(fit, morphs, weights, 0.02);
    for (const auto& all : {weights, best})
      for (const std::vector<double>& own : all)
        for (const double w : own) {
          EXPECT_GE(w, 0);
          EXPECT_LE(w, 1);
        }
    return left_over(fit, morphs, weights) / left_over(fit, {}, {});
  };
  EXPECT_GT(left(1), 0.5);
  EXPECT_LT(left(2), 0.1);
}

TEST(MorphFit, SmallDeltasAreDroppedAndNothingComesOfNothing) {
  const BulgingTube made = bulging_tube(60);
  const SkinFit fit = fit_of(made);
  MorphFitOptions options;
  options.morphs = 3;
  options.least = 0.02;
  for (const DrivenMorph& morph : fit_morphs(fit, made.values, options)) {
    double largest = 0;
    for (const TurnValues& values : made.values[1])
      largest = std::max(largest, std::abs(mixed(morph.driver.mix, values)));
    for (const Vec3f& delta : morph.deltas) {
      if (delta == Vec3f::Zero()) continue;
      EXPECT_GT(largest * static_cast<double>(delta.norm()), 0.005);
    }
  }
  options.least = 100;  // nothing moves so far
  EXPECT_TRUE(fit_morphs(fit, made.values, options).empty());
}

}  // namespace
}  // namespace sinew
