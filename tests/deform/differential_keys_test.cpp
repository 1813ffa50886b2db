// SPDX-License-Identifier: Apache-2.0
#include "sinew/deform/differential_keys.h"

#include <gtest/gtest.h>

#include "deform/key_samples.h"
#include "support/data.h"
#include "support/mesh_file.h"

namespace sinew {
namespace {

using test::add_key;
using test::as_floats;
using test::farthest;
using test::keyed_rig;
using test::mapped;
using test::run_step;

const Vec3 kAxis = Vec3(1, -2, 0.5).normalized();

double size_of(const Rig& rig) {
  return bounding_box(rig.mesh.positions).diagonal().norm();
}

Vec3 mean(std::span<const Vec3> points) {
  Vec3 sum = Vec3::Zero();
  for (const Vec3& p : points) sum += p;
  return sum / static_cast<double>(points.size());
}

std::vector<Vec3f> weighted(const Rig& rig, std::vector<double> weights, const KeyMasks& masks = {}) {
  return run_step(build_differential_keys(rig, masks), as_floats(rig.mesh.positions), weights);
}

Affine3 turned(const Rig& rig, double degrees) {
  return test::turn_about(mean(rig.mesh.positions), degrees, kAxis);
}

Vec3 bent(const Vec3& p) {
  return Eigen::AngleAxisd(0.8 * p.x(), Vec3::UnitZ()) * Vec3(p.x(), 1.2 * p.y(), p.z() + 0.2 * p.x());
}

TEST(DifferentialKeys, WeightZeroIsTheBaseAndWeightOneTheKeyOnEveryShape) {
  for (const test::NamedShape& shape : test::all_shapes()) {
    Rig rig = keyed_rig(shape.mesh);
    add_key(rig, "bent", bent);
    EXPECT_EQ(weighted(rig, {0}), as_floats(rig.mesh.positions)) << shape.name;
    EXPECT_LT(farthest(weighted(rig, {1}), mapped(rig.mesh.positions, bent)), 1e-5 * size_of(rig))
        << shape.name;
  }
}

TEST(DifferentialKeys, WeightOneIsTheKeyOnDirtyFiles) {
  SINEW_REQUIRE_DATA(data);
  std::size_t seen = 0;
  for (const auto& file : test::test_meshes(data / "dirty_mesh")) {
    Rig rig = keyed_rig(test::read_test_mesh(file));
    if (rig.mesh.face_count() == 0) continue;
    const Box3 box = bounding_box(rig.mesh.positions);
    const double size = box.diagonal().norm();
    const auto map = [&](const Vec3& p) {
      return Vec3(box.center() + size * bent((p - box.center()) / size));
    };
    add_key(rig, "bent", map);
    EXPECT_LT(farthest(weighted(rig, {1}), mapped(rig.mesh.positions, map)), 1e-5 * size) << file;
    ++seen;
  }
  EXPECT_GE(seen, 20u);
}

TEST(DifferentialKeys, HalfOfARightAngleIs45Degrees) {
  Rig rig = keyed_rig(test::random_blob(1));
  add_key(rig, "turn", [&](const Vec3& p) { return Vec3(turned(rig, 90) * p); });
  const auto half = mapped(rig.mesh.positions, [&](const Vec3& p) { return Vec3(turned(rig, 45) * p); });
  EXPECT_LT(farthest(weighted(rig, {0.5}), half), 1e-5 * size_of(rig));
}

TEST(DifferentialKeys, ExtrapolationGoesOnTurning) {
  Rig rig = keyed_rig(test::random_blob(2));
  const auto rest = as_floats(rig.mesh.positions);
  add_key(rig, "turn", [&](const Vec3& p) { return Vec3(turned(rig, 60) * p); });
  for (const double weight : {1.5, -1.0, 2.5}) {
    const auto out = weighted(rig, {weight});
    EXPECT_LT(test::edge_change(rig.mesh, rest, out), 1e-3);
    const auto wanted =
        mapped(rig.mesh.positions, [&](const Vec3& p) { return Vec3(turned(rig, 60 * weight) * p); });
    EXPECT_LT(farthest(out, wanted), 1e-4 * size_of(rig)) << weight;
  }
}

// Quaternions of keys turned by 100 degrees to both sides point into opposite halves of the sphere: with
// signs matched to each other they would meet half a turn away from the base.
TEST(DifferentialKeys, KeysMoreThan180DegreesApartMeetAtTheBase) {
  Rig rig = keyed_rig(test::random_blob(3));
  add_key(rig, "left", [&](const Vec3& p) { return Vec3(turned(rig, 100) * p); });
  add_key(rig, "right", [&](const Vec3& p) { return Vec3(turned(rig, -100) * p); });
  EXPECT_LT(farthest(weighted(rig, {0.5, 0.5}), as_floats(rig.mesh.positions)), 1e-5 * size_of(rig));
  const auto wanted = mapped(rig.mesh.positions, [&](const Vec3& p) { return Vec3(turned(rig, 40) * p); });
  EXPECT_LT(farthest(weighted(rig, {0.7, 0.3}), wanted), 1e-5 * size_of(rig));
}

// A rod twisted by 324 degrees from end to end: the rotations of neighbours run on beyond 180 degrees.
TEST(DifferentialKeys, ATwistOfNearlyATurnIsUnwoundEvenly) {
  Rig rig = keyed_rig(test::capped_cylinder(0.1, 6, 24, 241));
  const auto twist = [](double turns) {
    return [turns](const Vec3& p) {
      return Vec3(Eigen::AngleAxisd(turns * 2 * std::numbers::pi * p.x() / 6, Vec3::UnitX()) * p);
    };
  };
  add_key(rig, "twist", twist(0.9));
  const auto out = weighted(rig, {0.5});
  const auto wanted = mapped(rig.mesh.positions, twist(0.45));
  // The shear of a twisted triangle is not linear in the twist, so lengths are only nearly right.
  double worst_angle = 0, worst_radius = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (std::hypot(wanted[i].y(), wanted[i].z()) < 0.09) continue;
    const double angle = std::remainder(
        std::atan2(out[i].z(), out[i].y()) - std::atan2(wanted[i].z(), wanted[i].y()), 2 * std::numbers::pi);
    worst_angle = std::max(worst_angle, std::abs(angle));
    worst_radius = std::max(worst_radius, std::abs(std::hypot(out[i].y(), out[i].z()) / 0.1 - 1));
  }
  EXPECT_LT(worst_radius, 0.1);
  EXPECT_LT(worst_angle, 0.05);
}

TEST(DifferentialKeys, AComponentsCentreIsTheWeightedBlend) {
  Rig rig = keyed_rig(test::cube_with_island());
  const auto island = [](const Vec3& p) { return p.cwiseAbs().maxCoeff() > 2; };
  add_key(rig, "apart",
          [&](const Vec3& p) { return Vec3(p + (island(p) ? Vec3(0, 3, 0) : Vec3(-1, 0, 0))); });
  for (const double weight : {0.25, 1.0, 2.0}) {
    const auto wanted = mapped(rig.mesh.positions, [&](const Vec3& p) {
      return Vec3(p + weight * (island(p) ? Vec3(0, 3, 0) : Vec3(-1, 0, 0)));
    });
    EXPECT_LT(farthest(weighted(rig, {weight}), wanted), 1e-5 * size_of(rig));
  }
}

TEST(DifferentialKeys, VerticesWithoutAFaceGetObjectSpaceKeys) {
  PolyMesh mesh = test::box(Vec3::Zero(), Vec3::Ones());
  mesh.positions.push_back(Vec3(5, 5, 5));
  Rig rig = keyed_rig(mesh);
  add_key(rig, "up", [](const Vec3& p) { return Vec3(p + Vec3(0, 2, 0)); });
  EXPECT_LT((weighted(rig, {0.5}).back() - Vec3f(5, 6, 5)).norm(), 1e-6f);
}

TEST(DifferentialKeys, RemovedScaleLeavesARotationAndRemovedRotationAScale) {
  Rig rig = keyed_rig(test::random_blob(4));
  const auto rest = as_floats(rig.mesh.positions);
  const Vec3 centre = mean(rig.mesh.positions);
  add_key(rig, "both", [&](const Vec3& p) { return Vec3(centre + 1.7 * (turned(rig, 50) * p - centre)); });
  rig.keys[0].without_scale = true;
  const auto rotated = mapped(rig.mesh.positions, [&](const Vec3& p) { return Vec3(turned(rig, 50) * p); });
  EXPECT_LT(farthest(weighted(rig, {1}), rotated), 1e-5 * size_of(rig));
  rig.keys[0].without_scale = false;
  rig.keys[0].without_rotation = true;
  const auto scaled =
      mapped(rig.mesh.positions, [&](const Vec3& p) { return Vec3(centre + 1.7 * (p - centre)); });
  EXPECT_LT(farthest(weighted(rig, {1}), scaled), 1e-5 * size_of(rig));
  // As a shape for other spaces; of a shape that has lost it, removing again takes nothing.
  const auto keys = shaped_keys(rig);
  ASSERT_TRUE(keys.ok());
  Rig again = rig;
  again.keys = *keys;
  EXPECT_LT(farthest(weighted(again, {1}), scaled), 2e-5 * size_of(rig));
  again.keys[0].without_rotation = true;
  EXPECT_LT(farthest(weighted(again, {1}), scaled), 2e-5 * size_of(rig));
}

TEST(DifferentialKeys, MasksHoldBackPartsOfAKey) {
  Rig rig = keyed_rig(test::capped_cylinder(0.3, 6, 16, 61));
  add_key(rig, "bend", [](const Vec3& p) {
    return Vec3(Eigen::AngleAxisd(std::max(0.0, p.x() - 3) * 0.3, Vec3::UnitZ()) * p);
  });
  KeyMasks none(1), all(1), left(1);
  for (const Vec3& p : rig.mesh.positions) {
    none[0].push_back(0);
    all[0].push_back(1);
    left[0].push_back(p.x() < 3 ? 1.0f : 0.0f);
  }
  EXPECT_LT(farthest(weighted(rig, {1}, none), as_floats(rig.mesh.positions)), 1e-5);
  EXPECT_LT(farthest(weighted(rig, {1}, all), weighted(rig, {1})), 1e-6);
  // Only straight parts take part: nothing turns, whatever the place.
  EXPECT_LT(test::edge_change(rig.mesh, as_floats(rig.mesh.positions), weighted(rig, {1}, left)), 0.02);
}

TEST(DifferentialKeys, BehindADeformerTheyTurnWithIt) {
  Rig rig = keyed_rig(test::random_blob(5));
  add_key(rig, "bent", bent);
  const auto step = build_differential_keys(rig);
  ASSERT_TRUE(step.ok());
  const Affine3 whole = Eigen::Translation3d(1, 2, 3) * Eigen::AngleAxisd(2, kAxis);
  const auto turn_all = [&](std::span<const Vec3f> points) {
    std::vector<Vec3f> out;
    for (const Vec3f& p : points) out.push_back((whole * p.cast<double>()).cast<float>());
    return out;
  };
  const auto rest = as_floats(rig.mesh.positions);
  const std::vector<double> weights{0.7};
  EXPECT_LT(farthest(run_step(**step, turn_all(rest), weights), turn_all(run_step(**step, rest, weights))),
            2e-5 * size_of(rig));
}

TEST(DifferentialKeys, LipsThatTouchCanOpen) {
  // Two sheets with a common edge by position only; the key opens them there.
  const PolyMesh lower = test::grid(4, 2),
                 upper = test::transformed(test::grid(4, 2), Affine3(Eigen::Translation3d(0, 1, 0)));
  Rig rig = keyed_rig(test::joined({lower, upper}));
  ShapeKey key;
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    key.deltas.emplace_back(0.0f, i < lower.vertex_count() ? -0.5f : 0.5f, 0.0f);
  rig.keys.push_back(key);
  const auto out = weighted(rig, {1});
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_LT((out[i] - rig.mesh.positions[i].cast<float>() - key.deltas[i]).norm(), 1e-5f);
}

}  // namespace
}  // namespace sinew
