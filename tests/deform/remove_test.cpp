// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/remove.h"

#include <gtest/gtest.h>

#include "deform/key_samples.h"

namespace sinew {
namespace {

using test::farthest;

Vec3 centre_of(std::span<const Vec3> points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

TEST(Remove, OfASimilarityOnlyTheOtherPartIsLeft) {
  const Rig rig = test::keyed_rig(test::random_blob(1));
  const Vec3 centre = centre_of(rig.mesh.positions), to(4, 1, 2);
  const Mat3 turn = Eigen::AngleAxisd(2.5, Vec3(1, 2, 3).normalized()).toRotationMatrix();
  const auto moved =
      test::mapped(rig.mesh.positions, [&](const Vec3& p) { return Vec3(to + 1.6 * turn * (p - centre)); });
  const auto rigid =
      test::mapped(rig.mesh.positions, [&](const Vec3& p) { return Vec3(to + turn * (p - centre)); });
  const auto grown =
      test::mapped(rig.mesh.positions, [&](const Vec3& p) { return Vec3(to + 1.6 * (p - centre)); });
  EXPECT_LT(farthest(test::run_step(build_remove(rig, nullptr, Removed::kScale), moved, {}), rigid), 3e-5);
  EXPECT_LT(farthest(test::run_step(build_remove(rig, nullptr, Removed::kRotation), moved, {}), grown), 3e-5);
}

TEST(Remove, RigidMotionsHaveNoScaleToLose) {
  for (const test::NamedShape& shape : test::all_shapes()) {
    const Rig rig = test::keyed_rig(shape.mesh);
    const Affine3 whole = Eigen::Translation3d(1, 0, -2) * Eigen::AngleAxisd(1.2, Vec3(3, 1, 1).normalized());
    const auto moved = test::mapped(rig.mesh.positions, [&](const Vec3& p) { return Vec3(whole * p); });
    EXPECT_LT(farthest(test::run_step(build_remove(rig, nullptr, Removed::kScale), moved, {}), moved),
              3e-5 * (1 + bounding_box(shape.mesh.positions).diagonal().norm()))
        << shape.name;
  }
}

// A tube pinched in the middle, as a collapsed joint is: made rigid, its edges are nearly as long as before.
TEST(Remove, MakesAnyDeformationMoreRigid) {
  const Rig rig = test::keyed_rig(test::capped_cylinder(0.4, 4, 24, 41));
  const auto rest = test::as_floats(rig.mesh.positions);
  const auto pinched = test::mapped(rig.mesh.positions, [](const Vec3& p) {
    const double thin = 0.3 + 0.7 * std::min(1.0, std::abs(p.x() - 2));
    return Vec3(p.x(), thin * p.y(), thin * p.z());
  });
  const auto mended = test::run_step(build_remove(rig, nullptr, Removed::kScale), pinched, {});
  EXPECT_GT(test::edge_change(rig.mesh, rest, pinched), 0.6);
  EXPECT_LT(test::edge_change(rig.mesh, rest, mended), 0.35);
}

}  // namespace
}  // namespace sinew
