// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/tangent_keys.h"

#include <gtest/gtest.h>

#include "deform/key_samples.h"

namespace sinew {
namespace {

Rig bumpy() {
  Rig rig = test::keyed_rig(test::random_blob(7));
  test::add_key(rig, "out", [](const Vec3& p) { return Vec3(1.3 * p + Vec3(0.1, 0, p.x())); });
  test::add_key(rig, "up", [](const Vec3& p) { return Vec3(p + Vec3(0, 0, 0.2)); });
  return rig;
}

TEST(TangentKeys, OnTheRestShapeAreObjectSpaceKeys) {
  const Rig rig = bumpy();
  const auto out =
      test::run_step(build_tangent_keys(rig), test::as_floats(rig.mesh.positions), std::vector{0.4, -1.0});
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Vec3f wanted =
        rig.mesh.positions[i].cast<float>() + 0.4f * rig.keys[0].deltas[i] - rig.keys[1].deltas[i];
    EXPECT_LT((out[i] - wanted).norm(), 2e-6f);
  }
}

TEST(TangentKeys, RotatingTheBaseRotatesTheResult) {
  const Rig rig = bumpy();
  const Affine3 whole = Eigen::Translation3d(3, 1, -2) * Eigen::AngleAxisd(2.2, Vec3(1, 1, 3).normalized());
  const auto step = build_tangent_keys(rig);
  ASSERT_TRUE(step.ok());
  const std::vector<double> weights{0.8, 0.5};
  const auto rest = test::as_floats(rig.mesh.positions);
  const auto base = test::mapped(rig.mesh.positions, [&](const Vec3& p) { return Vec3(whole * p); });
  const auto still = test::run_step(**step, rest, weights), moved = test::run_step(**step, base, weights);
  for (std::size_t i = 0; i < still.size(); ++i)
    EXPECT_LT((moved[i].cast<double>() - whole * still[i].cast<double>()).norm(), 1e-5);
}

TEST(TangentKeys, WithoutFacesDeltasAreAddedAsTheyAre) {
  PolyMesh mesh;
  mesh.positions = {Vec3(1, 2, 3)};
  Rig rig = test::keyed_rig(mesh);
  test::add_key(rig, "up", [](const Vec3& p) { return Vec3(p + Vec3(0, 1, 0)); });
  const auto out = test::run_step(build_tangent_keys(rig), std::vector{Vec3f(5, 5, 5)}, std::vector{2.0});
  EXPECT_EQ(out[0], Vec3f(5, 7, 5));
}

}  // namespace
}  // namespace sinew
