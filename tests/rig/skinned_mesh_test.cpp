// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/skinned_mesh.h"

#include <gtest/gtest.h>

#include "support/shapes.h"

namespace sinew {
namespace {

// A box on one joint that is turned, scaled and moved, with a key: the closed form is one affine map.
TEST(SkinnedMesh, IsTheSumOfTheRigsDefinition) {
  Rig rig;
  rig.mesh = test::box(Vec3(-1, -1, -1), Vec3(1, 2, 3));
  Joint joint;
  joint.rest_local = Eigen::Translation3d(1, 2, 3) * Eigen::AngleAxisd(0.7, Vec3(1, 2, 2).normalized()) *
                     Eigen::Scaling(2.0, 0.5, 1.5);
  rig.skeleton = *Skeleton::create({joint});
  const Affine3 bind(Eigen::Translation3d(0.5, 0, 0));
  rig.inverse_bind = {bind.inverse()};
  const Influence row[] = {{0, 1.0}};
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) rig.weights.add_row(row);
  rig.keys.push_back({"k", std::vector<Vec3f>(rig.mesh.vertex_count(), Vec3f(0, 0.25f, 0)), {}, 0.5});
  const PolyMesh mesh = skinned_mesh(rig, rest_pose(rig.skeleton));
  const Affine3 map = joint.rest_local * bind.inverse();
  const std::vector<Vec3f> normals = normals_of(rig.mesh);
  for (std::size_t i = 0; i < mesh.vertex_count(); ++i) {
    EXPECT_LT((mesh.positions[i] - map * (rig.mesh.positions[i] + Vec3(0, 0.125, 0))).norm(), 1e-12);
    const Vec3 normal = (map.linear().inverse().transpose() * normals[i].cast<double>()).normalized();
    EXPECT_LT((mesh.normals[i].cast<double>() - normal).norm(), 1e-6);
  }
}

TEST(SkinnedMesh, WithoutJointsAndKeysIsTheMeshItself) {
  Rig rig;
  rig.mesh = test::box(Vec3::Zero(), Vec3(1e-9, 1, 1e9));
  EXPECT_EQ(skinned_mesh(rig, {}).positions, rig.mesh.positions);
}

}  // namespace
}  // namespace sinew
