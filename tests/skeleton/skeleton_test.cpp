// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/skeleton.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "sinew/skeleton/bone_tree.h"
#include "sinew/skeleton/pose.h"

namespace sinew {
namespace {

Joint joint_at(std::string name, int parent, const Vec3& offset) {
  Joint joint;
  joint.name = std::move(name);
  joint.parent = parent;
  joint.rest_local.translation() = offset;
  return joint;
}

Skeleton make(std::vector<Joint> joints) {
  auto skeleton = Skeleton::create(std::move(joints));
  EXPECT_TRUE(skeleton.ok()) << skeleton.error().message;
  return *std::move(skeleton);
}

std::vector<Bone> rest_bones(const Skeleton& skeleton) {
  return bones_of(skeleton, global_transforms(skeleton, rest_pose(skeleton).local));
}

void expect_bad(std::vector<Joint> joints, const std::string& part_of_message) {
  const auto result = Skeleton::create(std::move(joints));
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, ErrorCode::kBadInput);
  EXPECT_NE(result.error().message.find(part_of_message), std::string::npos) << result.error().message;
}

// A random forest whose parents come before or behind their children.
std::vector<Joint> random_forest(std::size_t count, std::mt19937& random) {
  std::vector<int> label(count);
  for (std::size_t j = 0; j < count; ++j) label[j] = static_cast<int>(j);
  std::shuffle(label.begin(), label.end(), random);
  std::vector<Joint> joints(count);
  for (std::size_t j = 0; j < count; ++j) {
    const std::size_t above = random() % (j + 1);
    joints[static_cast<std::size_t>(label[j])] =
        joint_at("j" + std::to_string(j), above == j ? -1 : label[above], Vec3::Random());
  }
  return joints;
}

TEST(Skeleton, OrderHoldsEveryJointOnceAndParentsFirst) {
  std::mt19937 random(1);
  for (const std::size_t count : {1u, 2u, 17u, 400u}) {
    const Skeleton skeleton = make(random_forest(count, random));
    std::vector<bool> seen(count, false);
    for (const std::uint32_t j : skeleton.order()) {
      EXPECT_FALSE(seen[j]);
      seen[j] = true;
      EXPECT_TRUE(skeleton[j].parent < 0 || seen[static_cast<std::size_t>(skeleton[j].parent)]);
    }
    EXPECT_EQ(skeleton.order().size(), count);
  }
}

TEST(Skeleton, ChildrenAreExactlyTheJointsThatNameTheParent) {
  std::mt19937 random(2);
  const Skeleton skeleton = make(random_forest(100, random));
  std::size_t total = 0;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    for (const std::uint32_t c : skeleton.children(j)) EXPECT_EQ(skeleton[c].parent, static_cast<int>(j));
    EXPECT_TRUE(std::is_sorted(skeleton.children(j).begin(), skeleton.children(j).end()));
    total += skeleton.children(j).size();
  }
  for (const Joint& joint : skeleton.joints()) total += joint.parent < 0 ? 1 : 0;
  EXPECT_EQ(total, skeleton.size());
}

TEST(Skeleton, AnEmptyOneIsFine) {
  EXPECT_TRUE(make({}).empty());
  EXPECT_TRUE(rest_bones(make({})).empty());
  EXPECT_TRUE(Skeleton().find("x") == std::nullopt);
}

TEST(Skeleton, AChainOf20000JointsWorks) {
  std::vector<Joint> joints;
  for (int j = 0; j < 20000; ++j) joints.push_back(joint_at("c", j == 19999 ? -1 : j + 1, Vec3::UnitX()));
  const Skeleton skeleton = make(std::move(joints));
  const auto globals = global_transforms(skeleton, rest_pose(skeleton).local);
  EXPECT_EQ(globals[0].translation(), Vec3(20000, 0, 0));
  EXPECT_EQ(rest_bones(skeleton)[0].tail, Vec3(20001, 0, 0));
}

TEST(Skeleton, RefusesAParentOutOfRange) {
  expect_bad({joint_at("a", 1, Vec3::Zero())}, "parent 1");
  expect_bad({joint_at("a", -2, Vec3::Zero())}, "parent -2");
}

TEST(Skeleton, RefusesCycles) {
  expect_bad({joint_at("self", 0, Vec3::Zero())}, "self");
  expect_bad(
      {joint_at("root", -1, Vec3::Zero()), joint_at("a", 2, Vec3::Zero()), joint_at("b", 1, Vec3::Zero())},
      "its own ancestor");
}

TEST(Skeleton, RefusesTransformsThatAreNotFinite) {
  expect_bad({joint_at("a", -1, Vec3(0, std::nan(""), 0))}, "not finite");
  Joint joint = joint_at("a", -1, Vec3::Zero());
  joint.tail = Vec3(std::numeric_limits<double>::infinity(), 0, 0);
  expect_bad({joint}, "tail");
}

