// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "bone_problem.h"
#include "sinew/weights/envelope.h"
#include "sinew/weights/inverse_distance.h"
#include "sinew/weights/prune.h"

namespace sinew {
namespace {

using test::BoneProblem;

TEST(InverseDistance, RowsArePartitionsOfUnityOnEveryShape) {
  for (const auto& shape : test::all_shapes()) {
    const BoneProblem problem(shape.mesh, {{0, Vec3::Zero(), Vec3::UnitX()},
                                           {1, Vec3::UnitX(), Vec3(2, 1, 0)},
                                           {2, Vec3(0, 5, 0), Vec3(0, 5, 0)}});
    const BoneWeights weights = inverse_distance_weights(problem.input());
    EXPECT_LT(test::partition_error(weights), 1e-12) << shape.name;
    for (const std::uint8_t bound : weights.bound) EXPECT_TRUE(bound) << shape.name;
  }
}

TEST(InverseDistance, AVertexOnSeveralBonesIsSharedEqually) {
  const BoneProblem problem(test::one_triangle(), {});
  const Vec3 p = problem.welded.weld.positions[0];
  const std::vector<Bone> bones = {
      {0, p, p + Vec3::UnitX()}, {1, p - Vec3::UnitY(), p}, {2, p + Vec3(0, 0, 3), p + Vec3(0, 0, 4)}};
  const BoneWeights weights = inverse_distance_weights({problem.welded.view(), bones});
  EXPECT_EQ(weights.values(0, 0), 0.5);
  EXPECT_EQ(weights.values(0, 1), 0.5);
  EXPECT_EQ(weights.values(0, 2), 0.0);
}

TEST(InverseDistance, FollowsTheFormula) {
  const BoneProblem problem(test::one_triangle(), {});
  const Vec3 p = problem.welded.weld.positions[0];
  const std::vector<Bone> bones = {{0, p + Vec3(0, 0, 1), p + Vec3(0, 0, 2)},
                                   {1, p - Vec3(0, 0, 3), p - Vec3(0, 0, 4)}};
  const BoneWeights weights = inverse_distance_weights({problem.welded.view(), bones}, {.power = 2});
  EXPECT_NEAR(weights.values(0, 0), 0.9, 1e-12);  // 1 : 1/9
}

TEST(InverseDistance, NeitherTinyNorHugeScalesBreakIt) {
  const BoneProblem plain = test::two_bone_bar();
  const BoneWeights expected = inverse_distance_weights(plain.input());
  for (const double scale : {1e-100, 1e-6, 1e6, 1e100}) {
    const Affine3 transform(Eigen::Scaling(scale));
    BoneProblem scaled(test::transformed(test::capped_cylinder(0.5, 4, 16, 33), transform),
                       test::transformed_bones(plain.bones, transform));
    EXPECT_LT((inverse_distance_weights(scaled.input()).values - expected.values).cwiseAbs().maxCoeff(), 1e-9)
        << scale;
  }
}

TEST(Envelope, RowsArePartitionsOfUnityOnEveryShape) {
  for (const auto& shape : test::all_shapes()) {
    const BoneProblem problem(shape.mesh,
                              {{0, Vec3::Zero(), Vec3::UnitX()}, {1, Vec3::UnitX(), Vec3(2, 1, 0)}});
    const BoneWeights weights = envelope_weights(problem.input(), {.smoothing = 2});
    EXPECT_LT(test::partition_error(weights), 1e-12) << shape.name;
    for (const std::uint8_t bound : weights.bound) EXPECT_TRUE(bound) << shape.name;
  }
}

TEST(Envelope, AVertexInOneEnvelopeBelongsToItAndOneInNoneToTheNearestBone) {
  const BoneProblem problem = test::two_bone_bar();
  const std::vector<Envelope> thin(2, Envelope{0.01, 0.01, 0.01});
  const BoneWeights outside = envelope_weights(problem.input(), {.envelopes = thin});
  const std::vector<Envelope> fitting(2, Envelope{0.55, 0.55, 0.2});
  const BoneWeights inside = envelope_weights(problem.input(), {.envelopes = fitting});
  for (std::size_t i = 0; i < problem.welded.weld.positions.size(); ++i) {
    const double x = problem.welded.weld.positions[i].x();
    const auto row = static_cast<Eigen::Index>(i);
    if (x < 1.2) {
      EXPECT_EQ(inside.values(row, 0), 1.0);
    }
    if (x > 2.8) {
      EXPECT_EQ(inside.values(row, 1), 1.0);
    }
    if (x < 1.9) {
      EXPECT_EQ(outside.values(row, 0), 1.0);
    }
  }
}

TEST(Envelope, SmoothingSpreadsAHardEdge) {
  const BoneProblem problem = test::two_bone_bar();
  const std::vector<Envelope> thin(2, Envelope{0.01, 0.01, 0.01});
  const auto largest_step = [&](const BoneWeights& weights) {
    double step = 0;
    for (const Triangle& t : problem.welded.triangles)
      for (int k = 0; k < 3; ++k)
        step = std::max(step, std::abs(weights.values(t[static_cast<std::size_t>(k)], 0) -
                                       weights.values(t[static_cast<std::size_t>((k + 1) % 3)], 0)));
    return step;
  };
  EXPECT_EQ(largest_step(envelope_weights(problem.input(), {.envelopes = thin})), 1.0);
  EXPECT_LT(largest_step(envelope_weights(problem.input(), {.envelopes = thin, .smoothing = 20})), 0.35);
}

TEST(Prune, KeepsTheLargestAndTellsWhatItCut) {
  SkinWeights weights;
  weights.offsets = {0};
  weights.add_row(std::vector<Influence>{{4, 0.1}, {2, 0.5}, {7, 0.4}});
  weights.add_row(std::vector<Influence>{{1, 1.0}});
  weights.add_row({});
  const Pruned pruned = prune_weights(weights, 2);
  EXPECT_NEAR(pruned.error, 0.1, 1e-12);
  ASSERT_EQ(pruned.weights.row(0).size(), 2u);
  EXPECT_EQ(pruned.weights.row(0)[0].joint, 2u);
  EXPECT_NEAR(pruned.weights.row(0)[0].weight, 5.0 / 9, 1e-12);
  EXPECT_NEAR(pruned.weights.row(0)[1].weight, 4.0 / 9, 1e-12);
  EXPECT_EQ(pruned.weights.row(1)[0].weight, 1.0);
  EXPECT_TRUE(pruned.weights.row(2).empty());
}

TEST(Prune, TwiceChangesNothing) {
  SkinWeights weights;
  weights.offsets = {0};
  for (int i = 0; i < 20; ++i)
    weights.add_row(
        std::vector<Influence>{{0, 0.3 + 0.01 * i}, {1, 0.3}, {2, 0.2}, {3, 0.1 - 0.004 * i}, {4, 0.1}});
  const Pruned once = prune_weights(weights, 3), twice = prune_weights(once.weights, 3);
  EXPECT_LT(twice.error, 1e-12);
  for (std::size_t k = 0; k < once.weights.entries.size(); ++k)
    EXPECT_NEAR(once.weights.entries[k].weight, twice.weights.entries[k].weight, 1e-15);
}

}  // namespace
}  // namespace sinew
