// SPDX-License-Identifier: Apache-2.0
// The tools around weights: smooth, mirror, transfer, lock.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bone_problem.h"
#include "sinew/skeleton/pose.h"
#include "sinew/weights/lock.h"
#include "sinew/weights/mirror.h"
#include "sinew/weights/smooth.h"
#include "sinew/weights/transfer.h"

namespace sinew {
namespace {

double weight_of(const SkinWeights& weights, std::size_t vertex, std::uint32_t joint) {
  for (const Influence& one : weights.row(vertex))
    if (one.joint == joint) return one.weight;
  return 0;
}

// Joint 1 takes x / width of every vertex, joint 0 the rest: linear, so that interpolation is exact.
SkinWeights ramp(std::span<const Vec3> positions, double width) {
  SkinWeights weights;
  for (const Vec3& p : positions) {
    const double second = std::clamp(p.x() / width, 0.0, 1.0);
    weights.add_row(std::array{Influence{0, 1 - second}, Influence{1, second}});
  }
  return weights;
}

void expect_whole(const SkinWeights& weights, std::size_t vertices) {
  ASSERT_EQ(weights.vertex_count(), vertices);
  const WeightStats stats = weight_stats(weights, 0, vertices);
  EXPECT_EQ(stats.unweighted, 0u);
  EXPECT_LT(stats.max_row_error, 1e-9);
  EXPECT_GE(stats.min, 0);
}

TEST(Smooth, OneRoundIsTheMeanWithTheNeighbours) {
  const PolyMesh mesh = test::one_triangle();
  const TriangleView view = triangulate(mesh);
  SkinWeights weights;
  for (std::uint32_t i = 0; i < 3; ++i) weights.add_row(std::array{Influence{i, 1.0}});
  const SkinWeights smooth =
      smooth_weights(weights, weld_triangles({mesh.positions, view.triangles}), {.rounds = 1, .amount = 0.5});
  for (std::uint32_t i = 0; i < 3; ++i)
    for (std::uint32_t j = 0; j < 3; ++j) EXPECT_NEAR(weight_of(smooth, i, j), i == j ? 0.5 : 0.25, 1e-12);
}

TEST(Smooth, KeepsSeamsClosedAndRowsWhole) {
  // Every face with corners of its own: equal places must stay equal.
  const PolyMesh mesh = test::soup(test::grid(6, 3, 6, 3));
  const TriangleView view = triangulate(mesh);
  const WeldedTriangles welded = weld_triangles({mesh.positions, view.triangles});
  const SkinWeights smooth = smooth_weights(ramp(mesh.positions, 6), welded, {.rounds = 3});
  expect_whole(smooth, mesh.vertex_count());
  std::vector<double> of_place(welded.weld.positions.size(), -1);
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i) {
    double& place = of_place[welded.weld.to_welded[i]];
    if (place >= 0) {
      EXPECT_EQ(weight_of(smooth, i, 1), place);
    }
    place = weight_of(smooth, i, 1);
  }
}

TEST(Smooth, NoRoundsChangeNothing) {
  const PolyMesh mesh = test::grid(4, 2, 4, 2);
  const TriangleView view = triangulate(mesh);
  const SkinWeights before = ramp(mesh.positions, 4);
  const SkinWeights after =
      smooth_weights(before, weld_triangles({mesh.positions, view.triangles}), {.rounds = 0});
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
    EXPECT_NEAR(weight_of(after, i, 1), weight_of(before, i, 1), 1e-12);
}

TEST(Transfer, LinearWeightsArriveExactlyOnAnotherSampling) {
  const PolyMesh source = test::grid(7, 5, 4, 2), target = test::grid(11, 3, 4, 2);
  const TriangleView view = triangulate(source);
  const std::array<int, 2> map = {1, 0};  // the target names the joints the other way round
  const auto taken =
      transfer_weights({source.positions, view.triangles}, ramp(source.positions, 4), target.positions, map);
  ASSERT_TRUE(taken.ok()) << taken.error().message;
  expect_whole(taken->weights, target.vertex_count());
  EXPECT_LT(taken->largest_distance, 1e-12);
  for (std::size_t i = 0; i < target.vertex_count(); ++i)
    EXPECT_NEAR(weight_of(taken->weights, i, 0), target.positions[i].x() / 4, 1e-9);
}

TEST(Transfer, WhatHasNoCounterpartGoesToTheOthersOrIsRefused) {
  const PolyMesh mesh = test::grid(4, 2, 4, 2);
  const TriangleView view = triangulate(mesh);
  const MeshView source{mesh.positions, view.triangles};
  SkinWeights half;
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i)
    half.add_row(std::array{Influence{0, 0.5}, Influence{1, 0.5}});
  const auto taken = transfer_weights(source, half, mesh.positions, std::array<int, 2>{0, -1});
  ASSERT_TRUE(taken.ok());
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i) EXPECT_EQ(weight_of(taken->weights, i, 0), 1.0);
  EXPECT_FALSE(transfer_weights(source, half, mesh.positions, std::array<int, 2>{-1, -1}).ok());
  EXPECT_FALSE(transfer_weights({mesh.positions, {}}, half, mesh.positions, std::array<int, 2>{0, 1}).ok());
}

