// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/humanoid.h"

#include <gtest/gtest.h>

#include <string>

#include "sinew/skeleton/pose.h"

namespace sinew {
namespace {

using H = HumanJoint;

struct NamedHead {
  std::string name;
  int parent;
  Vec3 head;
};

// Joints at world places, axes parallel to the world's.
Skeleton human_skeleton(const std::vector<NamedHead>& joints) {
  std::vector<Joint> made;
  for (const NamedHead& joint : joints) {
    Joint one;
    one.name = joint.name;
    one.parent = joint.parent;
    const Vec3 above =
        joint.parent < 0 ? Vec3::Zero().eval() : joints[static_cast<std::size_t>(joint.parent)].head;
    one.rest_local = Affine3(Eigen::Translation3d(joint.head - above));
    made.push_back(one);
  }
  auto skeleton = Skeleton::create(std::move(made));
  EXPECT_TRUE(skeleton.ok());
  return *std::move(skeleton);
}

// A body of 21 joints called by `names`, in this order: hips, spine, chest, neck, head; left, then right:
// shoulder, upper arm, forearm, hand; thigh, shin, foot, toes.
std::vector<NamedHead> human_body(const std::vector<std::string>& names) {
  std::vector<NamedHead> joints = {{names[0], -1, {0, 1, 0}},
                                   {names[1], 0, {0, 1.15, 0}},
                                   {names[2], 1, {0, 1.3, 0}},
                                   {names[3], 2, {0, 1.5, 0}},
                                   {names[4], 3, {0, 1.6, 0.02}}};
  std::size_t next = 5;
  for (const double side : {1.0, -1.0}) {
    const int first = static_cast<int>(joints.size());
    joints.push_back({names[next++], 2, {side * 0.04, 1.45, 0}});
    joints.push_back({names[next++], first, {side * 0.18, 1.45, 0}});
    joints.push_back({names[next++], first + 1, {side * 0.45, 1.45, 0}});
    joints.push_back({names[next++], first + 2, {side * 0.7, 1.45, 0}});
    joints.push_back({names[next++], 0, {side * 0.1, 0.95, 0}});
    joints.push_back({names[next++], first + 4, {side * 0.1, 0.5, 0.02}});
    joints.push_back({names[next++], first + 5, {side * 0.1, 0.08, 0}});
    joints.push_back({names[next++], first + 6, {side * 0.1, 0.02, 0.14}});
  }
  return joints;
}

std::optional<Humanoid> human_in(const Skeleton& skeleton) {
  return find_humanoid(skeleton, global_transforms(skeleton, rest_pose(skeleton).local));
}

void expect_body(const std::optional<Humanoid>& human, const std::string& what) {
  ASSERT_TRUE(human.has_value()) << what;
  const H order[] = {H::kHips, H::kSpine, H::kChest, H::kNeck, H::kHead};
  for (int j = 0; j < 5; ++j) EXPECT_EQ((*human)[order[j]], j) << what;
  const H limbs[] = {H::kLeftShoulder, H::kLeftUpperArm, H::kLeftLowerArm, H::kLeftHand,
                     H::kLeftUpperLeg, H::kLeftLowerLeg, H::kLeftFoot,     H::kLeftToes};
  for (int side = 0; side < 2; ++side)
    for (int k = 0; k < 8; ++k)
      EXPECT_EQ((*human)[on_side(limbs[k], side)], 5 + 8 * side + k) << what << " " << k;
}

TEST(Humanoid, JointsAreFoundByTheNamesOfEveryConvention) {
  const std::vector<std::vector<std::string>> conventions = {
      {"mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Neck", "mixamorig:Head",
       "LeftShoulder",   "LeftArm",         "LeftForeArm",      "LeftHand",       "LeftUpLeg",
       "LeftLeg",        "LeftFoot",        "LeftToeBase",      "RightShoulder",  "RightArm",
       "RightForeArm",   "RightHand",       "RightUpLeg",       "RightLeg",       "RightFoot",
       "RightToeBase"},
      {"pelvis",     "spine_01",   "spine_02", "neck_01", "head",   "clavicle_l", "upperarm_l",
       "lowerarm_l", "hand_l",     "thigh_l",  "calf_l",  "foot_l", "ball_l",     "clavicle_r",
       "upperarm_r", "lowerarm_r", "hand_r",   "thigh_r", "calf_r", "foot_r",     "ball_r"},
      {"hips",          "spine",         "chest",         "neck",          "head",         "leftShoulder",
       "leftUpperArm",  "leftLowerArm",  "leftHand",      "leftUpperLeg",  "leftLowerLeg", "leftFoot",
       "leftToes",      "rightShoulder", "rightUpperArm", "rightLowerArm", "rightHand",    "rightUpperLeg",
       "rightLowerLeg", "rightFoot",     "rightToes"},
      {"DEF-spine",      "DEF-spine.001",   "DEF-spine.002", "DEF-spine.004",  "DEF-spine.006",
       "DEF-shoulder.L", "DEF-upper_arm.L", "DEF-forearm.L", "DEF-hand.L",     "DEF-thigh.L",
       "DEF-shin.L",     "DEF-foot.L",      "DEF-toe.L",     "DEF-shoulder.R", "DEF-upper_arm.R",
       "DEF-forearm.R",  "DEF-hand.R",      "DEF-thigh.R",   "DEF-shin.R",     "DEF-foot.R",
       "DEF-toe.R"},
      {"Bip01 Pelvis",     "Bip01 Spine",      "Bip01 Spine1",    "Bip01 Neck",       "Bip01 Head",
       "Bip01 L Clavicle", "Bip01 L UpperArm", "Bip01 L Forearm", "Bip01 L Hand",     "Bip01 L Thigh",
       "Bip01 L Calf",     "Bip01 L Foot",     "Bip01 L Toe0",    "Bip01 R Clavicle", "Bip01 R UpperArm",
       "Bip01 R Forearm",  "Bip01 R Hand",     "Bip01 R Thigh",   "Bip01 R Calf",     "Bip01 R Foot",
       "Bip01 R Toe0"},
      {"pelvis",        "spine1",       "spine2",         "neck",        "head",        "left_collar",
       "left_shoulder", "left_elbow",   "left_wrist",     "left_hip",    "left_knee",   "left_ankle",
       "left_foot",     "right_collar", "right_shoulder", "right_elbow", "right_wrist", "right_hip",
       "right_knee",    "right_ankle",  "right_foot"},
      {"root",         "spine02",      "spine01",      "neck01",       "head",         "clavicle.L",
       "upperarm01.L", "lowerarm01.L", "wrist.L",      "upperleg01.L", "lowerleg01.L", "foot.L",
       "toe1.L",       "clavicle.R",   "upperarm01.R", "lowerarm01.R", "wrist.R",      "upperleg01.R",
       "lowerleg01.R", "foot.R",       "toe1.R"}};
  for (const auto& names : conventions) expect_body(human_in(human_skeleton(human_body(names))), names[6]);
}

TEST(Humanoid, WithoutTellingNamesHierarchyAndPlaceTell) {
  std::vector<std::string> names;
  for (int k = 0; k < 21; ++k) names.push_back("joint" + std::to_string(k));
  const auto human = human_in(human_skeleton(human_body(names)));
  expect_body(human, "nameless");
  ASSERT_TRUE(human);
  EXPECT_EQ(human->by_name, 0u);
}

TEST(Humanoid, TheBodysAxesFollowItsFacing) {
  std::vector<std::string> names;
  for (int k = 0; k < 21; ++k) names.push_back("joint" + std::to_string(k));
  for (const Mat3& turn : {Mat3(Eigen::AngleAxisd(1.5707963267948966, Vec3::UnitY()).toRotationMatrix()),
                           Mat3(Eigen::AngleAxisd(1.5707963267948966, Vec3::UnitX()).toRotationMatrix())}) {
    std::vector<NamedHead> joints = human_body(names);
    for (NamedHead& joint : joints) joint.head = turn * joint.head;
    const auto human = human_in(human_skeleton(joints));
    expect_body(human, "turned");
    ASSERT_TRUE(human);
    EXPECT_LT((human->axes - turn).norm(), 1e-9);
  }
}

TEST(Humanoid, WhatStandsOnFourLegsIsNone) {
  std::vector<NamedHead> joints = {{"Hips", -1, {0, 0.5, -0.3}},
                                   {"Spine", 0, {0, 0.52, 0}},
                                   {"Neck", 1, {0, 0.6, 0.3}},
                                   {"Head", 2, {0, 0.75, 0.4}}};
  for (const double side : {1.0, -1.0})
    for (const double z : {0.2, -0.3}) {
      const int first = static_cast<int>(joints.size()), above = z > 0 ? 1 : 0;
      joints.push_back({"a", above, {side * 0.1, 0.45, z}});
      joints.push_back({"b", first, {side * 0.1, 0.25, z}});
      joints.push_back({"c", first + 1, {side * 0.1, 0.02, z}});
    }
  EXPECT_FALSE(human_in(human_skeleton(joints)));
  EXPECT_FALSE(human_in(human_skeleton({{"wheel", -1, {0, 0, 0}}})));
}

}  // namespace
}  // namespace sinew
