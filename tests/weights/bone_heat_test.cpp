// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/bone_heat.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "bone_problem.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/laplacian.h"
#include "sinew/weights/harmonic.h"

namespace sinew {
namespace {

using test::BoneProblem;

BoneWeights heat(const BoneProblem& problem, HeatSource source = HeatSource::kNearest) {
  auto weights = bone_heat_weights(problem.input(), {.source = source});
  EXPECT_TRUE(weights.ok());
  return *std::move(weights);
}

TEST(BoneHeat, RowsArePartitionsOfUnityOnEveryShape) {
  for (const auto& shape : test::all_shapes())
    for (const HeatSource source : {HeatSource::kNearest, HeatSource::kVisible, HeatSource::kBlender}) {
      const BoneProblem problem(shape.mesh, {{0, Vec3(0.1, 0.2, 0.3), Vec3(0.5, 0.4, 0.3)},
                                             {1, Vec3(0.5, 0.4, 0.3), Vec3(2, 1, 0)}});
      EXPECT_LT(test::partition_error(heat(problem, source)), 1e-9) << shape.name;
    }
}

// The whole method again, dense and without any of its code: distances, rays, matrix, solve.
TEST(BoneHeat, SolvesTheDocumentedSystem) {
  const BoneProblem problem = test::two_bone_bar(9);
  const auto& positions = problem.welded.weld.positions;
  const auto n = static_cast<Eigen::Index>(positions.size());
  Eigen::MatrixXd system = Eigen::MatrixXd(cotangent_stiffness(problem.welded.view()).matrix);
  const Eigen::VectorXd areas = mixed_voronoi_areas(problem.welded.view());
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(n, 2);
  for (Eigen::Index i = 0; i < n; ++i) {
    // Both bones lie on the axis of a convex bar: all of it is visible, and the nearest bone is known by x.
    const Vec3 p = positions[static_cast<std::size_t>(i)];
    const double x = std::clamp(p.x(), 0.2, 3.8), d = (p - Vec3(x, 0, 0)).norm();
    const bool tie = std::abs(p.x() - 2) < 1e-9;
    const double h = (tie ? 2 : 1) * areas[i] / (d * d);
    system(i, i) += h;
    right(i, 0) = p.x() <= 2 + 1e-9 ? h / (tie ? 2 : 1) : 0;
    right(i, 1) = p.x() >= 2 - 1e-9 ? h / (tie ? 2 : 1) : 0;
  }
  const Eigen::MatrixXd expected = system.fullPivLu().solve(right);
  EXPECT_LT((heat(problem).values - expected).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(BoneHeat, IsInvariantToMotionScaleAndFaceOrientation) {
  const PolyMesh mesh = test::random_blob(3);
  const std::vector<Bone> bones = {{0, Vec3(-0.5, 0, 0), Vec3(0, 0.1, 0)},
                                   {1, Vec3(0, 0.1, 0), Vec3(0.5, 0, 0.2)}};
  const BoneWeights expected = heat({mesh, bones});
  for (const double scale : {1e-6, 1.0, 1e6}) {
    Affine3 motion = Affine3::Identity();
    motion.translate(Vec3(3, -2, 5) * scale)
        .rotate(Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized()))
        .scale(scale);
    const BoneWeights moved = heat({test::transformed(mesh, motion), test::transformed_bones(bones, motion)});
    EXPECT_LT((moved.values - expected.values).cwiseAbs().maxCoeff(), 1e-6) << scale;
  }
  EXPECT_LT((heat({test::flipped(mesh), bones}).values - expected.values).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_GT((heat({test::flipped(mesh), bones}, HeatSource::kBlender).values -
             heat({mesh, bones}, HeatSource::kBlender).values)
                .cwiseAbs()
                .maxCoeff(),
            1e-3);
}

TEST(BoneHeat, AHandBesideAThighDoesNotSeeItsBone) {
  const BoneProblem problem(test::hand_near_thigh(0.05), {});
  // Capsules of radius 0.5 and 0.1 side by side: a bone in each.
  Box3 box;
  for (const Vec3& p : problem.welded.weld.positions) box.extend(p);
  const double thigh = box.min().x() + 0.5, hand = box.max().x() - 0.1, low = box.min().y() + 0.6,
               high = box.max().y() - 0.6;
  const std::vector<Bone> bones = {{0, Vec3(thigh, low, 0), Vec3(thigh, high, 0)},
                                   {1, Vec3(hand, low, 0), Vec3(hand, high, 0)}};
  auto weights = bone_heat_weights({problem.welded.view(), bones}, {.source = HeatSource::kVisible});
  ASSERT_TRUE(weights.ok());
  for (Eigen::Index i = 0; i < weights->values.rows(); ++i)
    if (problem.welded.weld.positions[static_cast<std::size_t>(i)].x() > hand - 0.11) {
      EXPECT_LT(weights->values(i, 0), 1e-9);
    }
}

TEST(BoneHeat, AnIslandThatSeesNoBoneIsLeftUnbound) {
  // A small sphere around nothing, behind the wall of a larger one that holds the bone.
  const BoneProblem problem(
      test::joined({test::uv_sphere(Vec3::Zero(), 1), test::uv_sphere(Vec3(3, 0, 0), 0.5)}),
      {{0, Vec3(-0.5, 0, 0), Vec3(0.5, 0, 0)}});
  const BoneWeights weights = heat(problem);
  for (std::size_t i = 0; i < problem.welded.weld.positions.size(); ++i)
    EXPECT_EQ(weights.bound[i] != 0, problem.welded.weld.positions[i].x() < 2) << i;
}

TEST(BoneHeat, TheSameBitsForAnyNumberOfThreads) {
  const BoneProblem problem = test::two_bone_bar();
  set_thread_count(1);
  const BoneWeights one = heat(problem);
  set_thread_count(2);
  const BoneWeights two = heat(problem);
  set_thread_count(0);
  EXPECT_TRUE((one.values.array() == two.values.array()).all());
}

TEST(Harmonic, WeightsFallLinearlyAlongABar) {
  const BoneProblem problem = test::two_bone_bar(41);
  auto weights = harmonic_weights(problem.input(), {.margin = 0.25});
  ASSERT_TRUE(weights.ok());
  // Held up to 0.25 of each bone from the joint: between those rings the surface is a flat strip.
  const std::vector<int> anchors = harmonic_anchors(problem.input(), {.margin = 0.25});
  double from = 0, to = 4;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const double x = problem.welded.weld.positions[i].x();
    if (anchors[i] == 0) from = std::max(from, x);
    if (anchors[i] == 1) to = std::min(to, x);
  }
  ASSERT_LT(from, to);
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const double x = problem.welded.weld.positions[i].x();
    EXPECT_NEAR(weights->values(static_cast<Eigen::Index>(i), 1),
                std::clamp((x - from) / (to - from), 0.0, 1.0), 1e-6)
        << x;
  }
}

TEST(Harmonic, ObeysTheMaximumPrincipleWhereCotangentsArePositive) {
  const BoneProblem problem = test::two_bone_bar(41);
  auto weights = harmonic_weights(problem.input());
  ASSERT_TRUE(weights.ok());
  EXPECT_EQ(weights->clamped, 0u);
  EXPECT_LT(test::partition_error(*weights), 1e-9);
}

}  // namespace
}  // namespace sinew
