// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/geodesic.h"

#include <gtest/gtest.h>

#include "bone_problem.h"
#include "sinew/core/parallel.h"

namespace sinew {
namespace {

using test::BoneProblem;

GeodesicWeights weights_of(const BindInput& input, const GeodesicOptions& options) {
  auto weights = geodesic_weights(input, options);
  EXPECT_TRUE(weights.ok()) << weights.error().message;
  return weights.ok() ? *std::move(weights) : GeodesicWeights();
}

// A long limb with a side arm and many short bones: most of them are far from most of it.
BoneProblem many_bones() {
  const PolyMesh mesh =
      test::joined({test::capsule({0, 0, 0}, {8, 0, 0}, 0.3), test::capsule({4, 0, 0}, {4, 3, 0}, 0.25)});
  std::vector<Bone> bones;
  for (std::size_t j = 0; j < 8; ++j)
    bones.push_back({j, Vec3(static_cast<double>(j), 0, 0), Vec3(static_cast<double>(j) + 1, 0, 0)});
  for (std::size_t j = 0; j < 3; ++j)
    bones.push_back({8 + j, Vec3(4, static_cast<double>(j), 0), Vec3(4, static_cast<double>(j) + 1, 0)});
  return {mesh, bones};
}

TEST(GeodesicWeights, RowsArePartitionsOfUnityOnEveryShape) {
  for (const auto& shape : test::all_shapes()) {
    const Box3 box = bounding_box(shape.mesh.positions);
    const BoneProblem problem(shape.mesh, {{0, box.min(), box.center()}, {1, box.center(), box.max()}});
    const GeodesicWeights result = weights_of(problem.input(), {.voxels = 16});
    EXPECT_LT(test::partition_error(result.weights), 1e-12) << shape.name;
  }
}

TEST(GeodesicWeights, FollowTheFormulaInAStraightLimb) {
  const BoneProblem problem = test::two_bone_bar();
  const GeodesicWeights result = weights_of(problem.input(), {.voxels = 64});
  for (std::size_t i = 0; i < problem.welded.weld.positions.size(); ++i) {
    const Vec3& p = problem.welded.weld.positions[i];
    if (p.x() > 2 || p.x() < 0.2) continue;
    // The straight line from a convex bar's surface to either bone lies inside.
    const double near = std::hypot(p.y(), p.z()), far = (p - Vec3(2, 0, 0)).norm();
    const double ratio = std::pow(near / far, 4), share = ratio / (1 + ratio);
    EXPECT_NEAR(result.weights.values(static_cast<Eigen::Index>(i), 1), share < 0.01 ? 0 : share, 0.06);
  }
}

TEST(GeodesicWeights, StoppingTheMarchEarlyChangesNothing) {
  // Without a share that is negligible every bone marches through the whole body.
  const BoneProblem problem = many_bones();
  Eigen::MatrixXd all = weights_of(problem.input(), {.voxels = 80, .negligible = 0}).weights.values;
  for (Eigen::Index i = 0; i < all.rows(); ++i) {
    for (Eigen::Index j = 0; j < all.cols(); ++j)
      if (all(i, j) < 0.01) all(i, j) = 0;
    all.row(i) /= all.row(i).sum();
  }
  const Eigen::MatrixXd some = weights_of(problem.input(), {.voxels = 80}).weights.values;
  EXPECT_LT((all - some).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT((some.array() == 0).count(), some.size() / 2);
}

TEST(GeodesicWeights, AHandTwoVoxelsFromAThighGetsNothingFromIt) {
  const BoneProblem problem(test::hand_near_thigh(0.2),
                            {{0, Vec3(0, 0, 0), Vec3(0, 0, 3)}, {1, Vec3(0.8, 0, 1), Vec3(0.8, 0, 2)}});
  const double height = bounding_box(problem.welded.weld.positions).sizes().z();
  const int voxels = static_cast<int>(height / 0.1);
  const GeodesicWeights result = weights_of(problem.input(), {.voxels = voxels});
  for (std::size_t i = 0; i < problem.welded.weld.positions.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const bool hand = problem.welded.weld.positions[i].x() > 0.65;
    EXPECT_EQ(result.weights.values(row, hand ? 0 : 1), 0.0);
    EXPECT_EQ(result.weights.values(row, hand ? 1 : 0), 1.0);
  }
}

TEST(GeodesicWeights, TheSameBitsForAnyNumberOfThreads) {
  const BoneProblem problem = many_bones();
  set_thread_count(1);
  const GeodesicWeights one = weights_of(problem.input(), {.voxels = 48});
  set_thread_count(0);
  EXPECT_EQ(weights_of(problem.input(), {.voxels = 48}).weights.values, one.weights.values);
}

}  // namespace
}  // namespace sinew