TEST(Skeleton, RefusesADeformingJointBehindACarrier) {
  Joint carrier = joint_at("armature", -1, Vec3::Zero());
  carrier.deforms = false;
  expect_bad({carrier, joint_at("hips", 0, Vec3::Zero())}, "hips");
  const Skeleton skeleton = make({joint_at("hips", 1, Vec3::Zero()), carrier});
  EXPECT_EQ(skeleton.deforming_count(), 1u);
}

TEST(SkeletonFind, PrefersTheExactNameThenCaseThenNoPrefix) {
  const auto at = [](const char* name) { return joint_at(name, -1, Vec3::Zero()); };
  const Skeleton skeleton =
      make({at("hips"), at("Hips"), at("mixamorig:Spine"), at("Neck"), at("a:Head"), at("b:Head")});
  EXPECT_EQ(skeleton.find("hips"), 0u);
  EXPECT_EQ(skeleton.find("Hips"), 1u);
  EXPECT_EQ(skeleton.find("HIPS"), std::nullopt);  // two
  EXPECT_EQ(skeleton.find("neck"), 3u);
  EXPECT_EQ(skeleton.find("spine"), 2u);
  EXPECT_EQ(skeleton.find("other:Neck"), 3u);
  EXPECT_EQ(skeleton.find("Head"), std::nullopt);  // two
  EXPECT_EQ(skeleton.find("b:Head"), 5u);
  EXPECT_EQ(skeleton.find("tail"), std::nullopt);
  EXPECT_EQ(make({at("x"), at("x")}).find("x"), std::nullopt);
}

TEST(SkeletonFind, JointsOfTheSameNameAreToldApartByNumberOrPath) {
  const auto at = [](const char* name, int parent) { return joint_at(name, parent, Vec3::Zero()); };
  const Skeleton skeleton = make({at("root", -1), at("arm", 0), at("bone", 1), at("leg", 0), at("bone", 3),
                                  at("bone", 4), at("x#2", 0), at("a/b", 0), at("b", 0)});
  EXPECT_EQ(skeleton.find("bone"), std::nullopt);
  EXPECT_EQ(skeleton.find("bone#1"), 2u);
  EXPECT_EQ(skeleton.find("bone#2"), 4u);
  EXPECT_EQ(skeleton.find("bone#3"), 5u);
  for (const char* wrong : {"bone#0", "bone#4", "bone#-1", "bone#", "bone#x", "#1", "arm#2"})
    EXPECT_EQ(skeleton.find(wrong), std::nullopt) << wrong;
  EXPECT_EQ(skeleton.find("arm#1"), 1u);
  EXPECT_EQ(skeleton.find("arm/bone"), 2u);
  EXPECT_EQ(skeleton.find("leg/bone"), 4u);
  EXPECT_EQ(skeleton.find("root/leg/bone"), 4u);
  EXPECT_EQ(skeleton.find("bone/bone"), 5u);
  for (const char* wrong : {"/bone", "eg/bone", "root/bone", "bone/", "other/root/leg/bone", "/"})
    EXPECT_EQ(skeleton.find(wrong), std::nullopt) << wrong;
  EXPECT_EQ(skeleton.find("x#2"), 6u);  // names that look so
  EXPECT_EQ(skeleton.find("a/b"), 7u);
}

TEST(Bones, EndAtTheirChildOrTheMeanOfTheirChildren) {
  const Skeleton skeleton = make({joint_at("root", -1, Vec3(1, 0, 0)), joint_at("a", 0, Vec3(0, 2, 0)),
                                  joint_at("b", 1, Vec3(1, 1, 0)), joint_at("c", 1, Vec3(-1, 1, 2))});
  const auto bones = rest_bones(skeleton);
  EXPECT_EQ(bones[0].head, Vec3(1, 0, 0));
  EXPECT_EQ(bones[0].tail, Vec3(1, 2, 0));
  EXPECT_EQ(bones[1].tail, Vec3(1, 3, 1));
  EXPECT_EQ(bones[2].joint, 2u);
}

TEST(Bones, ALeafUsesItsTailElseItsParentsDirectionAndLength) {
  std::vector<Joint> joints = {joint_at("root", -1, Vec3(1, 0, 0)), joint_at("leaf", 0, Vec3(0, 2, 0))};
  EXPECT_EQ(rest_bones(make(joints))[1].tail, Vec3(1, 4, 0));
  joints[1].tail = Vec3(0, 0, 5);
  joints[1].rest_local.linear() = Eigen::AngleAxisd(std::acos(-1.0) / 2, Vec3::UnitX()).toRotationMatrix();
  EXPECT_LT((rest_bones(make(joints))[1].tail - Vec3(1, -3, 0)).norm(), 1e-12);
}

