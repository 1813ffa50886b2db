// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/prune_with_falloff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/shapes.h"

namespace sinew {
namespace {

// A root with two chains of three joints: 0; 1, 2, 3; 4, 5, 6.
const std::vector<int> kParents = {-1, 0, 1, 2, 0, 4, 5};

WeldedTriangles welded(const PolyMesh& mesh) {
  const TriangleView cut = triangulate(mesh);
  return weld_triangles({mesh.positions, cut.triangles});
}

// Seven joints in a row with wide weights, as the spine of a stout body has.
SkinWeights crowded(const PolyMesh& sheet) {
  SkinWeights weights;
  weights.offsets.assign(1, 0);
  for (const Vec3& p : sheet.positions) {
    std::vector<Influence> row;
    double sum = 0;
    for (std::uint32_t j = 0; j < 7; ++j) {
      const double off = p.x() - j / 6.0;
      row.push_back({j, std::exp(-3 * off * off) * (1 + 0.2 * std::sin(5 * p.y() + j))});
      sum += row.back().weight;
    }
    for (Influence& entry : row) entry.weight /= sum;
    weights.add_row(row);
  }
  return weights;
}

double largest_step(const SkinWeights& weights, const PolyMesh& mesh) {
  const auto dense = [&](std::uint32_t v) {
    std::vector<double> row(7, 0);
    for (const Influence& entry : weights.row(v)) row[entry.joint] = entry.weight;
    return row;
  };
  double largest = 0;  // half of the sum of differences
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const auto a = dense(mesh.face(f)[0]), b = dense(mesh.face(f)[1]);
    double step = 0;
    for (std::size_t j = 0; j < 7; ++j) step += std::abs(a[j] - b[j]) / 2;
    largest = std::max(largest, step);
  }
  return largest;
}

TEST(PruneWithFalloff, RowsAreShortAndSumToOne) {
  const PolyMesh sheet = test::grid(60, 60);
  for (const int most : {1, 2, 4, 6}) {
    const Pruned pruned = prune_with_falloff(crowded(sheet), kParents, welded(sheet), most);
    ASSERT_EQ(pruned.weights.vertex_count(), sheet.vertex_count());
    EXPECT_LE(pruned.weights.max_influences(), static_cast<std::size_t>(most));
    EXPECT_LT(weight_stats(pruned.weights, 0, sheet.vertex_count()).max_row_error, 1e-12);
    EXPECT_GE(pruned.error, 0.05);
  }
}

TEST(PruneWithFalloff, StepsAreNearlyHalfAsLargeAsWhereWeightsAreCutOff) {
  const PolyMesh sheet = test::grid(60, 60);
  const std::vector<int> chain = {-1, 0, 1, 2, 3, 4, 5};
  const SkinWeights weights = crowded(sheet);
  const double plain = largest_step(prune_weights(weights, 4).weights, sheet);
  const double smooth = largest_step(prune_with_falloff(weights, chain, welded(sheet), 4).weights, sheet);
  EXPECT_GT(plain, 0.15);
  EXPECT_LT(smooth, 0.6 * plain);
}

// Root mean square over edges of how much more a vertex was changed than its neighbour.
double roughness(const SkinWeights& whole, const SkinWeights& pruned, const PolyMesh& mesh) {
  const auto change = [&](std::uint32_t v) {
    std::vector<double> row(7, 0);
    for (const Influence& entry : pruned.row(v)) row[entry.joint] += entry.weight;
    for (const Influence& entry : whole.row(v)) row[entry.joint] -= entry.weight;
    return row;
  };
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t f = 0; f < mesh.face_count(); ++f)
    for (std::size_t k = 0; k < mesh.face(f).size(); ++k, ++count) {
      const auto a = change(mesh.face(f)[k]), b = change(mesh.face(f)[(k + 1) % mesh.face(f).size()]);
      double step = 0;
      for (std::size_t j = 0; j < 7; ++j) step += std::abs(a[j] - b[j]) / 2;
      sum += step * step;
    }
  return std::sqrt(sum / static_cast<double>(count));
}

