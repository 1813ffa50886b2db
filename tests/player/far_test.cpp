// SPDX-License-Identifier: Apache-2.0
// Rigs far from the origin: posed there, they are the same as posed near it and carried away in doubles.
#include <gtest/gtest.h>

#include "sinew/binding/prepare.h"
#include "sinew/io/asset.h"
#include "sinew/io/gltf.h"
#include "sinew/player/rig_deformer.h"
#include "sinew/rig/local_origin.h"
#include "sinew/rig/skinned_mesh.h"
#include "support/data.h"

namespace sinew {
namespace {

const Vec3 kFarAway(1.2345678e6, -3.3e5, 7.77e5);

// The rig with its bind space and its world carried away.
Rig carried(const Rig& rig, const Vec3& by) {
  Rig far = rig;
  for (Vec3& p : far.mesh.positions) p += by;
  for (Affine3& matrix : far.inverse_bind) matrix = matrix * Eigen::Translation3d(-by);
  std::vector<Joint> joints(rig.skeleton.joints().begin(), rig.skeleton.joints().end());
  for (Joint& joint : joints)
    if (joint.parent < 0) {
      joint.rest_local = Eigen::Translation3d(by) * joint.rest_local;
      joint.rest_parts.reset();
    }
  far.skeleton = *Skeleton::create(std::move(joints));
  far.clips.clear();
  return far;
}

Pose some_pose(const Rig& rig) {
  Pose pose = rest_pose(rig.skeleton);
  for (std::size_t j = 1; j < pose.local.size(); j += 2)
    if (rig.skeleton[j].parent >= 0)
      pose.local[j] = pose.local[j] * Eigen::AngleAxisd(0.4, Vec3(1, 2, -1).normalized());
  return pose;
}

Rig man(const std::filesystem::path& data) {
  auto asset = read_asset((data / "rigged_gltf" / "CesiumMan.glb").string());
  EXPECT_TRUE(asset.ok());
  return asset.ok() ? std::move(asset->rig) : Rig();
}

double size_of(const Rig& rig) {
  return bounding_box(rig.mesh.positions).diagonal().norm();
}

// In doubles: about the deformer's origin, and that.
std::vector<Vec3> posed(Rig rig, const std::string& deformer) {
  std::vector<Vec3> out;
  const auto stack = stack_with(rig, deformer, {{"voxels", 24.0}});
  DeformerData data;
  if (!stack || !prepare(rig, *needs_of(*stack), data)) return out;
  const auto built = RigDeformer::build(rig, *stack, data);
  if (!built) return out;
  RigWorkspace workspace = built->make_workspace();
  std::vector<Vec3f> positions(rig.mesh.vertex_count());
  EXPECT_EQ(built->evaluate_near(some_pose(rig), workspace, positions), Status::kOk);
  const auto origin = built->origin();
  for (const Vec3f& p : positions) out.push_back(p.cast<double>() + Vec3(origin[0], origin[1], origin[2]));
  return out;
}

double apart(const std::vector<Vec3>& a, const std::vector<Vec3>& b, const Vec3& by) {
  EXPECT_EQ(a.size(), b.size());
  double most = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    most = std::max(most, (a[i] - by - b[i]).norm());
  return most;
}

TEST(FarAway, LinearBlendingIsRightToAMillionthOfTheSize) {
  SINEW_REQUIRE_DATA(data);
  const Rig near = man(data);
  const std::vector<Vec3> expected = skinned_mesh(near, some_pose(near)).positions;
  for (const double distance : {0.1, 1.0}) {
    const Rig far = carried(near, distance * kFarAway);
    ASSERT_FALSE(local_origin(far).is_zero());
    EXPECT_LT(apart(posed(far, "lbs"), expected, distance * kFarAway), 1e-6 * size_of(near)) << distance;
  }
}

TEST(FarAway, EveryDeformerMakesTheShapeThatItMakesNearTheOrigin) {
  SINEW_REQUIRE_DATA(data);
  const Rig near = man(data), far = carried(near, kFarAway);
  EXPECT_TRUE(local_origin(near).is_zero());
  for (const DeformerMethod& method : deformer_methods()) {
    const std::string name(method.name);
    if (name.starts_with("points") || name == "cage") continue;  // the rig has none
    const std::vector<Vec3> expected = posed(near, name);
    ASSERT_EQ(expected.size(), near.mesh.vertex_count()) << name;
    // Voxels fall a little otherwise, and solvers stop at 1e-4.
    const double limit = name == "elastic" || name == "swing-twist" || name == "joint-dqs" ? 2e-3 : 1e-5;
    EXPECT_LT(apart(posed(far, name), expected, kFarAway), limit * size_of(near)) << name;
  }
}

TEST(FarAway, FilesKeepTheShape) {
  SINEW_REQUIRE_DATA(data);
  const Rig near = man(data);
  const auto bytes = write_gltf(carried(near, kFarAway), nullptr, {});
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const auto again = read_gltf(*bytes, "far.glb");
  ASSERT_TRUE(again.ok()) << again.error().message;
  const std::vector<Vec3> expected = skinned_mesh(near, some_pose(near)).positions;
  EXPECT_LT(apart(posed(again->rig, "lbs"), expected, kFarAway), 1e-6 * size_of(near));
  EXPECT_LT(apart(skinned_mesh(again->rig, some_pose(again->rig)).positions, expected, kFarAway),
            1e-6 * size_of(near));
}

TEST(FarAway, FilesWithoutJointsKeepTheShape) {
  SINEW_REQUIRE_DATA(data);
  Rig still;
  still.mesh = man(data).mesh;
  const std::vector<Vec3> expected = still.mesh.positions;
  for (Vec3& p : still.mesh.positions) p += kFarAway;
  const auto bytes = write_gltf(still, nullptr, {});
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const auto again = read_gltf(*bytes, "far.glb");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_LT(apart(skinned_mesh(again->rig, rest_pose(again->rig.skeleton)).positions, expected, kFarAway),
            1e-6 * size_of(still));
}

TEST(FarAway, APosedMeshThatReplacesARigKeepsTheShape) {
  SINEW_REQUIRE_DATA(data);
  const auto bytes = write_gltf(man(data), nullptr, {});
  ASSERT_TRUE(bytes.ok());
  auto file = read_gltf(*bytes, "man.glb");
  ASSERT_TRUE(file.ok());
  const std::vector<Vec3> expected = file->rig.mesh.positions;
  for (Vec3& p : file->rig.mesh.positions) p += kFarAway;
  GltfWriteOptions options;
  options.without_skin = true;
  const auto plain = write_gltf(file->rig, &*file->document, options);
  ASSERT_TRUE(plain.ok()) << plain.error().message;
  const auto again = read_gltf(*plain, "far.glb");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_LT(apart(skinned_mesh(again->rig, rest_pose(again->rig.skeleton)).positions, expected, kFarAway),
            1e-6 * bounding_box(expected).diagonal().norm());
}

TEST(FarAway, FloatsOfTheWorldAreTheNearestThereAre) {
  SINEW_REQUIRE_DATA(data);
  const Rig near = man(data), far = carried(near, kFarAway);
  const auto built = RigDeformer::build(far, "lbs");
  ASSERT_TRUE(built.ok());
  RigWorkspace workspace = built->make_workspace();
  std::vector<Vec3f> world(far.mesh.vertex_count()), from_rest(world.size()), rest;
  for (const Vec3& p : far.mesh.positions) rest.push_back(p.cast<float>());
  ASSERT_EQ(built->evaluate(some_pose(far), workspace, world), Status::kOk);
  const std::vector<Vec3> expected = skinned_mesh(near, some_pose(near)).positions;
  for (std::size_t i = 0; i < world.size(); ++i)
    EXPECT_LT((world[i].cast<double>() - kFarAway - expected[i]).cwiseAbs().maxCoeff(), 0.0626) << i;
  const std::span<const float> numbers(rest[0].data(), 3 * rest.size());
  ASSERT_EQ(built->evaluate_from(numbers, some_pose(far), workspace, from_rest), Status::kOk);
  for (std::size_t i = 0; i < world.size(); ++i)
    EXPECT_LT((from_rest[i] - world[i]).cwiseAbs().maxCoeff(), 0.26f) << i;
}

}  // namespace
}  // namespace sinew