TEST(Bones, ALoneJointHasNoLength) {
  const auto bones = rest_bones(make({joint_at("a", -1, Vec3(3, 2, 1))}));
  EXPECT_EQ(bones[0].head, bones[0].tail);
}

TEST(Bones, LookThroughJointsThatDoNotDeform) {
  std::vector<Joint> joints = {joint_at("upper", -1, Vec3::Zero()), joint_at("lower", 2, Vec3(0, 1, 0)),
                               joint_at("offset", 0, Vec3(0, 1, 0)), joint_at("end", 1, Vec3(9, 9, 9))};
  joints[2].deforms = joints[3].deforms = false;
  const auto bones = rest_bones(make(joints));
  ASSERT_EQ(bones.size(), 2u);
  EXPECT_EQ(bones[0].tail, Vec3(0, 2, 0));
  EXPECT_EQ(bones[1].tail, Vec3(0, 4, 0));  // "end" does not deform: no child
}

TEST(Bones, ALeafBelowAStarWhoseMeanIsItsCentreStillHasLength) {
  const auto bones = rest_bones(make({joint_at("centre", -1, Vec3::Zero()), joint_at("l", 0, Vec3(1, 0, 0)),
                                      joint_at("r", 0, Vec3(-1, 0, 0))}));
  EXPECT_EQ(bones[0].tail, Vec3(1, 0, 0));
  EXPECT_EQ(bones[1].tail, Vec3(2, 0, 0));
  EXPECT_EQ(bones[2].tail, Vec3(-2, 0, 0));
}

TEST(Bones, HaveASegmentToEveryChild) {
  const Skeleton skeleton = make({joint_at("hips", -1, Vec3(0, 10, 0)), joint_at("left", 0, Vec3(1, -.5, 0)),
                                  joint_at("spine", 0, Vec3(0, 1, 0)), joint_at("right", 0, Vec3(-1, -.5, 0)),
                                  joint_at("chest", 2, Vec3(0, 1, 0)), joint_at("knee", 1, Vec3(0, -4, 0))});
  const auto bones = rest_bones(skeleton);
  ASSERT_EQ(segment_ends(bones[0]).size(), 3u);
  EXPECT_EQ(segment_ends(bones[0])[0], Vec3(1, 9.5, 0));
  EXPECT_EQ(segment_ends(bones[0])[1], Vec3(0, 11, 0));
  EXPECT_EQ(segment_ends(bones[0])[2], Vec3(-1, 9.5, 0));
  EXPECT_DOUBLE_EQ(reach_of(bones[0]), std::hypot(1, .5));
  // Halfway to a thigh the pelvis is at hand, however far its tail is.
  const PointOnBone nearest = nearest_on_bone(bones[0], Vec3(0.5, 9.75, 0.25));
  EXPECT_EQ(nearest.end, 0u);
  EXPECT_DOUBLE_EQ(nearest.t, 0.5);
  EXPECT_DOUBLE_EQ(distance_to_bone(bones[0], Vec3(0.5, 9.75, 0.25)), 0.25);
  EXPECT_EQ(nearest_bone(Vec3(-0.5, 9.75, 0), bones), 0u);
  Bone single;
  single.tail = Vec3(2, 0, 0);
  EXPECT_DOUBLE_EQ(distance_to_bone(single, Vec3(1, 1, 0)), 1);
}

TEST(Bones, WhoseChildrenLieAllRoundPointToTheOneInLineWithTheParent) {
  const Vec3 down(0, -1, 0), up(0, 1, 0), side(1, 0, 0);
  // A root: to the child with most bones below, here the spine.
  auto bones = rest_bones(make({joint_at("hips", -1, Vec3::Zero()), joint_at("left", 0, Vec3(down + side)),
                                joint_at("right", 0, Vec3(down - side)), joint_at("spine", 0, Vec3(2 * up)),
                                joint_at("chest", 3, up), joint_at("neck", 4, up)}));
  EXPECT_EQ(bones[0].tail, Vec3(2 * up));
  const std::vector<int> parents{-1, 0, 0, 0, 3, 4};
  const auto ends = tail_bones(bones, parents);
  EXPECT_EQ(ends[0], std::vector<std::size_t>{3});
  EXPECT_EQ(ends[3], std::vector<std::size_t>{4});
  EXPECT_TRUE(ends[5].empty());
  // Below another bone: onward, not back.
  bones = rest_bones(make({joint_at("root", -1, Vec3(5 * down)), joint_at("hub", 0, Vec3(5 * up)),
                           joint_at("back", 1, Vec3(2 * down)), joint_at("on", 1, Vec3(2 * up)),
                           joint_at("far", 2, down), joint_at("tip", 4, down)}));
  EXPECT_EQ(bones[1].tail, Vec3(2 * up));
}

}  // namespace
}  // namespace sinew