TEST(Transfer, TellsHowFarTheSurfaceIs) {
  const PolyMesh source = test::grid(3, 3, 3, 3);
  const TriangleView view = triangulate(source);
  const std::array target = {Vec3(1, 1, 0.75), Vec3(1, 2, -0.25)};
  const auto taken = transfer_weights({source.positions, view.triangles}, ramp(source.positions, 3), target,
                                      std::array<int, 2>{0, 1});
  ASSERT_TRUE(taken.ok());
  EXPECT_NEAR(taken->largest_distance, 0.75, 1e-12);
}

TEST(Lock, LockedValuesStayAndTheRestKeepsItsProportions) {
  SkinWeights solved, painted;
  solved.add_row(std::array{Influence{0, 0.6}, Influence{1, 0.3}, Influence{2, 0.1}});
  painted.add_row(std::array{Influence{2, 0.5}, Influence{0, 0.5}});
  solved.add_row(std::array{Influence{0, 1.0}});
  painted.add_row(std::array{Influence{1, 0.7}, Influence{2, 0.3}});
  const std::array<std::uint8_t, 2> vertices = {0, 1};
  const std::array<std::uint8_t, 3> joints = {0, 0, 1};
  const auto locked = apply_locks(solved, painted, vertices, joints, 4);
  ASSERT_TRUE(locked.ok()) << locked.error().message;
  expect_whole(*locked, 2);
  EXPECT_EQ(weight_of(*locked, 0, 2), 0.5);
  EXPECT_NEAR(weight_of(*locked, 0, 0) / weight_of(*locked, 0, 1), 2.0, 1e-12);
  EXPECT_EQ(weight_of(*locked, 1, 1), 0.7);
  EXPECT_EQ(weight_of(*locked, 1, 2), 0.3);
}

TEST(Lock, RefusesRowsOverOneAndRestsThatNobodyTakes) {
  SkinWeights solved, over, none;
  solved.add_row(std::array{Influence{0, 1.0}});
  over.add_row(std::array{Influence{0, 0.8}, Influence{1, 0.4}});
  none.add_row(std::array{Influence{0, 0.4}, Influence{1, 0.6}});
  const std::array<std::uint8_t, 2> both = {1, 1}, first = {1, 0};
  EXPECT_EQ(apply_locks(solved, over, {}, both, 4).error().code, ErrorCode::kImpossible);
  EXPECT_EQ(apply_locks(solved, none, {}, first, 4).error().code, ErrorCode::kImpossible);
}

// Three joints across x: right, middle, left.
struct Across {
  PolyMesh mesh = test::box(Vec3(-2, -1, -1), Vec3(2, 1, 1), 8);
  TriangleView view = triangulate(mesh);
  Skeleton skeleton;
  std::vector<Affine3> globals;

  Across(const std::string& right, const std::string& left) {
    std::vector<Joint> joints(3);
    joints[0].name = right;
    joints[1].name = "Spine";
    joints[2].name = left;
    for (std::size_t j = 0; j < 3; ++j)
      joints[j].rest_local.translate(Vec3(1.5 * (static_cast<double>(j) - 1), 0, 0));
    skeleton = *Skeleton::create(joints);
    globals = global_transforms(skeleton, rest_pose(skeleton).local);
  }
  // Right of the middle all on the middle joint, left of it a ramp to the left one.
  SkinWeights lopsided() const {
    SkinWeights weights;
    for (const Vec3& p : mesh.positions) {
      const double left = std::max(0.0, p.x() / 2);
      weights.add_row(std::array{Influence{1, 1 - left}, Influence{2, left}});
    }
    return weights;
  }
};

TEST(Mirror, CopiesOneSideToTheOtherUnderTheOtherJoints) {
  for (const auto& [right, left] :
       {std::pair<std::string, std::string>{"RightArm", "LeftArm"}, {"arm.R", "arm.L"}, {"one", "two"}}) {
    const Across across(right, left);
    const auto mirrored = mirror_weights({across.mesh.positions, across.view.triangles}, across.lopsided(),
                                         across.skeleton, across.globals, {.axis = 0, .from_positive = true});
    ASSERT_TRUE(mirrored.ok()) << right << ": " << mirrored.error().message;
    expect_whole(mirrored->weights, across.mesh.vertex_count());
    EXPECT_EQ(mirrored->partner, (std::vector<int>{2, 1, 0})) << right;
    EXPECT_NEAR(mirrored->centre, 0, 1e-12);
    for (std::size_t i = 0; i < across.mesh.vertex_count(); ++i) {
      const double x = across.mesh.positions[i].x();
      EXPECT_NEAR(weight_of(mirrored->weights, i, 2), std::max(0.0, x / 2), 1e-9);
      EXPECT_NEAR(weight_of(mirrored->weights, i, 0), std::max(0.0, -x / 2), 1e-9);
    }
  }
}

}  // namespace
}  // namespace sinew
