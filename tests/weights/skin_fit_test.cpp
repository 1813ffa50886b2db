// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/skin_fit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "sinew/core/parallel.h"
#include "support/shapes.h"

namespace sinew {
namespace {

// A tube along x whose joints, evenly spaced on it, turn one after the other and by chance.
struct Tube {
  SkinSequence sequence;
  SkinWeights weights;          // smooth, three joints a vertex
  std::vector<Affine3> hidden;  // per frame: moves of a joint that the sequence does not name
};

Affine3 turn_about(const Vec3& centre, const Vec3& turn) {
  Affine3 move = Affine3::Identity();
  move.translate(centre);
  if (turn.norm() > 0) move.rotate(Eigen::AngleAxisd(turn.norm(), turn.normalized()));
  move.translate(-centre);
  return move;
}

Tube tube(std::size_t joints, std::size_t frames, bool with_hidden) {
  Tube made;
  SkinSequence& sequence = made.sequence;
  sequence.joints = joints;
  sequence.frames = frames;
  sequence.rest = test::cylinder(0.3, 4, 12, 24).positions;
  sequence.moves.resize(joints * frames);
  std::mt19937 random(11);
  std::normal_distribution<double> normal(0, 0.5);
  for (std::size_t k = 0; k < frames; ++k) {
    Affine3 above = Affine3::Identity();
    for (std::size_t j = 0; j < joints; ++j) {
      const Vec3 centre(4.0 * static_cast<double>(j) / static_cast<double>(joints), 0, 0);
      above = above * turn_about(centre, Vec3(normal(random), normal(random), normal(random)));
      sequence.moves[j * frames + k] = above;
    }
    made.hidden.push_back(sequence.moves[k] *
                          turn_about(Vec3(1, 0, 0), Vec3(normal(random), normal(random), normal(random))));
  }
  for (std::size_t j = 0; j < joints; ++j) sequence.parents.push_back(static_cast<int>(j) - 1);
  made.weights.offsets.push_back(0);
  sequence.shapes.resize(sequence.rest.size() * frames);
  for (std::size_t i = 0; i < sequence.rest.size(); ++i) {
    const double x = sequence.rest[i].x();
    std::vector<Influence> row;
    double sum = 0;
    for (std::size_t j = 0; j < joints; ++j) {
      const double far = x - 4.0 * (static_cast<double>(j) + 0.5) / static_cast<double>(joints);
      const double w = std::max(0.0, 1.2 - std::abs(far));
      if (w > 0) row.push_back({static_cast<std::uint32_t>(j), w});
      sum += w;
    }
    for (Influence& entry : row) entry.weight /= sum;
    made.weights.add_row(row);
    const double share = with_hidden ? std::max(0.0, 0.8 - std::abs(x - 1.1)) : 0.0;
    for (std::size_t k = 0; k < frames; ++k) {
      Vec3 p = share * (made.hidden[k] * sequence.rest[i]);
      for (const Influence& entry : row)
        p += (1 - share) * entry.weight * (sequence.moves[entry.joint * frames + k] * sequence.rest[i]);
      sequence.shapes[i * frames + k] = p.cast<float>();
    }
  }
  return made;
}

SkinWeights rigid_weights(const SkinWeights& weights) {
  SkinWeights rigid;
  rigid.offsets.push_back(0);
  for (std::size_t i = 0; i < weights.vertex_count(); ++i) {
    const Influence one{weights.row(i)[0].joint, 1.0};
    rigid.add_row(std::span(&one, 1));
  }
  return rigid;
}

TEST(SkinFit, FindsTheWeightsOfASequenceThatIsSkinning) {
  const Tube made = tube(4, 30, false);
  const auto fit = decompose_skin(made.sequence, rigid_weights(made.weights));
  ASSERT_TRUE(fit.ok());
  EXPECT_LT(fit->rms(), 1e-6);
  const SkinWeights found = fit->weights();
  for (std::size_t i = 0; i < found.vertex_count(); ++i) {
    double off = 0;
    for (const Influence& entry : made.weights.row(i)) {
      double other = 0;
      for (const Influence& mine : found.row(i))
        if (mine.joint == entry.joint) other = mine.weight;
      off = std::max(off, std::abs(entry.weight - other));
    }
    EXPECT_LT(off, 1e-4) << i;
  }
}

TEST(SkinFit, RowsAreFewNotNegativeAndSumToOne) {
  const Tube made = tube(6, 20, true);
  for (const std::size_t most : {1u, 2u, 4u}) {
    const auto fit = decompose_skin(made.sequence, made.weights, {most, 2, 3, nullptr});
    ASSERT_TRUE(fit.ok());
    const SkinWeights found = fit->weights();
    EXPECT_LE(found.max_influences(), most);
    const WeightStats stats = weight_stats(found, 0, found.vertex_count());
    EXPECT_EQ(stats.unweighted, 0u);
    EXPECT_LT(stats.max_row_error, 1e-12);
    EXPECT_GE(stats.min, 0);
  }
}

// Per vertex: what the sequence is off where helpers rest, so that each is carried by its parent alone.
std::vector<double> idle_errors(const SkinFit& fit) {
  const SkinSequence& sequence = fit.sequence();
  std::vector<double> errors(sequence.vertices());
  for (std::size_t i = 0; i < errors.size(); ++i)
    for (std::size_t k = 0; k < sequence.frames; ++k) {
      Vec3 p = Vec3::Zero();
      for (const Influence& entry : fit.row(i)) {
        const bool is_helper = entry.joint >= sequence.joints;
        const std::size_t joint =
            is_helper ? fit.helpers()[entry.joint - sequence.joints].parent : entry.joint;
        p += entry.weight * (sequence.moves[joint * sequence.frames + k] * sequence.rest[i]);
      }
      errors[i] += (p - fit.shape(i, k)).squaredNorm();
    }
  return errors;
}

TEST(SkinFit, IdleHelpersAreNotWorseThanNone) {
  Tube made = tube(4, 24, true);
  for (std::size_t j = 0; j < 4; ++j) made.sequence.moves[j * 24] = Affine3::Identity();  // at rest
  made.hidden[0] = Affine3::Identity();
  for (std::size_t i = 0; i < made.sequence.vertices(); ++i)
    made.sequence.shapes[i * 24] = made.sequence.rest[i].cast<float>();
  SkinHelper hidden{0, {}};
  for (std::size_t k = 0; k < 24; ++k)
    hidden.moves.push_back(made.sequence.moves[k].inverse() * made.hidden[k]);
  std::vector<double> first, errors[2], driven;
  for (const bool bounded : {false, true}) {
    SkinFitOptions options;
    options.influences = 3;
    if (bounded) options.idle_frame = 0;
    auto fit = SkinFit::build(made.sequence, made.weights, options);
    ASSERT_TRUE(fit.ok());
    const std::vector<double> start = idle_errors(*fit);
    fit->fit_weights();
    first = idle_errors(*fit);
    for (std::size_t i = 0; i < first.size(); ++i) first[i] = std::max(first[i], start[i]);
    const double before = fit->squared_error();
    fit->add_helper(hidden, fit->reach(0));
    errors[bounded] = idle_errors(*fit);
    EXPECT_LT(fit->squared_error(), 0.9 * before);
    driven.push_back(fit->squared_error());
  }
  std::size_t worse = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    worse += errors[0][i] > 1.01 * first[i] + 1e-9;
    EXPECT_LE(errors[1][i], first[i] * (1 + 1e-6) + 1e-9) << i;
  }
  EXPECT_GT(worse, first.size() / 20);  // what the bound is for
  EXPECT_GT(driven[1], driven[0]);      // and what it costs
}

TEST(SkinFit, MoreInfluencesAndMoreHelpersNeverRaiseTheError) {
  const Tube made = tube(6, 24, true);
  double before = 1e300;
  for (const std::size_t most : {1u, 2u, 3u, 4u}) {
    std::vector<double> errors;
    const auto fit = decompose_skin(made.sequence, made.weights, {most, 6, 4, nullptr}, &errors);
    ASSERT_TRUE(fit.ok());
    ASSERT_EQ(errors.size(), 7u);
    for (std::size_t h = 1; h < errors.size(); ++h) EXPECT_LE(errors[h], errors[h - 1] * (1 + 1e-12));
    EXPECT_LT(errors.back(), 0.6 * errors.front());
    EXPECT_LE(errors[0], before);
    before = errors[0];
    std::vector<double> fewer;
    ASSERT_TRUE(decompose_skin(made.sequence, made.weights, {most, 3, 4, nullptr}, &fewer).ok());
    for (std::size_t h = 0; h < fewer.size(); ++h) EXPECT_EQ(fewer[h], errors[h]);  // the same way
  }
}

TEST(SkinFit, FindsAJointThatNobodyNamed) {
  const Tube made = tube(4, 40, true);
  std::vector<double> errors;
  const auto fit = decompose_skin(made.sequence, made.weights, {4, 1, 200, nullptr}, &errors);
  ASSERT_TRUE(fit.ok());
  EXPECT_LT(errors[1], 0.02 * errors[0]);
  // Its moves are those of the hidden joint where vertices hang on it alone.
  double off = 0;
  for (std::size_t k = 0; k < 40; ++k)
    off = std::max(off, (fit->move(4, k) * Vec3(1.1, 0.3, 0) - made.hidden[k] * Vec3(1.1, 0.3, 0)).norm());
  EXPECT_LT(off, 0.1);
}

TEST(SkinFit, RigidMovesAreTheBestOnes) {
  // Turning or shifting a fitted helper in any frame only raises the error.
  const Tube made = tube(4, 12, true);
  auto fit = decompose_skin(made.sequence, made.weights, {4, 1, 3, nullptr});
  ASSERT_TRUE(fit.ok());
  fit->fit_moves(0);
  const auto error = [&] {
    double sum = 0;
    for (std::size_t i = 0; i < made.sequence.rest.size(); ++i)
      for (std::size_t k = 0; k < 12; ++k)
        sum += (fit->blend(i, k) * fit->point(i, k) - fit->shape(i, k)).squaredNorm();
    return sum;
  };
  const std::vector<Affine3> best = fit->helpers()[0].moves;
  const double least = error();
  for (int axis = 0; axis < 3; ++axis)
    for (const double step : {-1e-3, 1e-3}) {
      std::vector<Affine3> other = best;
      other[5] = best[5] * turn_about(Vec3(1, 0, 0), step * Vec3::Unit(axis));
      fit->set_moves(0, other);
      EXPECT_GT(error(), least);
      other[5] = best[5];
      other[5].pretranslate(step * Vec3::Unit(axis));
      fit->set_moves(0, other);
      EXPECT_GT(error(), least);
    }
}

TEST(SkinFit, MorphsThatAreThereCountAsRest) {
  Tube made = tube(4, 20, false);
  SkinMorph morph;
  morph.deltas.assign(made.sequence.rest.size(), Vec3f(0, 0.2f, 0.1f));
  for (std::size_t k = 0; k < 20; ++k) morph.weights.push_back(0.1 * static_cast<double>(k));
  for (std::size_t i = 0; i < made.sequence.rest.size(); ++i)
    for (std::size_t k = 0; k < 20; ++k)
      for (const Influence& entry : made.weights.row(i))
        made.sequence.shapes[i * 20 + k] +=
            (entry.weight * morph.weights[k] *
             (made.sequence.moves[entry.joint * 20 + k].linear() * morph.deltas[i].cast<double>()))
                .cast<float>();
  made.sequence.morphs.push_back(morph);
  const auto fit = decompose_skin(made.sequence, rigid_weights(made.weights));
  ASSERT_TRUE(fit.ok());
  EXPECT_LT(fit->rms(), 1e-6);
}

TEST(SkinFit, FixedAndEmptyRowsStay) {
  Tube made = tube(4, 10, true);
  SkinFitOptions options;
  options.fixed.assign(made.sequence.rest.size(), 0);
  options.fixed[7] = 1;
  SkinWeights start;
  start.offsets.push_back(0);
  for (std::size_t i = 0; i < made.weights.vertex_count(); ++i)
    start.add_row(i == 3 ? std::span<const Influence>{} : made.weights.row(i));
  auto fit = SkinFit::build(made.sequence, start, options);
  ASSERT_TRUE(fit.ok());
  fit->fit_weights();
  EXPECT_TRUE(fit->row(3).empty());
  ASSERT_EQ(fit->row(7).size(), start.row(7).size());
  for (std::size_t e = 0; e < start.row(7).size(); ++e)
    EXPECT_NEAR(fit->row(7)[e].weight, start.row(7)[e].weight, 1e-12);
}

TEST(SkinFit, FramesWithCollapsedParentsAreLeftAlone) {
  Tube made = tube(4, 10, true);
  for (std::size_t j = 0; j < 4; ++j) made.sequence.moves[j * 10 + 4].linear().setZero();
  const auto fit = decompose_skin(made.sequence, made.weights, {4, 2, 3, nullptr});
  ASSERT_TRUE(fit.ok());
  for (const SkinHelper& helper : fit->helpers())
    for (const Affine3& move : helper.moves) EXPECT_TRUE(move.matrix().allFinite());
}

TEST(SkinFit, GivesTheSameBitsForAnyNumberOfThreads) {
  const Tube made = tube(6, 24, true);
  std::vector<std::vector<double>> all;
  for (const int threads : {1, 2, 5}) {
    set_thread_count(threads);
    const auto fit = decompose_skin(made.sequence, made.weights, {4, 3, 3, nullptr});
    ASSERT_TRUE(fit.ok());
    std::vector<double> numbers{fit->squared_error()};
    for (const Influence& entry : fit->weights().entries) numbers.push_back(entry.weight);
    for (const Affine3& move : fit->helpers()[2].moves) numbers.push_back(move(0, 1));
    all.push_back(numbers);
  }
  set_thread_count(0);
  EXPECT_EQ(all[0], all[1]);
  EXPECT_EQ(all[0], all[2]);
}

TEST(SkinFit, RefusesSizesThatDoNotFit) {
  Tube made = tube(4, 10, false);
  made.sequence.shapes.pop_back();
  const auto fit = SkinFit::build(made.sequence, made.weights);
  ASSERT_FALSE(fit.ok());
  EXPECT_EQ(fit.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace sinew
