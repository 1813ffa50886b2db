// SPDX-License-Identifier: Apache-2.0
#include "sinew/weights/deformer_weights.h"

#include <gtest/gtest.h>

#include "bone_problem.h"
#include "volume/grids.h"

namespace sinew {
namespace {

// Joints at the given heads, each below the one named; the first without children ends at `tail`.
struct Chain {
  Skeleton skeleton;
  std::vector<Bone> bones;
};
Chain make_chain(const std::vector<Vec3>& heads, const std::vector<int>& parents,
                 const std::vector<bool>& deforms = {}) {
  std::vector<Joint> joints;
  for (std::size_t j = 0; j < heads.size(); ++j) {
    Joint joint;
    joint.name = "j" + std::to_string(j);
    joint.parent = parents[j];
    const Vec3 above = parents[j] < 0 ? Vec3::Zero() : heads[static_cast<std::size_t>(parents[j])];
    joint.rest_local = Affine3(Eigen::Translation3d(heads[j] - above));
    joint.deforms = deforms.empty() || deforms[j];
    joints.push_back(joint);
  }
  Chain chain;
  auto skeleton = Skeleton::create(std::move(joints));
  EXPECT_TRUE(skeleton.ok());
  chain.skeleton = *std::move(skeleton);
  std::vector<Affine3> globals;
  for (const Vec3& head : heads) globals.push_back(Affine3(Eigen::Translation3d(head)));
  chain.bones = bones_of(chain.skeleton, globals);
  return chain;
}

// A closed bar along x from 0 to 4 with three joints.
struct Bar {
  Chain chain = make_chain({Vec3(0.2, 0, 0), Vec3(1.5, 0, 0), Vec3(2.8, 0, 0)}, {-1, 0, 1});
  test::BoneProblem problem{test::capped_cylinder(0.5, 4, 16, 33), chain.bones};
};

TEST(DeformerWeights, RowsSumToOneOnGridAndSurface) {
  const Bar bar;
  const auto d = deformer_weights(bar.problem.input(), bar.chain.skeleton, {.voxels = 32});
  ASSERT_TRUE(d.ok());
  EXPECT_LT((d->on_grid.values.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  EXPECT_GE(d->on_grid.values.minCoeff(), 0);
  EXPECT_LT(test::partition_error(d->weights), 1e-12);
  for (const std::uint8_t bound : d->weights.bound) EXPECT_TRUE(bound);
  EXPECT_TRUE(d->on_grid.merged.empty());
  EXPECT_EQ(d->on_grid.outside, 0u);
  EXPECT_EQ(d->on_grid.filled, 0u);
}

TEST(DeformerWeights, OnABoneOnlyItsEndsCount) {
  const Bar bar;
  const auto d = deformer_weights(bar.problem.input(), bar.chain.skeleton, {.voxels = 32});
  ASSERT_TRUE(d.ok());
  // The root moves everything and takes no part; the leaf's only end is its own joint.
  const std::vector<std::vector<int>> others{{0, 2}, {0}, {0, 1}};
  std::vector<int> seen(3, 0);
  for (std::uint32_t v = 0; v < d->grid.vertex_count(); ++v) {
    const int bone = d->on_grid.bone_of_vertex[v];
    if (bone < 0) continue;
    ++seen[static_cast<std::size_t>(bone)];
    for (const int j : others[static_cast<std::size_t>(bone)]) EXPECT_EQ(d->on_grid.values(v, j), 0);
  }
  for (const int count : seen) EXPECT_GT(count, 8);
}

TEST(DeformerWeights, AJointHasItsOwnWeightWhole) {
  const Bar bar;
  const auto d = deformer_weights(bar.problem.input(), bar.chain.skeleton, {.voxels = 32});
  ASSERT_TRUE(d.ok());
  std::vector<Vec3> joints;
  for (const Bone& bone : bar.chain.bones) joints.push_back(bone.head);
  const Eigen::MatrixXd there = interpolate(trilinear_weights(d->grid, joints), d->on_grid.values);
  EXPECT_LT((there.bottomRows(2) - Eigen::MatrixXd::Identity(3, 3).bottomRows(2)).cwiseAbs().maxCoeff(),
            1e-9);
  EXPECT_NEAR(there(0, 1), 1, 1e-9);  // the root's place belongs to the joint that ends its bone
}

TEST(DeformerWeights, TheTransferReproducesLinearFunctions) {
  const Bar bar;
  const auto d = deformer_weights(bar.problem.input(), bar.chain.skeleton, {.voxels = 32});
  ASSERT_TRUE(d.ok());
  Eigen::MatrixXd positions(static_cast<Eigen::Index>(d->grid.vertex_count()), 3);
  for (std::uint32_t v = 0; v < d->grid.vertex_count(); ++v)
    positions.row(v) = d->grid.vertex_position(v).transpose();
  const Eigen::MatrixXd carried = interpolate(d->transfer, positions);
  for (std::size_t i = 0; i < bar.problem.welded.weld.positions.size(); ++i)
    EXPECT_LT(
        (carried.row(static_cast<Eigen::Index>(i)).transpose() - bar.problem.welded.weld.positions[i]).norm(),
        1e-12);
}

TEST(DeformerWeights, EndsPassOverJointsThatDoNotDeform) {
  // 0 carries 1 and, through 3 which does not deform, 2.
  const Chain chain = make_chain({Vec3(0, 0, 0), Vec3(1, 1, 0), Vec3(1, -1, 0), Vec3(0.5, 0, 0)},
                                 {-1, 0, 3, 0}, {true, true, true, false});
  const BoneEnds ends = bone_ends(chain.skeleton, chain.bones);
  ASSERT_EQ(ends.of_bone.size(), 3u);
  EXPECT_EQ(ends.of_bone[0], (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(ends.of_bone[1], (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(ends.of_bone[2], (std::vector<std::uint32_t>{2}));
}

TEST(DeformerWeights, TwoJointsInOneVoxelAreReportedAndBothKeepAPlace) {
  const VoxelGrid grid = test::make_grid(Vec3i(12, 3, 3));
  const Chain chain = make_chain(
      {Vec3(0.5, 1.5, 1.5), Vec3(4.3, 1.5, 1.5), Vec3(4.6, 1.5, 1.5), Vec3(9.5, 1.5, 1.5)}, {-1, 0, 1, 2});
  const auto d = grid_deformer_weights(grid, chain.skeleton, chain.bones);
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->merged, (std::vector<std::size_t>{1, 2}));
  EXPECT_LT((d->values.rowwise().sum().array() - 1).abs().maxCoeff(), 1e-12);
  for (int j = 1; j < 4; ++j) EXPECT_GT(d->values.col(j).maxCoeff(), 0.99) << j;
}

TEST(DeformerWeights, APartWithoutAJointFollowsTheNearestOne) {
  const VoxelGrid grid =
      test::make_grid(Vec3i(14, 2, 2), 1, [](const Vec3i& c) { return c.x() < 9 || c.x() > 10; });
  const Chain chain = make_chain({Vec3(1.5, 1, 1), Vec3(6.5, 1, 1)}, {-1, 0});
  const auto d = grid_deformer_weights(grid, chain.skeleton, std::span(chain.bones));
  ASSERT_TRUE(d.ok());
  EXPECT_EQ(d->filled, 4u * 9u);  // 3 cells by 2 by 2
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v)
    if (grid.vertices()[v].x() > 10) {
      EXPECT_EQ(d->values(v, 1), 1);
    }
}

// Bounded biharmonic weights have small lobes far from their handles. A joint whose bones have no say at a
// place must have none either, or a large motion of it is felt there.
TEST(DeformerWeights, JointsHaveNoShareWhereTheirBonesHaveNoSay) {
  std::vector<Vec3> places;
  std::vector<int> parents;
  for (int k = 0; k < 6; ++k) {
    places.push_back(Vec3(1 + 5 * k, 2, 2));
    parents.push_back(k - 1);
  }
  const Chain chain = make_chain(places, parents);
  const VoxelGrid grid = test::make_grid(Vec3i(32, 4, 4));
  const auto d = grid_deformer_weights(grid, chain.skeleton, chain.bones);
  ASSERT_TRUE(d.ok());
  for (std::uint32_t v = 0; v < grid.vertex_count(); ++v)
    for (int j = 1; j < 6; ++j)
      if (std::abs(grid.vertex_position(v).x() - places[static_cast<std::size_t>(j)].x()) > 11) {
        EXPECT_LT(d->values(v, j), 1e-4) << j << " at " << grid.vertex_position(v).transpose();
      }
}

}  // namespace
}  // namespace sinew
