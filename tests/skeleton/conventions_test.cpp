// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/conventions.h"

#include <gtest/gtest.h>

#include <map>

#include "sinew/skeleton/pose.h"
#include "skeletons.h"

namespace sinew {
namespace {

std::vector<Affine3> at_rest(const Skeleton& skeleton) {
  return global_transforms(skeleton, rest_pose(skeleton).local);
}

// As the programs' own documents list them.
TEST(Conventions, JointsAreCalledAsTheProgramsDo) {
  const Skeleton biped = mixamo_body();
  const std::map<std::string, std::vector<std::string>> wanted = {
      {"mixamo",
       {"Hips", "Spine", "Spine2", "Neck", "LeftUpLeg", "RightToeBase", "LeftHandThumb1", "RightHandPinky3"}},
      {"mixamorig",
       {"mixamorig:Hips", "mixamorig:Spine1", "mixamorig:LeftForeArm", "mixamorig:LeftHandIndex2"}},
      {"unreal",
       {"pelvis", "spine_01", "spine_03", "neck_01", "thigh_l", "ball_r", "thumb_01_l", "pinky_03_r",
        "clavicle_l"}},
      {"unity",
       {"Hips", "Chest", "UpperChest", "LeftUpperLeg", "RightToes", "LeftThumbProximal",
        "LeftThumbIntermediate", "RightLittleDistal"}},
      {"godot",
       {"Hips", "Chest", "UpperChest", "LeftUpperLeg", "RightToes", "LeftThumbMetacarpal",
        "RightLittleDistal"}},
      {"vrm",
       {"hips", "chest", "upperChest", "leftUpperLeg", "rightToes", "leftThumbMetacarpal",
        "rightLittleDistal"}},
      {"rigify",
       {"spine", "spine.001", "spine.003", "spine.004", "thigh.L", "toe.R", "thumb.01.L", "f_pinky.03.R",
        "upper_arm.L"}}};
  for (const char* convention : convention_names()) {
    Skeleton named = biped;
    ASSERT_TRUE(rename_joints(named, at_rest(biped), convention).ok());
    for (const std::string& name : wanted.at(convention)) {
      bool found = false;
      for (const Joint& joint : named.joints()) found |= joint.name == name;
      EXPECT_TRUE(found) << convention << ": " << name;
    }
  }
}

TEST(Conventions, EveryConventionRenamesBack) {
  const Skeleton biped = mixamo_body();
  for (const char* there : convention_names())
    for (const char* over : convention_names()) {
      Skeleton named = biped;
      for (const char* convention : {there, over, "mixamo"})
        ASSERT_TRUE(rename_joints(named, at_rest(biped), convention).ok());
      for (std::size_t j = 0; j < biped.size(); ++j)
        EXPECT_EQ(named[j].name, biped[j].name) << there << " " << over;
    }
}

TEST(Conventions, WhatHasNoNameKeepsItsOwnAndIsListed) {
  const Skeleton biped = mixamo_body();
  std::vector<Joint> joints(biped.joints().begin(), biped.joints().end());
  Joint tail;
  tail.name = "pelvis";  // what the hips are called in Unreal
  tail.parent = 0;
  joints.push_back(tail);
  auto tailed = Skeleton::create(joints);
  ASSERT_TRUE(tailed.ok());
  const auto human = find_humanoid(*tailed, at_rest(*tailed));
  ASSERT_TRUE(human);
  const auto names = joint_names(*tailed, *human, "unreal");
  ASSERT_TRUE(names.ok());
  EXPECT_EQ(names->unmatched, std::vector<std::string>{"pelvis"});
  EXPECT_EQ(names->names.back(), "pelvis_");
  EXPECT_EQ(names->matched, biped.size());
  EXPECT_EQ(joint_names(*tailed, *human, "klingon").error().code, ErrorCode::kUsage);
  auto pole = Skeleton::create({tail});
  EXPECT_FALSE(pole.ok());
  tail.parent = -1;
  pole = Skeleton::create({tail});
  ASSERT_TRUE(pole.ok());
  const auto same = rename_joints(*pole, at_rest(*pole), "vrm");
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(same->matched, 0U);
  EXPECT_EQ((*pole)[0].name, "pelvis");
}

}  // namespace
}  // namespace sinew
