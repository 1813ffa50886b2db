// SPDX-License-Identifier: Apache-2.0
// Skeletons of bodies whose proportions are not those of the templates: toys, animals with long legs, ears,
// tails, a fish.
#include <gtest/gtest.h>

#include <cmath>

#include "sinew/characters/characters.h"
#include "sinew/mesh/winding_number.h"
#include "sinew/pipeline/auto_rig.h"
#include "sinew/pipeline/posed_mesh.h"
#include "sinew/skeleton/pose.h"
#include "support/deform_choice.h"
#include "support/shapes.h"

namespace sinew {
namespace {

Result<FoundSkeleton> found_in_odd(const PolyMesh& mesh) {
  const PolyMesh* one = &mesh;
  return auto_skeleton({&one, 1}, {});
}

// Head of the joint of a name; far away where there is none.
Vec3 joint(const FoundSkeleton& found, const std::string& name) {
  const auto j = found.skeleton.find(name);
  if (!j) return Vec3::Constant(1e6);
  return global_transforms(found.skeleton, rest_pose(found.skeleton).local)[*j].translation();
}

void expect_inside(const PolyMesh& mesh, const FoundSkeleton& found) {
  const TriangleView cut = triangulate(mesh);
  const WindingNumber winding({mesh.positions, cut.triangles});
  const auto globals = global_transforms(found.skeleton, rest_pose(found.skeleton).local);
  for (std::size_t j = 0; j < found.skeleton.deforming_count(); ++j)
    EXPECT_GT(winding(globals[j].translation()), 0.5) << found.skeleton[j].name;
}

// Both sides of a body from one.
void add_pair(std::vector<PolyMesh>& parts, Vec3 from, Vec3 to, double radius) {
  for (int side = 0; side < 2; ++side) {
    parts.push_back(test::capsule(from, to, radius));
    from.x() = -from.x(), to.x() = -to.x();
  }
}

// Sits with its legs to the sides; short, fat limbs, ears higher than the head.
PolyMesh teddy() {
  std::vector<PolyMesh> parts = {test::capsule({0, 0.55, 0}, {0, 1.0, 0}, 0.5),
                                 test::capsule({0, 1.75, 0}, {0, 1.85, 0}, 0.38),
                                 test::capsule({0, 1.0, 0}, {0, 1.8, 0}, 0.25)};
  add_pair(parts, {0.2, 2.0, 0}, {0.4, 2.25, 0}, 0.14);
  add_pair(parts, {0.2, 1.15, 0}, {0.95, 1.2, 0.1}, 0.17);
  add_pair(parts, {0.2, 0.3, 0}, {0.95, 0.25, 0.2}, 0.2);
  return test::joined(parts);
}

TEST(OddBodies, ASittingTeddyIsABipedWithWholeLegs) {
  const PolyMesh mesh = teddy();
  const auto found = found_in_odd(mesh);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->name, "biped") << found->problem;
  expect_inside(mesh, *found);
  const Vec3 head = joint(*found, "Head"), hips = joint(*found, "Hips");
  EXPECT_LT(std::abs(head.x()), 0.1);
  EXPECT_GT(head.y(), 1.3);
  EXPECT_LT(hips.y(), 0.8);
  EXPECT_LT(std::abs(hips.x()), 0.15);
  // Arms above, legs below, and each as long as it is: not the feet alone.
  for (const char* side : {"Left", "Right"}) {
    const std::string s = side;
    const Vec3 shoulder = joint(*found, s + "Arm"), hip = joint(*found, s + "UpLeg"),
               ankle = joint(*found, s + "Foot"), hand = joint(*found, s + "Hand");
    EXPECT_GT(shoulder.y(), 0.9) << side;
    EXPECT_GT(std::abs(hand.x()), 0.7) << side;
    EXPECT_LT(hip.y(), 0.7) << side;
    EXPECT_LT(std::abs(hip.x()), 0.6) << side;
    EXPECT_GT(std::abs(ankle.x()) - std::abs(hip.x()), 0.25) << side;
    EXPECT_EQ(ankle.x() > 0, hip.x() > 0) << side;
  }
}

// A toy with ears as large as its limbs, standing.
PolyMesh eared_toy() {
  std::vector<PolyMesh> parts = {test::capsule({0, 0.8, 0}, {0, 1.3, 0}, 0.4),
                                 test::capsule({0, 2.1, 0}, {0, 2.2, 0}, 0.5),
                                 test::capsule({0, 1.2, 0}, {0, 2.0, 0}, 0.25)};
  add_pair(parts, {0.3, 2.4, 0}, {0.9, 2.8, 0}, 0.22);
  add_pair(parts, {0.2, 1.3, 0}, {0.85, 0.9, 0}, 0.14);
  add_pair(parts, {0.2, 0.7, 0}, {0.25, 0.0, 0}, 0.18);
  return test::joined(parts);
}

TEST(OddBodies, LargeEarsAreNeitherArmsNorFingers) {
  const PolyMesh mesh = eared_toy();
  const auto found = found_in_odd(mesh);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->name, "biped") << found->problem;
  expect_inside(mesh, *found);
  EXPECT_LT(joint(*found, "LeftHand").y(), 1.3);
  EXPECT_LT(joint(*found, "RightHand").y(), 1.3);
  EXPECT_GT(joint(*found, "Head").y(), 1.5);
  EXPECT_LT(std::abs(joint(*found, "Head").x()), 0.1);
}

