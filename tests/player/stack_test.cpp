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
  for (const char* wrong : {"keys,jelly", "subdivide,keys", "subdivide,subdivide", "", "keys,,mush"}) {
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

TEST(Stack, KeysBeforeAndBehindTheSkeletonAddUp) {
  // skin(x + d) + d, where skin is linear blending by hand.
  Rig rig = keyed_cylinder();
  rig.keys[0].deltas.assign(rig.mesh.vertex_count(), Vec3f(1, 0, 0));
  rig.stack = order(rig, "keys,skeleton,keys");
  ASSERT_EQ(rig.stack.size(), 3u);
  const std::vector<Vec3> twice = stacked(rig);
  const auto pose = make_pose(rig, {.turns = {{rig.skeleton[1].name, Vec3(0, 0, 90)}}});
  ASSERT_TRUE(pose.ok());
  const std::vector<Affine3> globals = global_transforms(rig.skeleton, pose->local);
  for (std::size_t i = 0; i < twice.size(); ++i) {
    Vec3 expected(1, 0, 0);
    for (const Influence& one : rig.weights.row(i))
      expected += one.weight * (globals[one.joint] * rig.inverse_bind[one.joint] *
                                Vec3(rig.mesh.positions[i] + Vec3(1, 0, 0)));
    EXPECT_LT((twice[i] - expected).norm(), 1e-5) << i;
  }
}

TEST(Stack, EachOfTwoStepsHasItsOwnMaskKeysAndSettings) {
  Rig rig = keyed_cylinder();
  ShapeKey key;
  key.name = "side";
  key.deltas.assign(rig.mesh.vertex_count(), Vec3f(0.5f, 0, 0));
  key.default_weight = 1;
  rig.keys.push_back(key);
  rig.attributes.push_back({"_HALF", std::vector<float>(rig.mesh.vertex_count(), 0.5f)});
  rig.stack = order(rig, "keys,skeleton,keys");
  ASSERT_TRUE(set_entry_option(rig.stack, "keys", "only", "up").ok());
  ASSERT_TRUE(set_entry_option(rig.stack, "keys#2", "only-keys", "side,absent").ok());
  rig.stack[*find_stack_entry(rig.stack, "keys#2")].mask = "_HALF";
  Rig bare = rig;
  bare.keys[1].deltas.assign(rig.mesh.vertex_count(), Vec3f::Zero());
  bare.stack = order(rig, "keys,skeleton");  // takes the first keys' settings along
  EXPECT_EQ(bare.stack[0].word("only", ""), "up");
  const auto pose =
      make_pose(rig, {.turns = {{rig.skeleton[1].name, Vec3(0, 0, 90)}}, .keys = {{"up", 1}, {"side", 1}}});
  std::vector<std::string> made;
  const auto with = posed_mesh(rig, *pose, {}, &made), without = posed_mesh(bare, *pose);
  ASSERT_TRUE(with.ok() && without.ok());
  for (std::size_t i = 0; i < rig.mesh.vertex_count(); ++i)
    EXPECT_LT((with->positions[i] - without->positions[i] - Vec3(0.25, 0, 0)).norm(), 1e-5) << i;
  ASSERT_EQ(made.size(), 1u);
  EXPECT_NE(made[0].find("'absent'"), std::string::npos);

  // Orders keep the settings of each.
  const Stack again = order(rig, "skeleton,keys,keys,mush");
  EXPECT_EQ(again[1].word("only", ""), "up");
  EXPECT_EQ(again[2].mask, "_HALF");
  EXPECT_EQ(find_stack_entry(rig.stack, "keys#3").error().code, ErrorCode::kUsage);
  EXPECT_EQ(set_entry_option(rig.stack, "keys#2", "passes", "3").error().code, ErrorCode::kUsage);
  EXPECT_EQ(set_entry_option(rig.stack, "keys#2", "space", "round").error().code, ErrorCode::kUsage);
}

TEST(Stack, TwoSkeletonStepsShareTheBodyByMasks) {
  Rig rig = keyed_cylinder();
  std::vector<float> upper;
  for (const Vec3& p : rig.mesh.positions) upper.push_back(p.y() > 0.5 ? 1.0f : 0.0f);
  rig.attributes.push_back({"_UPPER", upper});
  const std::vector<Vec3> linear = stacked(rig, test::by(rig, "lbs")),
                          dual = stacked(rig, test::by(rig, "dqs"));
  rig.stack = order(rig, "keys,skeleton,skeleton");
  rig.stack[1].mask = "!_UPPER";
  rig.stack[2].mask = "_UPPER";
  ASSERT_TRUE(set_entry_option(rig.stack, "skeleton#2", "deformer", "dqs").ok());
  const std::vector<Vec3> both = stacked(rig);
  for (std::size_t i = 0; i < both.size(); ++i)
    EXPECT_LT((both[i] - (upper[i] > 0 ? dual : linear)[i]).norm(), 1e-6) << i;
}

TEST(Stack, DifferentialKeysAreSolvedOnceAndKeysBehindStillAct) {
  Rig rig = keyed_cylinder();
  rig.stack = order(rig, "keys,skeleton");
  ASSERT_TRUE(set_option(rig.stack, "deformer", std::string("differential")).ok());
  ASSERT_TRUE(set_option(rig.stack, "key-space", std::string("differential")).ok());
  const std::vector<Vec3> once = stacked(rig);
  rig.stack = order(rig, "keys,skeleton,keys");
  const std::vector<Vec3> twice = stacked(rig);
  for (std::size_t i = 0; i < once.size(); ++i)
    EXPECT_LT((twice[i] - once[i] - Vec3(0, 0, 1)).norm(), 1e-5) << i;
}

TEST(Stack, SubdivisionComesLastAndIsAnOption) {
  Rig rig = keyed_cylinder();
  Stack stack = stack_of(rig);
  EXPECT_EQ(get_option(stack, **find_stack_option("subdivide")), Setting(0.0));
  ASSERT_TRUE(set_option(stack, "subdivide", 2.0).ok());
  ASSERT_TRUE(set_option(stack, "deformer", std::string("dqs+mush")).ok());
  ASSERT_EQ(stack.size(), 4u);
  EXPECT_EQ(stack.back().step, "subdivide");
  EXPECT_EQ(subdivision_levels(stack), 2);
  EXPECT_EQ(get_option(stack, **find_stack_option("subdivide")), Setting(2.0));
  ASSERT_TRUE(set_option(stack, "subdivide", 1.0).ok());
  EXPECT_TRUE(stack.back().settings.empty());
  EXPECT_EQ(subdivision_levels(stack), 1);
  ASSERT_TRUE(set_option(stack, "subdivide", 0.0).ok());
  EXPECT_EQ(stack.size(), 3u);
  EXPECT_FALSE(set_option(stack, "subdivide", 9.0).ok());

  rig.stack = {{"subdivide", "", {}}, {"skeleton", "", {}}};
  EXPECT_EQ(RigDeformer::build(rig).error().code, ErrorCode::kBadInput);
  rig.stack = {{"skeleton", "", {}}, {"subdivide", "below:" + rig.skeleton[0].name, {}}};
  EXPECT_EQ(RigDeformer::build(rig).error().code, ErrorCode::kBadInput);
  rig.stack = {{"subdivide", "", {}}};  // and set_deformer puts the skeleton before it
  ASSERT_TRUE(set_option(rig.stack, "deformer", std::string("dqs")).ok());
  EXPECT_TRUE(RigDeformer::build(rig).ok());
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

// What vertices are held at is reached behind a whole stack, and where they are held already nothing moves.
TEST(Stack, ArapIsALayerOverAnyStack) {
  const Rig rig = keyed_cylinder();
  for (const char* names : {"keys,skeleton,mush,arap", "keys,skeleton,arap", "skeleton,mush,keys,arap"}) {
    DeformChoice choice;
    choice.stack = order(rig, names);
    ASSERT_TRUE(set_option(choice.stack, "deformer", std::string("dqs")).ok());
    DeformChoice below = choice;
    below.stack.pop_back();
    const std::vector<Vec3> shape = stacked(rig, below);
    choice.held = {{3, shape[3]}, {200, shape[200]}, {400, shape[400]}};
    const std::vector<Vec3> still = stacked(rig, choice);
    ASSERT_EQ(still.size(), shape.size()) << names;
    for (std::size_t i = 0; i < shape.size(); ++i)
      EXPECT_LT((still[i] - shape[i]).norm(), 1e-4) << names << i;
    choice.held[1].position += Vec3(0.3, 0.1, 0.2);
    const std::vector<Vec3> pulled = stacked(rig, choice);
    for (const VertexTarget& held : choice.held)
      EXPECT_LT((pulled[held.vertex] - held.position).norm(), 1e-5) << names;
  }
}

TEST(Stack, ArapHoldsTheShapeOfADeformerWithMush) {
  const Rig rig = keyed_cylinder();
  DeformChoice inner;
  inner.stack = *stack_with(rig, "curve+mush");
  const std::vector<Vec3> shape = stacked(rig, inner);
  DeformChoice choice;
  choice.stack = *stack_with(rig, "arap", {{"over", std::string("curve+mush")}});
  choice.held = {{3, shape[3]}, {200, shape[200]}};
  const std::vector<Vec3> still = stacked(rig, choice);
  ASSERT_EQ(still.size(), shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) EXPECT_LT((still[i] - shape[i]).norm(), 1e-4) << i;
  Rig copy = rig;
  const auto refused = stack_with(copy, "arap", {{"over", std::string("arap+mush")}});
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(needs_of(*refused).error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace sinew
