// SPDX-License-Identifier: Apache-2.0
// The stack, painted attributes and the shape of bones, through a file and back.
#include <gtest/gtest.h>

#include <cmath>

#include "gltf_maker.h"
#include "support/shapes.h"

namespace sinew {
namespace {

using nlohmann::json;
using test::reread;

Rig two_parts() {
  Rig rig;
  rig.mesh = test::joined({test::box(Vec3(0, 0, 0), Vec3(1, 1, 1)), test::box(Vec3(2, 0, 0), Vec3(3, 1, 1))});
  const std::size_t half = rig.mesh.vertex_count() / 2, faces = rig.mesh.face_count() / 2;
  rig.parts = {{"a", 0, half, 0, faces, true}, {"b", half, half, faces, faces, true}};
  std::vector<Joint> joints(2);
  joints[0].name = "root";
  joints[1].name = "tip";
  joints[1].parent = 0;
  joints[1].rest_local.translate(Vec3(0, 1, 0));
  rig.skeleton = *Skeleton::create(joints);
  for (const Affine3& global : global_transforms(rig.skeleton, rest_pose(rig.skeleton).local))
    rig.inverse_bind.push_back(global.inverse());
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    rig.weights.add_row(std::vector<Influence>{{static_cast<std::uint32_t>(i % 2), 1}});
  VertexAttribute mask{"_MASK", {}};
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i) mask.values.push_back(static_cast<float>(i) / 16);
  rig.attributes.push_back(std::move(mask));
  rig.stack = {
      {"keys", "", {}},
      {"skeleton", "_MASK", {{"deformer", std::string("curve")}, {"segments", 12.0}, {"odd", true}}}};
  return rig;
}

void expect_same(const Stack& a, const Stack& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    EXPECT_EQ(a[k].step, b[k].step);
    EXPECT_EQ(a[k].mask, b[k].mask);
    EXPECT_EQ(a[k].settings, b[k].settings);
  }
}

TEST(GltfStack, StepsMasksAndSettingsComeBackAlsoThoseNobodyKnows) {
  const Rig rig = two_parts();
  const GltfFile file = reread(rig);
  expect_same(file.rig.stack, rig.stack);
  ASSERT_EQ(file.rig.attributes.size(), 1u);
  EXPECT_EQ(file.rig.attributes[0].name, "_MASK");
  EXPECT_EQ(file.rig.attributes[0].values, rig.attributes[0].values);
}

TEST(GltfStack, AStepThatComesTwiceComesBackTwice) {
  Rig rig = two_parts();
  rig.stack = {{"keys", "", {{"only", std::string("smile,frown")}}},
               {"skeleton", "", {}},
               {"keys", "_MASK", {{"space", std::string("tangent")}}},
               {"subdivide", "", {{"levels", 2.0}}}};
  expect_same(reread(rig).rig.stack, rig.stack);
}

TEST(GltfStack, AnEditReplacesItAndAnyOtherEditKeepsIt) {
  const GltfFile file = reread(two_parts());
  Rig changed = file.rig;
  changed.stack = {{"skeleton", "", {}}};
  GltfWriteOptions options;
  expect_same(reread(changed, file.document.get(), options).rig.stack, file.rig.stack);
  options.edit.stack = true;
  const GltfFile after = reread(changed, file.document.get(), options);
  expect_same(after.rig.stack, changed.stack);
  EXPECT_EQ(after.rig.attributes[0].values, file.rig.attributes[0].values);
  changed.stack.clear();
  EXPECT_TRUE(reread(changed, file.document.get(), options).rig.stack.empty());
}

TEST(GltfStack, StretchAndTwistOfAPoseStandAtTheNodesAndAreTheRestOfTheNextReader) {
  const GltfFile file = reread(two_parts());
  EXPECT_TRUE(rest_pose(file.rig.skeleton).bones.empty());
  Pose pose = rest_pose(file.rig.skeleton);
  pose.bones = {{1.5, 0, 0}, {1, -0.5, 9.5}};
  pose.bones.resize(file.rig.skeleton.size());  // mesh nodes are joints too
  GltfWriteOptions options;
  options.edit.pose = true;
  options.posed = &pose;
  const GltfFile posed = reread(file.rig, file.document.get(), options);
  EXPECT_EQ(rest_pose(posed.rig.skeleton).bones, pose.bones);
  // And from nothing, and away again.
  EXPECT_EQ(rest_pose(reread(posed.rig).rig.skeleton).bones, pose.bones);
  const Pose straight{rest_pose(file.rig.skeleton).local, {}, {}};
  options.posed = &straight;
  EXPECT_TRUE(rest_pose(reread(posed.rig, posed.document.get(), options).rig.skeleton).bones.empty());
}

TEST(GltfStack, WhatIsNoStackIsNotedAndLeftOut) {
  Rig rig = two_parts();
  rig.stack = {{"keys", "", {}}};
  for (const char* wrong : {R"([{"mask": "x"}, {"step": "keys"}])", R"([{"step": 7}, {"step": "keys"}])"}) {
    GltfWriteOptions options;
    options.binary = false;
    auto bytes = write_gltf(rig, nullptr, options);
    ASSERT_TRUE(bytes.ok());
    json document = json::parse(*bytes);
    document["extensions"]["SINEW_rig"]["stack"] = json::parse(wrong);
    auto file = read_gltf(document.dump(), "rig.gltf");
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(file->rig.stack.size(), 1u);
    ASSERT_EQ(file->warnings.size(), 1u);
    EXPECT_NE(file->warnings[0].find("stack"), std::string::npos);
  }
}

}  // namespace
}  // namespace sinew