TEST(PruneWithFalloff, CoarseMeshesAreChangedNoFartherAndMoreSmoothlyThanByCutting) {
  const std::vector<int> chain = {-1, 0, 1, 2, 3, 4, 5};
  for (const int side : {3, 5, 8, 12}) {
    const PolyMesh sheet = test::grid(side, side);
    const SkinWeights weights = crowded(sheet);
    const Pruned plain = prune_weights(weights, 4),
                 smooth = prune_with_falloff(weights, chain, welded(sheet), 4);
    EXPECT_LT(roughness(weights, smooth.weights, sheet), 0.9 * roughness(weights, plain.weights, sheet))
        << side;
    EXPECT_LT(smooth.error, 1.5 * plain.error) << side;
  }
}

TEST(PruneWithFalloff, SaysWhichJointsLostHowMuch) {
  SkinWeights before, after;
  before.add_row(std::vector<Influence>{{0, 0.5}, {1, 0.3}, {2, 0.2}});
  before.add_row(std::vector<Influence>{{0, 1.6}, {2, 0.4}});  // any sum
  after.add_row(std::vector<Influence>{{0, 0.6}, {1, 0.4}});
  after.add_row(std::vector<Influence>{{0, 1.0}});
  const std::vector<JointLoss> lost = joint_losses(before, after, 3);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_EQ(lost[0].joint, 2u);
  EXPECT_NEAR(lost[0].largest, 0.2, 1e-12);
  EXPECT_EQ(lost[0].vertices, 2u);
}

TEST(PruneWithFalloff, WhatIsLostGoesToKin) {
  const PolyMesh sheet = test::grid(4, 4);
  SkinWeights weights;
  weights.offsets.assign(1, 0);
  for (std::size_t v = 0; v < sheet.vertex_count(); ++v)
    weights.add_row(std::vector<Influence>{{2, 0.4}, {5, 0.4}, {3, 0.2}});
  const Pruned pruned = prune_with_falloff(weights, kParents, welded(sheet), 2);
  for (std::size_t v = 0; v < sheet.vertex_count(); ++v) {
    ASSERT_EQ(pruned.weights.row(v).size(), 2u);
    EXPECT_EQ(pruned.weights.row(v)[0].joint, 2u);
    // Joint 3 hangs on 2, and is five bones from 5: exp(-1) to exp(-5).
    const double share = 1 / (1 + std::exp(-4.0));
    EXPECT_NEAR(pruned.weights.row(v)[0].weight, 0.4 + 0.2 * share, 1e-9);
  }
}

TEST(PruneWithFalloff, LittleIsCutOffPlainly) {
  const PolyMesh sheet = test::grid(4, 4);
  SkinWeights weights;
  weights.offsets.assign(1, 0);
  for (std::size_t v = 0; v < sheet.vertex_count(); ++v)
    weights.add_row(std::vector<Influence>{{2, 0.5}, {5, 0.46}, {3, 0.04}});
  const Pruned pruned = prune_with_falloff(weights, kParents, welded(sheet), 2),
               plain = prune_weights(weights, 2);
  EXPECT_EQ(pruned.error, plain.error);
  for (std::size_t k = 0; k < plain.weights.entries.size(); ++k) {
    EXPECT_EQ(pruned.weights.entries[k].joint, plain.weights.entries[k].joint);
    EXPECT_EQ(pruned.weights.entries[k].weight, plain.weights.entries[k].weight);
  }
}

TEST(PruneWithFalloff, EmptyRowsStayEmpty) {
  const PolyMesh sheet = test::grid(2, 2);
  SkinWeights weights;
  weights.offsets.assign(1, 0);
  for (std::size_t v = 0; v < sheet.vertex_count(); ++v)
    weights.add_row(v == 0 ? std::vector<Influence>{} : std::vector<Influence>{{1, 0.3}, {2, 0.3}, {3, 0.4}});
  const Pruned pruned = prune_with_falloff(weights, kParents, welded(sheet), 2);
  EXPECT_EQ(pruned.weights.vertex_count(), sheet.vertex_count());
  EXPECT_LT(weight_stats(pruned.weights, 1, sheet.vertex_count()).max_row_error, 1e-12);
}

}  // namespace
}  // namespace sinew
