// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/vertex_ik.h"

#include <gtest/gtest.h>

#include "sinew/io/asset.h"
#include "sinew/rig/skinned_mesh.h"
#include "support/data.h"

namespace sinew {
namespace {

double rig_extent(const Rig& rig) {
  return bounding_box(rig.mesh.positions).diagonal().norm();
}

// Every n-th vertex where another pose has it.
std::vector<VertexTarget> targets_of(const Rig& rig, const Pose& pose, std::size_t n) {
  const PolyMesh mesh = skinned_mesh(rig, pose);
  std::vector<VertexTarget> targets;
  for (std::size_t i = 0; i < mesh.vertex_count(); i += n)
    if (!rig.weights.row(i).empty()) targets.push_back({static_cast<std::uint32_t>(i), mesh.positions[i]});
  return targets;
}

Pose bent(const Rig& rig, double radians) {
  Pose pose = rest_pose(rig.skeleton);
  for (std::size_t j = 0; j < pose.local.size(); ++j)
    if (rig.skeleton[j].parent >= 0 && rig.skeleton[j].deforms)
      pose.local[j] =
          pose.local[j] * Eigen::AngleAxisd(radians * static_cast<double>(j % 3 + 1) / 3, Vec3(1, 2, -2) / 3);
  return pose;
}

TEST(VertexIk, FindsAPoseThatPutsVerticesWhereAnotherPoseHasThem) {
  SINEW_REQUIRE_DATA(data);
  for (const char* name : {"CesiumMan.glb", "Fox.glb", "RiggedFigure.glb"}) {
    const auto asset = read_asset((data / "rigged_gltf" / name).string());
    ASSERT_TRUE(asset.ok()) << name;
    const Rig& rig = asset->rig;
    const std::vector<VertexTarget> targets = targets_of(rig, bent(rig, 0.4), rig.mesh.vertex_count() / 40);
    const Pose rest = rest_pose(rig.skeleton);
    const auto found = pose_by_vertices(rig, rest, targets);
    ASSERT_TRUE(found.ok()) << name << found.error().message;
    EXPECT_LT(found->distance, 2e-5 * rig_extent(rig)) << name << " after " << found->steps;
    const PolyMesh mesh = skinned_mesh(rig, found->pose);
    for (const VertexTarget& target : targets)
      EXPECT_LT((mesh.positions[target.vertex] - target.position).norm(), 2.1e-5 * rig_extent(rig)) << name;
    for (std::size_t j = 0; j < rest.local.size(); ++j) {
      EXPECT_EQ(found->pose.local[j].translation(), rest.local[j].translation()) << "joints only turn";
      if (rig.skeleton[j].parent < 0) {
        EXPECT_TRUE(found->pose.local[j].isApprox(rest.local[j], 0)) << "a root stays";
      }
    }
  }
}

TEST(VertexIk, StaysWhereEverythingIsInPlace) {
  SINEW_REQUIRE_DATA(data);
  const auto asset = read_asset((data / "rigged_gltf" / "Fox.glb").string());
  ASSERT_TRUE(asset.ok());
  const Pose pose = bent(asset->rig, 0.2);
  const auto found = pose_by_vertices(asset->rig, pose, targets_of(asset->rig, pose, 30));
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->steps, 0);
  for (std::size_t j = 0; j < pose.local.size(); ++j)
    EXPECT_EQ(found->pose.local[j].matrix(), pose.local[j].matrix());
}

TEST(VertexIk, ComesAsNearAsTheJointsReach) {
  // One bone of length 1 along x that hangs on a root: its end goes round on a circle.
  Rig rig;
  rig.mesh.positions = {Vec3(2, 0, 0), Vec3(1, 0, 0)};
  std::vector<Joint> joints(2);
  joints[0].name = "root";
  joints[1].name = "bone";
  joints[1].parent = 0;
  joints[1].rest_local = Affine3(Eigen::Translation3d(1, 0, 0));
  rig.skeleton = *Skeleton::create(joints);
  rig.inverse_bind = {Affine3::Identity(), Affine3(Eigen::Translation3d(-1, 0, 0))};
  for (int i = 0; i < 2; ++i) rig.weights.add_row(std::vector<Influence>{{1, 1.0}});
  const Pose rest = rest_pose(rig.skeleton);
  const auto found = pose_by_vertices(rig, rest, std::vector<VertexTarget>{{0, Vec3(1, 3, 0)}});
  ASSERT_TRUE(found.ok());
  EXPECT_NEAR(found->distance, 2, 1e-3);  // the nearest point of the circle is (1, 1, 0)
  EXPECT_LT((skinned_mesh(rig, found->pose).positions[0] - Vec3(1, 1, 0)).norm(), 2e-2);
  const auto reached = pose_by_vertices(rig, rest, std::vector<VertexTarget>{{0, Vec3(1, 0.6, 0.8)}});
  ASSERT_TRUE(reached.ok());
  EXPECT_LT(reached->distance, 1e-5);
}

TEST(VertexIk, RefusesWhatItCannotHold) {
  SINEW_REQUIRE_DATA(data);
  auto asset = read_asset((data / "rigged_gltf" / "Fox.glb").string());
  ASSERT_TRUE(asset.ok());
  Rig& rig = asset->rig;
  const Pose pose = rest_pose(rig.skeleton);
  const auto code = [&](const std::vector<VertexTarget>& targets) {
    return pose_by_vertices(rig, pose, targets).error().code;
  };
  EXPECT_EQ(code({}), ErrorCode::kUsage);
  EXPECT_EQ(code({{0xffffff, Vec3::Zero()}}), ErrorCode::kUsage);
  EXPECT_EQ(code({{0, Vec3::Constant(NAN)}}), ErrorCode::kUsage);
  EXPECT_EQ(pose_by_vertices(rig, Pose(), std::vector<VertexTarget>{{0, Vec3::Zero()}}).error().code,
            ErrorCode::kUsage);
  rig.weights = {};
  EXPECT_EQ(code({{0, Vec3::Zero()}}), ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew
