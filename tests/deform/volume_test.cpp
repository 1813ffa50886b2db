// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/volume.h"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <atomic>

#include "deform/rig_samples.h"
#include "sinew/deform/lbs.h"
#include "support/shapes.h"

namespace sinew {
namespace {

void add_point(test::Sample& sample, const Vec3& p) {
  const double w = std::clamp((p.x() - 1.5) / 1.0, 0.0, 1.0), s = w * w * (3 - 2 * w);
  test::add_vertex(sample, p, Vec3::UnitY(), {{0, 1 - s}, {1, s}});
}

void turn_by(test::Sample& sample, double angle) {
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[1].rotate(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
  test::set_pose(sample, local);
}

// Points of a solid bar, each with three neighbours a small step away, so that the deformation's gradient can
// be measured: shares of points whose determinant is within 0.05 of 1.
double share_kept(const Result<std::unique_ptr<Deformer>>& deformer, const test::Sample& sample,
                  double step) {
  EXPECT_TRUE(deformer.ok());
  const test::Output out = test::run(**deformer, sample);
  std::size_t good = 0, all = 0;
  for (std::size_t i = 0; i < out.positions.size(); i += 4) {
    Mat3 F;
    for (Eigen::Index k = 0; k < 3; ++k)
      F.col(k) =
          (out.positions[i + 1 + static_cast<std::size_t>(k)] - out.positions[i]).cast<double>() / step;
    ++all;
    good += std::abs(F.determinant() - 1) < 0.05;
  }
  return static_cast<double>(good) / static_cast<double>(all);
}

TEST(Volume, KeepsTheVolumeOfABentBarPointByPoint) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(2, Vec3(2, 0, 0));
  const double step = 0.01;
  for (int x = 0; x < 40; ++x)
    for (int y = 0; y < 6; ++y)
      for (int z = 0; z < 6; ++z) {
        const Vec3 p(0.05 + 0.1 * x, -0.3 + 0.12 * y, -0.3 + 0.12 * z);
        add_point(sample, p);
        for (int k = 0; k < 3; ++k) add_point(sample, p + step * Vec3::Unit(k));
      }
  test::bind(sample);
  turn_by(sample, std::numbers::pi / 2);
  const double kept = share_kept(build_volume(sample.rig), sample, step);
  const double lbs = share_kept(build_lbs(sample.rig), sample, step);
  EXPECT_GE(kept, 0.99);
  EXPECT_LT(lbs, 0.95);
  EXPECT_LT(share_kept(build_volume(sample.rig, {.amount = 0}), sample, step), 0.99);
}

TEST(Volume, RestIsTheIdentityAndRigidMotionsAreKept) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(2, Vec3(2, 0, 0));
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) add_point(sample, 2 * test::random_vector(random));
  test::bind(sample);
  test::Output out = test::run(build_volume(sample.rig), sample);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_LT((out.positions[i] - sample.positions[i]).norm(), 1e-5f);
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  const Affine3 whole = Eigen::Translation3d(1, 2, 3) * Eigen::AngleAxisd(2.0, Vec3(1, 1, 0).normalized());
  local[0] = whole * local[0];
  test::set_pose(sample, local);
  out = test::run(build_volume(sample.rig), sample);
  for (std::size_t i = 0; i < 200; ++i)
    EXPECT_LT((out.positions[i].cast<double>() - whole * sample.positions[i].cast<double>()).norm(), 1e-5);
}

TEST(Volume, PointsOnABoneFollowIt) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(2, Vec3(2, 0, 0));
  for (const double x : {0.5, 1.0, 2.8, 3.5}) add_point(sample, Vec3(x, 0, 0));
  test::bind(sample);
  turn_by(sample, 1.3);
  const test::Output out = test::run(build_volume(sample.rig), sample);
  for (std::size_t i = 0; i < 4; ++i) {
    const Vec3 expected = sample.matrices[i < 2 ? 0 : 1] * sample.positions[i].cast<double>();
    EXPECT_LT((out.positions[i].cast<double>() - expected).norm(), 1e-4) << i;
  }
}

