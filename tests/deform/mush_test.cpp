// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/mush.h"

#include <gtest/gtest.h>

#include "deform/rig_samples.h"
#include "sinew/deform/lbs.h"
#include "support/shapes.h"

namespace sinew {
namespace {

// A tube along x with a joint in the middle and no falloff between its halves.
test::Sample soft_tube() {
  test::Sample sample;
  const PolyMesh mesh = test::capped_cylinder(0.4, 4, 24, 41);
  sample.rig.skeleton = test::chain(2, Vec3(2, 0, 0));
  sample.rig.mesh = mesh;
  sample.rig.mesh.positions.clear();
  for (const Vec3& p : mesh.positions)
    test::add_vertex(sample, p, Vec3(0, p.y(), p.z()) + Vec3(1e-9, 0, 0), {{p.x() < 2 ? 0u : 1u, 1.0}});
  sample.rig.mesh.normals.clear();
  test::bind(sample);
  return sample;
}

Result<std::unique_ptr<Deformer>> mush(const Rig& rig, const MushOptions& options = {}) {
  auto inner = build_lbs(rig);
  EXPECT_TRUE(inner.ok());
  return build_mush(rig, *std::move(inner), options);
}

void turn_whole(test::Sample& sample, double angle, const Affine3& whole = Affine3::Identity()) {
  std::vector<Affine3> local = rest_pose(sample.rig.skeleton).local;
  local[0] = whole * local[0];
  local[1].rotate(Eigen::AngleAxisd(angle, Vec3::UnitZ()));
  test::set_pose(sample, local);
}

TEST(Mush, RestIsTheIdentity) {
  const test::Sample sample = soft_tube();
  const test::Output out = test::run(mush(sample.rig), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i)
    EXPECT_LT((out.positions[i] - sample.positions[i]).norm(), 2e-6f);
}

TEST(Mush, MovesRigidlyWithTheWhole) {
  test::Sample still = soft_tube(), moved = soft_tube();
  const Affine3 whole = Eigen::Translation3d(3, -2, 5) * Eigen::AngleAxisd(1.1, Vec3(1, 2, 3).normalized());
  turn_whole(still, 0.9);
  turn_whole(moved, 0.9, whole);
  const test::Output a = test::run(mush(still.rig), still), b = test::run(mush(moved.rig), moved);
  for (std::size_t i = 0; i < a.positions.size(); ++i) {
    EXPECT_LT((b.positions[i].cast<double>() - whole * a.positions[i].cast<double>()).norm(), 1e-5);
    EXPECT_LT((b.normals[i].cast<double>() - whole.linear() * a.normals[i].cast<double>()).norm(), 1e-4);
  }
}

// The longest edge over its rest length: hard weights tear the outside of a bend, mush spreads it.
TEST(Mush, SpreadsWhatHardWeightsTear) {
  test::Sample sample = soft_tube();
  turn_whole(sample, 1.2);
  const auto worst = [&](const test::Output& out) {
    double most = 0;
    for (std::size_t f = 0; f < sample.rig.mesh.face_count(); ++f) {
      const auto face = sample.rig.mesh.face(f);
      for (std::size_t k = 0; k < face.size(); ++k) {
        const std::uint32_t a = face[k], b = face[(k + 1) % face.size()];
        most = std::max(most, static_cast<double>((out.positions[a] - out.positions[b]).norm() /
                                                  (sample.positions[a] - sample.positions[b]).norm()));
      }
    }
    return most;
  };
  const double torn = worst(test::run(build_lbs(sample.rig), sample)),
               spread = worst(test::run(mush(sample.rig), sample));
  EXPECT_GT(torn, 4);
  EXPECT_LT(spread, torn / 2);
}

TEST(Mush, WithoutPassesIsTheInnerDeformer) {
  test::Sample sample = soft_tube();
  turn_whole(sample, 0.7);
  const test::Output plain = test::run(build_lbs(sample.rig), sample);
  const test::Output out = test::run(mush(sample.rig, {.passes = 0}), sample);
  for (std::size_t i = 0; i < out.positions.size(); ++i)
    EXPECT_LT((out.positions[i] - plain.positions[i]).norm(), 2e-6f);
}

TEST(Mush, GivesTheSameBitsForAnyThreadCount) {
  test::Sample sample = soft_tube();
  turn_whole(sample, 0.7);
  set_thread_count(1);
  const test::Output one = test::run(mush(sample.rig), sample);
  set_thread_count(2);
  const test::Output two = test::run(mush(sample.rig), sample);
  set_thread_count(0);
  EXPECT_TRUE(test::same_bits(one, two));
}

TEST(Mush, RefusesSenselessOptions) {
  const test::Sample sample = soft_tube();
  EXPECT_EQ(mush(sample.rig, {.passes = -1}).error().code, ErrorCode::kUsage);
  EXPECT_EQ(mush(sample.rig, {.step = 1.5}).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace sinew
