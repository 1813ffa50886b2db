// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/arap_rig.h"

#include <gtest/gtest.h>

#include "deform/rig_samples.h"
#include "sinew/deform/dqs.h"
#include "sinew/deform/lbs.h"
#include "support/shapes.h"

namespace sinew {
namespace {

// A tube along x, its halves rigid and half a unit around the middle blended.
test::Sample bent_tube() {
  test::Sample sample;
  const PolyMesh mesh = test::capped_cylinder(0.4, 4, 16, 33);
  sample.rig.skeleton = test::chain(2, Vec3(2, 0, 0));
  sample.rig.mesh = mesh;
  sample.rig.mesh.positions.clear();
  for (const Vec3& p : mesh.positions) {
    const double t = std::clamp((p.x() - 1.5) / 1.0, 0.0, 1.0);
    std::vector<Influence> row;
    if (t < 1) row.push_back({0, 1 - t});
    if (t > 0) row.push_back({1, t});
    test::add_vertex(sample, p, Vec3(0, p.y(), p.z()) + Vec3(1e-9, 0, 0), row);
  }
  test::bind(sample);
  return sample;
}

TEST(ArapRig, RestIsTheIdentity) {
  const test::Sample sample = bent_tube();
  const test::Output out = test::run(build_arap(sample.rig), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    EXPECT_LT((out.positions[i] - sample.positions[i]).norm(), 1e-5f);
    EXPECT_LT((out.normals[i] - sample.normals[i]).norm(), 1e-4f);
  }
}

// A twisted tube over dual quaternions holds what they made: linear blending is thinner where joints are
// shared.
TEST(ArapRig, HoldsTheShapeOfAnyDeformer) {
  test::Sample sample = bent_tube();
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[1].rotate(Eigen::AngleAxisd(2.5, Vec3::UnitX()));
  test::set_pose(sample, local);
  const test::Output dual = test::run(build_dqs(sample.rig), sample);
  ArapRigOptions options;
  const std::uint32_t middle = 500;
  options.targets = {{middle, dual.positions[middle].cast<double>()}};
  // Handles that pull at nothing leave the inner deformer's shape as it is.
  const test::Output out = test::run(build_arap(sample.rig, options, *build_dqs(sample.rig)), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i)
    EXPECT_LT((out.positions[i] - dual.positions[i]).norm(), 1e-4f) << i;
}

TEST(ArapRig, BonesStayRigidAndTheBendHasLessEnergyThanLinearBlending) {
  test::Sample sample = bent_tube();
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[1].rotate(Eigen::AngleAxisd(1.5, Vec3::UnitZ()));
  test::set_pose(sample, local);
  const test::Output out = test::run(build_arap(sample.rig), sample);
  const test::Output linear = test::run(build_lbs(sample.rig), sample);
  const TriangleView view = triangulate(sample.rig.mesh);
  const std::vector<std::uint32_t> any{0};
  const auto judge = ArapSolver::build({sample.rig.mesh.positions, view.triangles}, any);
  const auto energy = [&](const test::Output& shape) {
    std::vector<Vec3> positions;
    for (const Vec3f& p : shape.positions) positions.push_back(p.cast<double>());
    ArapState state = judge->make_state();
    judge->start_from(positions, state);
    return judge->energy(state);
  };
  EXPECT_LT(energy(out), 0.7 * energy(linear));
  for (std::size_t i = 0; i < out.positions.size(); ++i)
    if (sample.rig.mesh.positions[i].x() < 1.4 || sample.rig.mesh.positions[i].x() > 2.6) {
      EXPECT_LT((out.positions[i] - linear.positions[i]).norm(), 1e-5f);
    }
}

TEST(ArapRig, TargetsPullAtThePosedMesh) {
  test::Sample sample = bent_tube();
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[0] = Eigen::Translation3d(0, 5, 0) * local[0];
  test::set_pose(sample, local);
  ArapRigOptions options;
  for (std::uint32_t i = 0; i < sample.positions.size(); i += 9)
    options.targets.push_back({i, sample.rig.mesh.positions[i] + Vec3(0, 5, 0)});
  const test::Output still = test::run(build_arap(sample.rig, options), sample);
  for (std::size_t i = 0; i < still.positions.size(); ++i)
    EXPECT_LT((still.positions[i] - sample.positions[i] - Vec3f(0, 5, 0)).norm(), 1e-5f);
  options.targets.back().position += Vec3(0, 0, 0.5);
  const test::Output pulled = test::run(build_arap(sample.rig, options), sample);
  EXPECT_LT((pulled.positions[options.targets.back().vertex].cast<double>() - options.targets.back().position)
                .norm(),
            1e-6);
}

TEST(ArapRig, EqualPosesGiveEqualShapesWhateverCameBefore) {
  test::Sample sample = bent_tube();
  const auto deformer = build_arap(sample.rig);
  const auto workspace = (*deformer)->make_workspace();
  std::vector<Vec3f> first(sample.positions.size()), again = first, normals = first;
  (*deformer)->deform(sample.input(), *workspace, first, normals);
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[1].rotate(Eigen::AngleAxisd(1.0, Vec3::UnitZ()));
  test::Sample bent = sample;
  test::set_pose(bent, local);
  (*deformer)->deform(bent.input(), *workspace, again, normals);
  (*deformer)->deform(sample.input(), *workspace, again, normals);
  EXPECT_EQ(first, again);
}

TEST(ArapRig, SaysWhatIsWrong) {
  test::Sample sample = bent_tube();
  ArapRigOptions options;
  options.targets = {{5, Vec3::Zero()}, {5, Vec3::Ones()}};
  EXPECT_EQ(build_arap(sample.rig, options).error().code, ErrorCode::kUsage);
  options.targets = {{100000, Vec3::Zero()}};
  EXPECT_EQ(build_arap(sample.rig, options).error().code, ErrorCode::kUsage);
  options = {};
  options.iterations = 0;
  EXPECT_EQ(build_arap(sample.rig, options).error().code, ErrorCode::kUsage);
  Rig bare;
  bare.mesh = sample.rig.mesh;
  EXPECT_EQ(build_arap(bare).error().code, ErrorCode::kImpossible);
}

}  // namespace
}  // namespace sinew