// A bent tube; its joints scaled by `scale` in the bind pose and in every other, as files in centimetres have
// them.
test::Sample scaled_tube(double scale) {
  test::Sample sample = test::tube();
  std::vector<Joint> joints(sample.rig.skeleton.joints().begin(), sample.rig.skeleton.joints().end());
  joints[0].rest_local = joints[0].rest_local * Eigen::Scaling(scale);
  joints[1].rest_local.translation() /= scale;
  sample.rig.skeleton = *Skeleton::create(std::move(joints));
  test::bind(sample);
  turn_by(sample, 1.2);
  return sample;
}

TEST(Volume, ScaleOfTheBindsChangesNothing) {
  const test::Sample plain = scaled_tube(1);
  const test::Output expected = test::run(build_volume(plain.rig), plain);
  for (const double scale : {0.01, 100.0, 5000.0}) {
    const test::Sample sample = scaled_tube(scale);
    const test::Output out = test::run(build_volume(sample.rig), sample);
    for (std::size_t i = 0; i < out.positions.size(); ++i)
      ASSERT_LT((out.positions[i] - expected.positions[i]).norm(), 1e-4f) << scale << " " << i;
  }
}

TEST(Volume, ScaleOfAJointGoesAlong) {
  test::Sample sample = test::tube();
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[1].rotate(Eigen::AngleAxisd(0.8, Vec3::UnitZ()));
  local[1].scale(Vec3(1.5, 0.7, 1.2));
  test::set_pose(sample, local);
  const test::Output out = test::run(build_volume(sample.rig), sample);
  const test::Output lbs = test::run(build_lbs(sample.rig), sample);
  std::size_t whole = 0;
  for (std::size_t i = 0; i < out.positions.size(); ++i) {
    if (sample.positions[i].x() < 3.65f) continue;  // the second joint's alone, and beyond what is smoothed
    EXPECT_LT((out.positions[i] - lbs.positions[i]).norm(), 1e-4f) << i;
    ++whole;
  }
  EXPECT_GT(whole, 50u);
}

// A twisted limb beside a body: what the joint has no share in stays, however near it is.
TEST(Volume, WhatAJointHasNoShareInStays) {
  test::Sample sample = test::tube();
  const std::size_t count = sample.positions.size();
  const PolyMesh body = test::uv_sphere(Vec3(3, 1.1, 0), 0.6, 16, 10);
  for (const Vec3& p : body.positions) test::add_vertex(sample, p, Vec3::UnitY(), {{0, 1.0}});
  for (std::size_t f = 0; f < body.face_count(); ++f) {
    std::vector<std::uint32_t> face(body.face(f).begin(), body.face(f).end());
    for (std::uint32_t& corner : face) corner += static_cast<std::uint32_t>(count);
    sample.rig.mesh.add_face(face);
  }
  test::bind(sample);
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[1].rotate(Eigen::AngleAxisd(1.5, Vec3::UnitX()));
  test::set_pose(sample, local);
  const test::Output out = test::run(build_volume(sample.rig), sample);
  for (std::size_t i = count; i < out.positions.size(); ++i)
    ASSERT_LT((out.positions[i] - sample.positions[i]).norm(), 1e-5f) << i;
}

TEST(Volume, OneJointAVertexDoesNotTear) {
  test::Sample sample = test::tube();
  sample.rig.weights = {};
  for (const Vec3f& p : sample.positions)
    sample.rig.weights.add_row(std::vector<Influence>{{p.x() < 2 ? 0u : 1u, 1.0}});
  turn_by(sample, 1.5);
  const test::Output out = test::run(build_volume(sample.rig), sample);
  const test::Output lbs = test::run(build_lbs(sample.rig), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i)
    EXPECT_LT((out.positions[i] - lbs.positions[i]).norm(), 0.4f) << i;  // the radius
}

TEST(Volume, BuildingStopsWhenToldTo) {
  const test::Sample sample = test::tube();
  std::atomic<bool> stop = true;
  Progress progress;
  progress.cancel = &stop;
  const auto stopped = build_volume(sample.rig, {.progress = &progress});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, ErrorCode::kCancelled);
  stop = false;
  EXPECT_TRUE(build_volume(sample.rig, {.progress = &progress}).ok());
}

TEST(Volume, RefusesAnAmountOutsideTheUnitInterval) {
  test::Sample sample;
  sample.rig.skeleton = test::chain(2, Vec3(2, 0, 0));
  test::bind(sample);
  EXPECT_EQ(build_volume(sample.rig, {.amount = 1.5}).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace sinew
