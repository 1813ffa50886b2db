// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/rig.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace sinew {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Two triangles on two joints, a shape key and a clip of each kind.
Rig small_rig() {
  Rig rig;
  rig.mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
  rig.mesh.face_offsets = {0, 3, 6};
  rig.mesh.face_vertices = {0, 1, 2, 3, 4, 5};
  rig.parts = {{"first", 0, 3, 0, 1, true, Affine3::Identity()},
               {"second", 3, 3, 1, 1, true, Affine3::Identity()}};
  Joint root, tip;
  root.name = "root";
  tip.name = "tip";
  tip.parent = 0;
  tip.rest_local.translation() = Vec3(0, 0, 1);
  rig.skeleton = *Skeleton::create({root, tip});
  for (const Affine3& global : global_transforms(rig.skeleton, rest_pose(rig.skeleton).local))
    rig.inverse_bind.push_back(global.inverse());
  for (int i = 0; i < 6; ++i) rig.weights.add_row(std::vector<Influence>{{0, 0.75}, {1, 0.25}});
  rig.keys = {{"smile", std::vector<Vec3f>(6, Vec3f(0, 2, 0)), {}, 0.5},
              {"frown", std::vector<Vec3f>(6, Vec3f(1, 0, 0)), {}, 0}};
  Channel turn{1, ChannelPath::kRotation, Interpolation::kLinear, 4, {0}, {0, 0, 0, 1}};
  Channel drive{0, ChannelPath::kKeyWeights, Interpolation::kCubicSpline, 2, {0}, {0, 0, 1, 1, 0, 0}};
  rig.clips = {{"wave", {turn, drive}}};
  return rig;
}

TEST(Validate, AcceptsAWholeRigAndAnEmptyOne) {
  const auto whole = validate(small_rig());
  EXPECT_TRUE(whole.ok()) << whole.error().message;
  EXPECT_TRUE(validate(Rig{}).ok());
}

struct Fault {
  const char* name;
  std::function<void(Rig&)> plant;
  const char* message;
};

