// SPDX-License-Identifier: Apache-2.0
#include "autorig/joint_count.h"

#include <gtest/gtest.h>

#include <map>

namespace sinew::autorig {
namespace {

struct Bones {
  TemplateData model;
  std::vector<PlacedJoint> placed;

  void add(const char* name, int parent, const Vec3& head, int mirror = -1) {
    TemplateJoint joint;
    joint.name = name;
    joint.parent = parent;
    joint.mirror = mirror;
    model.joints.push_back(joint);
    PlacedJoint place;
    place.head = head;
    placed.push_back(place);
  }
  std::map<std::string, Vec3> places() const {
    std::map<std::string, Vec3> at;
    for (std::size_t j = 0; j < placed.size(); ++j) {
      EXPECT_LT(model.joints[j].parent, static_cast<int>(j)) << "parents come first";
      at[model.joints[j].name] = placed[j].head;
    }
    EXPECT_EQ(at.size(), placed.size());
    return at;
  }
};

// A root with two arms of two bones each: 1 and 4 long.
Bones two_arms() {
  Bones bones;
  bones.add("Root", -1, {0, 0, 0}, 0);
  bones.add("LeftArm", 0, {1, 0, 0}, 3);
  bones.add("LeftHand", 1, {2, 0, 0}, 4);
  bones.add("RightArm", 0, {-1, 0, 0}, 1);
  bones.add("RightHand", 3, {-2, 0, 0}, 2);
  bones.placed[2].tail = Vec3(6, 0, 0);
  bones.placed[4].tail = Vec3(-6, 0, 0);
  return bones;
}

TEST(JointCount, TheLongestBonesAreHalvedOnBothSides) {
  Bones bones = two_arms();
  set_joint_count(7, bones.model, bones.placed);
  const auto at = bones.places();
  ASSERT_EQ(at.size(), 7u);
  EXPECT_EQ(at.at("LeftHand_2"), Vec3(4, 0, 0));
  EXPECT_EQ(at.at("RightHand_2"), Vec3(-4, 0, 0));
  for (std::size_t j = 0; j < 7; ++j) {
    const int image = bones.model.joints[j].mirror;
    ASSERT_GE(image, 0);
    EXPECT_EQ(bones.model.joints[static_cast<std::size_t>(image)].mirror, static_cast<int>(j));
    EXPECT_EQ(bones.placed[static_cast<std::size_t>(image)].head.x(), -bones.placed[j].head.x());
  }
}

TEST(JointCount, ABoneBetweenTwoJointsIsCutAndTheChainStaysOne) {
  Bones bones;
  bones.add("A", -1, {0, 0, 0});
  bones.add("B", 0, {0, 4, 0});
  bones.placed[1].tail = Vec3(0, 5, 0);
  set_joint_count(4, bones.model, bones.placed);
  const auto at = bones.places();
  ASSERT_EQ(at.size(), 4u);
  EXPECT_EQ(at.at("A_2"), Vec3(0, 2, 0));
  for (std::size_t j = 1; j < 4; ++j) EXPECT_EQ(bones.model.joints[j].parent, static_cast<int>(j) - 1);
  EXPECT_EQ(bones.model.joints[3].name, "B");
}

TEST(JointCount, TheStraightestJointsGoAndEndsAndForksStay) {
  Bones bones = two_arms();
  bones.add("Spine", 0, {0, 1, 0}, 5);
  bones.add("Chest", 5, {0, 2, 1}, 6);
  bones.add("Head", 6, {0, 3, 0}, 7);
  set_joint_count(6, bones.model, bones.placed);
  auto at = bones.places();
  EXPECT_EQ(at.size(), 6u);
  EXPECT_FALSE(at.contains("LeftArm") || at.contains("RightArm")) << "they lie on the line to the hands";
  EXPECT_TRUE(at.contains("Chest")) << "it bends";
  set_joint_count(1, bones.model, bones.placed);
  at = bones.places();
  EXPECT_EQ(at.size(), 4u);
  for (const char* name : {"Root", "LeftHand", "RightHand", "Head"}) EXPECT_TRUE(at.contains(name)) << name;
}

TEST(JointCount, JointsThatTheBodyLacksAreLeftOut) {
  Bones bones = two_arms();
  bones.placed[2].present = bones.placed[4].present = false;
  set_joint_count(3, bones.model, bones.placed);
  EXPECT_EQ(bones.places().size(), 3u);
}

}  // namespace
}  // namespace sinew::autorig
