// SPDX-License-Identifier: Apache-2.0
#include "sinew/player/stack.h"

#include <gtest/gtest.h>

#include "binding/small_rigs.h"
#include "sinew/characters/characters.h"
#include "sinew/pipeline/posed_mesh.h"

namespace sinew {
namespace {

// A cylinder with a key that moves everything by (0, 0, 1).
Rig keyed_cylinder() {
  auto rig = make_character("cylinder", {.resolution = 500});
  EXPECT_TRUE(rig.ok());
  ShapeKey key;
  key.name = "up";
  key.deltas.assign(rig->mesh.vertex_count(), Vec3f(0, 0, 1));
  rig->keys.push_back(key);
  return *std::move(rig);
}

std::vector<Vec3> stacked(const Rig& rig, const DeformChoice& request = {}) {
  auto pose = make_pose(rig, {.turns = {{rig.skeleton[1].name, Vec3(0, 0, 90)}}, .keys = {{"up", 1}}});
  EXPECT_TRUE(pose.ok());
  auto mesh = posed_mesh(rig, *pose, request);
  EXPECT_TRUE(mesh.ok()) << (mesh.ok() ? "" : mesh.error().message);
  return mesh.ok() ? mesh->positions : std::vector<Vec3>();
}

Stack order(const Rig& rig, const char* names) {
  auto stack = reorder(rig.stack, names);
  EXPECT_TRUE(stack.ok());
  return stack.ok() ? *stack : Stack();
}

TEST(Stack, TheOrderOfKeysAndSkeletonIsRespected) {
  Rig rig = keyed_cylinder();
  rig.keys[0].deltas.assign(rig.mesh.vertex_count(), Vec3f(1, 0, 0));  // across the turn's axis
  const std::vector<Vec3> first = stacked(rig);
  rig.stack = order(rig, "skeleton,keys");
  const std::vector<Vec3> last = stacked(rig);
  Rig bare = rig;
  bare.keys[0].deltas.assign(rig.mesh.vertex_count(), Vec3f::Zero());
  const std::vector<Vec3> unkeyed = stacked(bare);
  double turned = 0;
  for (std::size_t i = 0; i < last.size(); ++i) {
    EXPECT_LT((last[i] - unkeyed[i] - Vec3(1, 0, 0)).norm(), 1e-5) << i;  // behind: in world axes
    turned = std::max(turned, (first[i] - unkeyed[i] - Vec3(0, 1, 0)).norm() < 1e-5 ? 1.0 : 0.0);
  }
  EXPECT_EQ(turned, 1.0) << "a key before the skeleton is turned with the bone";
}

TEST(Stack, MushAsAStepEqualsMushBehindTheDeformer) {
  Rig rig = keyed_cylinder();
  const std::vector<Vec3> behind = stacked(rig, test::by(rig, "dqs+mush"));
  rig.stack = order(rig, "keys,skeleton,mush");
  EXPECT_EQ(behind, stacked(rig, test::by(rig, "dqs")));
  EXPECT_NE(behind, stacked(keyed_cylinder(), test::by(keyed_cylinder(), "dqs")));
}

TEST(Stack, AMaskScalesItsStep) {
  Rig rig = keyed_cylinder();
  rig.attributes.push_back({"_HALF", std::vector<float>(rig.mesh.vertex_count(), 0.5f)});
  rig.attributes.push_back({"_NONE", std::vector<float>(rig.mesh.vertex_count(), 0.0f)});
  rig.stack = order(rig, "keys");
  rig.stack[0].mask = "_HALF";
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    EXPECT_LT((stacked(rig)[i] - rig.mesh.positions[i] - Vec3(0, 0, 0.5)).norm(), 1e-6);
  rig.stack[0].mask = "_NONE";
  EXPECT_LT(test::largest_distance(stacked(rig), rig.mesh.positions), 1e-6);
  rig.stack[0].mask = "!_NONE";
  EXPECT_NEAR((stacked(rig)[3] - rig.mesh.positions[3]).z(), 1, 1e-6);
}

TEST(Stack, BelowAJointMeansItsWeightsAndThoseOfAllBelowIt) {
  const Rig rig = keyed_cylinder();
  auto root = mask_weights(rig, "below:" + rig.skeleton[0].name);
  auto tip = mask_weights(rig, "below:" + rig.skeleton[1].name);
  ASSERT_TRUE(root.ok() && tip.ok());
  for (std::size_t i = 0; i < root->size(); ++i) {
    EXPECT_NEAR((*root)[i], 1, 1e-6);
    float own = 0;
    for (const Influence& influence : rig.weights.row(i))
      own += influence.joint == 1 ? static_cast<float>(influence.weight) : 0;
    EXPECT_NEAR((*tip)[i], own, 1e-6);
  }
}

TEST(Stack, WhatHasNoSuchNameIsRefusedWithThoseThereAre) {
  Rig rig = keyed_cylinder();
  for (const char* wrong : {"keys,jelly", "keys,keys", "", "keys,,mush"}) {
    const auto stack = reorder({}, wrong);
    ASSERT_FALSE(stack.ok()) << wrong;
    EXPECT_EQ(stack.error().code, ErrorCode::kUsage);
  }
  EXPECT_NE(reorder({}, "jelly").error().message.find("skeleton"), std::string::npos);
  EXPECT_FALSE(mask_weights(rig, "_NOT_THERE").ok());
  EXPECT_FALSE(mask_weights(rig, "below:nobody").ok());
  rig.stack = {{"jelly", "", {}}};
  EXPECT_FALSE(RigDeformer::build(rig).ok());
}

TEST(Stack, SettingsAreStoredWhereTheyAreNotTheDefaultAndComeBack) {
  Rig rig = keyed_cylinder();
  rig.stack = order(rig, "skeleton,mush");
  ASSERT_TRUE(set_option(rig.stack, "deformer", std::string("curve")).ok());
  ASSERT_TRUE(set_option(rig.stack, "segments", 12.0).ok());
  ASSERT_TRUE(set_option(rig.stack, "mush-passes", 3.0).ok());
  ASSERT_TRUE(set_option(rig.stack, "amount", 1.0).ok());  // the default
  EXPECT_EQ(rig.stack[0].settings.size(), 2u);
  EXPECT_EQ(rig.stack[1].settings.size(), 1u);
  const auto value = [&](const char* name) { return get_option(rig.stack, **find_stack_option(name)); };
  EXPECT_EQ(deformer_of(rig.stack), "curve+mush");
  EXPECT_EQ(value("segments"), Setting(12.0));
  EXPECT_EQ(value("mush-passes"), Setting(3.0));
  EXPECT_EQ(value("amount"), Setting(1.0));
}

TEST(Stack, ReorderingKeepsMasksAndSettings) {
  const Stack stack = {{"keys", "_A", {}}, {"skeleton", "", {{"deformer", std::string("dqs")}}}};
  auto turned = reorder(stack, "skeleton,mush,keys");
  ASSERT_TRUE(turned.ok());
  EXPECT_EQ((*turned)[0].word("deformer", ""), "dqs");
  EXPECT_EQ((*turned)[2].mask, "_A");
}

}  // namespace
}  // namespace sinew