TEST(Validate, NamesEveryFault) {
  const std::vector<Fault> faults = {
      {"nan position", [](Rig& r) { r.mesh.positions[4].y() = kNan; }, "vertex 4"},
      {"normals short", [](Rig& r) { r.mesh.normals.resize(2, Vec3f::UnitX()); }, "2 entries for 6"},
      {"texcoord nan", [](Rig& r) { r.mesh.texcoords.resize(6, Vec2f(0, float(kNan))); }, "not finite"},
      {"corner range", [](Rig& r) { r.mesh.face_vertices[3] = 6; }, "vertex 6"},
      {"two corners",
       [](Rig& r) {
         r.mesh.face_offsets = {0, 2, 6};
       },
       "face 0"},
      {"falling offsets",
       [](Rig& r) {
         r.mesh.face_offsets = {0, 9, 6};
       },
       "face 1"},
      {"faces too long",
       [](Rig& r) {
         r.mesh.face_offsets = {0, 3, 7};
       },
       "cover"},
      {"corners without faces", [](Rig& r) { r.mesh.face_offsets.clear(); }, "no faces"},
      {"part gap", [](Rig& r) { r.parts[1].vertex_begin = 4; }, "second"},
      {"part too long", [](Rig& r) { r.parts[1].vertex_count = std::size_t(-1); }, "second"},
      {"part missing", [](Rig& r) { r.parts.pop_back(); }, "cover the mesh"},
      {"face of another part", [](Rig& r) { r.mesh.face_vertices[0] = 4; }, "another part"},
      {"part transform", [](Rig& r) { r.parts[0].to_bind.translation().x() = kNan; }, "first"},
      {"inverse binds missing", [](Rig& r) { r.inverse_bind.pop_back(); }, "1 inverse bind"},
      {"inverse bind nan", [](Rig& r) { r.inverse_bind[1].linear()(0, 0) = kNan; }, "tip"},
      {"weights missing", [](Rig& r) { r.weights.offsets.pop_back(); }, "5 of 6"},
      {"weights empty", [](Rig& r) { r.weights = {}; }, "0 of 6"},
      {"weights too short", [](Rig& r) { r.weights.entries.pop_back(); }, "weight rows"},
      {"weights falling", [](Rig& r) { r.weights.offsets[2] = 9; }, "weight rows"},
      {"joint range", [](Rig& r) { r.weights.entries[2].joint = 2; }, "vertex 1"},
      {"nan weight", [](Rig& r) { r.weights.entries[0].weight = kNan; }, "vertex 0"},
      {"twice the joint", [](Rig& r) { r.weights.entries[1].joint = 0; }, "twice"},
      {"unsorted", [](Rig& r) { r.weights.entries[1].weight = 0.8; }, "sorted"},
      {"zero weight", [](Rig& r) { r.weights.entries[1].weight = 0; }, "zero"},
      {"key short", [](Rig& r) { r.keys[1].deltas.pop_back(); }, "frown"},
      {"key nan", [](Rig& r) { r.keys[0].deltas[2].x() = float(kNan); }, "smile"},
      {"key normals", [](Rig& r) { r.keys[0].normal_deltas.resize(1); }, "smile"},
      {"key default", [](Rig& r) { r.keys[0].default_weight = kNan; }, "default"},
      {"channel width", [](Rig& r) { r.clips[0].channels[0].width = 3; }, "channel 0"},
      {"key channel width", [](Rig& r) { r.clips[0].channels[1].width = 0; }, "channel 1"},
      {"channel joint", [](Rig& r) { r.clips[0].channels[0].joint = 2; }, "does not exist"},
      {"channel joint negative", [](Rig& r) { r.clips[0].channels[0].joint = -1; }, "does not exist"},
      {"key channel range", [](Rig& r) { r.clips[0].channels[1].joint = 1; }, "does not exist"},
      {"channel values", [](Rig& r) { r.clips[0].channels[0].values.pop_back(); }, "3 numbers for 1"},
      {"channel empty",
       [](Rig& r) { r.clips[0].channels[0] = {1, ChannelPath::kScale, Interpolation::kStep, 3, {}, {}}; },
       "0 keys"},
      {"channel nan", [](Rig& r) { r.clips[0].channels[1].values[3] = float(kNan); }, "wave"},
      {"times fall",
       [](Rig& r) {
         r.clips[0].channels[0].times = {1, 0};
         r.clips[0].channels[0].values.resize(8);
       },
       "decrease"},
  };
  for (const Fault& fault : faults) {
    Rig rig = small_rig();
    fault.plant(rig);
    const auto result = validate(rig);
    ASSERT_FALSE(result.ok()) << fault.name;
    EXPECT_EQ(result.error().code, ErrorCode::kBadInput);
    EXPECT_NE(result.error().message.find(fault.message), std::string::npos)
        << fault.name << ": " << result.error().message;
  }
}

TEST(BindTransforms, InvertTheInverseBindsOrFallBackToTheRest) {
  Rig rig = small_rig();
  rig.inverse_bind[0].linear() *= 1e-5;  // small, not singular
  rig.inverse_bind[0].linear() = rig.inverse_bind[0].linear() * Vec3(1, 1, 1e-4).asDiagonal();
  rig.inverse_bind[1].linear() = Vec3(0, 1, 1).asDiagonal();
  const auto transforms = bind_transforms(rig);
  EXPECT_LT(((transforms[0] * rig.inverse_bind[0]).matrix() - Mat4::Identity()).norm(), 1e-12);
  EXPECT_EQ(transforms[1].translation(), Vec3(0, 0, 1));
  EXPECT_TRUE(transforms[1].linear().isIdentity());
}

TEST(SkinningMatrices, AreTheIdentityInTheBindPose) {
  const Rig rig = small_rig();
  std::vector<Affine3> matrices(2);
  skinning_matrices(rig, bind_transforms(rig), matrices);
  for (const Affine3& matrix : matrices) EXPECT_LT((matrix.matrix() - Mat4::Identity()).norm(), 1e-14);
}

TEST(Keys, WeightsComeFromThePoseElseFromTheDefaults) {
  const Rig rig = small_rig();
  Pose pose = rest_pose(rig.skeleton);
  EXPECT_EQ(key_weights_of(rig, pose), (std::vector<double>{0.5, 0}));
  pose.key_weights = {0.125};
  EXPECT_EQ(key_weights_of(rig, pose), (std::vector<double>{0.125, 0}));
  pose.key_weights = {1, 2, 3};
  EXPECT_EQ(key_weights_of(rig, pose), (std::vector<double>{1, 2}));
}

}  // namespace
}  // namespace sinew