// As long in front as behind; only the head is thicker than the tail.
PolyMesh animal(double leg) {
  std::vector<PolyMesh> parts = {test::capsule({0, leg, -0.6}, {0, leg, 0.6}, 0.3),
                                 test::capsule({0, leg + 0.1, 0.6}, {0, leg + 0.6, 1.1}, 0.15),
                                 test::capsule({0, leg + 0.65, 1.1}, {0, leg + 0.65, 1.4}, 0.22),
                                 test::capsule({0, leg + 0.1, -0.7}, {0, leg + 0.8, -1.4}, 0.06)};
  add_pair(parts, {0.15, leg, 0.6}, {0.2, 0, 0.6}, 0.09);
  add_pair(parts, {0.15, leg, -0.6}, {0.2, 0, -0.6}, 0.09);
  return test::joined(parts);
}

TEST(OddBodies, AnimalsOfAnyLengthOfLegHaveTheirHeadInFront) {
  for (const double leg : {0.7, 1.2, 1.9}) {
    const PolyMesh mesh = animal(leg);
    const auto found = found_in_odd(mesh);
    ASSERT_TRUE(found.ok()) << found.error().message;
    ASSERT_EQ(found->name, "quadruped") << leg << ": " << found->problem;
    EXPECT_EQ(found->skeleton.find("Tail").has_value(), true) << leg;
    EXPECT_GT(joint(*found, "Head").z(), 0.6) << leg;
    EXPECT_LT(joint(*found, "Tail1").z(), -0.6) << leg;
    EXPECT_LT(joint(*found, "LeftFoot").z(), -0.3) << leg << ": hind legs are behind";
    EXPECT_GT(joint(*found, "LeftLeg").x() - joint(*found, "RightLeg").x(), 0.1) << leg;
    expect_inside(mesh, *found);
  }
}

TEST(OddBodies, ATailThatNoJointIsForIsNoPartOfTheTrunk) {
  // The built-in biped with a tail: the hips stay where the legs are.
  const Rig biped = *make_character("biped");
  const PolyMesh mesh = test::joined({biped.mesh, test::capsule({0, 0.95, -0.05}, {0, 0.25, -0.7}, 0.05)});
  const auto found = found_in_odd(mesh);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->name, "biped") << found->problem;
  const auto heads = global_transforms(biped.skeleton, rest_pose(biped.skeleton).local);
  for (const char* name : {"Hips", "Spine", "LeftUpLeg", "RightLeg", "Head"})
    EXPECT_LT((joint(*found, name) - heads[*biped.skeleton.find(name)].translation()).norm(), 0.09) << name;
}

TEST(OddBodies, OneBentElbowStaysInItsArm) {
  // All but one forearm is its own mirror image: its joints are not half way to the other's.
  Rig biped = *make_character("biped");
  Pose pose = rest_pose(biped.skeleton);
  rotate_joint(biped.skeleton, *biped.skeleton.find("LeftForeArm"), {0, -35, 0}, pose);
  const auto bent = posed_mesh(biped, pose, test::by(biped, "dqs"));
  ASSERT_TRUE(bent.ok());
  PolyMesh cut;
  cut.positions = bent->positions;
  for (const Triangle& t : triangulate(*bent).triangles) cut.add_face({t[0], t[1], t[2]});
  const auto found = found_in_odd(cut);
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->method, SkeletonMethod::kSurface);
  EXPECT_TRUE(found->symmetric) << "but for that arm";
  expect_inside(cut, *found);
}

TEST(OddBodies, AFishIsAChainFromNoseToTail) {
  PolyMesh body = test::uv_sphere({0, 0, 0}, 1, 32, 48);
  for (Vec3& p : body.positions) {
    const double z = p.z();
    p = Vec3(0.22 * p.x(), 0.3 * p.y(), 2 * z);
  }
  const PolyMesh mesh = test::joined({body, test::capsule({0, 0, -1.9}, {0, 0.45, -2.25}, 0.05),
                                      test::capsule({0, 0, -1.9}, {0, -0.4, -2.2}, 0.05)});
  const auto found = found_in_odd(mesh);
  ASSERT_TRUE(found.ok()) << found.error().message;
  ASSERT_EQ(found->name, "snake") << found->problem;
  double low = 10, high = -10;
  for (const Affine3& global : global_transforms(found->skeleton, rest_pose(found->skeleton).local)) {
    const Vec3 p = global.translation();
    EXPECT_LT(std::abs(p.x()), 0.1);
    low = std::min(low, p.z()), high = std::max(high, p.z());
  }
  EXPECT_GT(high - low, 3.2);
}

// No template has as many legs: a bone for each limb, and little confidence.
TEST(OddBodies, AScorpionOfManyLegsHasABoneForEachLimb) {
  std::vector<PolyMesh> parts = {test::capsule({0, 0.5, -1}, {0, 0.5, 1}, 0.3),
                                 test::capsule({0, 0.5, -1}, {0, 1.6, -1.8}, 0.12)};
  for (const double z : {-0.8, -0.3, 0.3, 0.8}) add_pair(parts, {0.2, 0.5, z}, {1.2, 0, 1.4 * z}, 0.08);
  add_pair(parts, {0.15, 0.5, 1}, {0.6, 0.5, 2}, 0.1);
  const auto found = found_in_odd(test::joined(parts));
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->name, "none");
  EXPECT_LT(found->confidence, 0.5);
  EXPECT_GE(found->skeleton.size(), 11u);  // eight legs, two claws, a tail
}

}  // namespace
}  // namespace sinew
