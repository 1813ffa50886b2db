// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/joint_hint.h"

#include <gtest/gtest.h>

namespace sinew {
namespace {

Skeleton named(std::initializer_list<const char*> names) {
  std::vector<Joint> joints;
  for (const char* name : names) {
    Joint joint;
    joint.name = name;
    joint.parent = static_cast<int>(joints.size()) - 1;
    joints.push_back(std::move(joint));
  }
  auto skeleton = Skeleton::create(std::move(joints));
  EXPECT_TRUE(skeleton.ok());
  return *std::move(skeleton);
}

TEST(JointHint, OffersWhatIsSpeltAlikeWithAndWithoutItsPrefix) {
  EXPECT_EQ(joint_hint(named({"Hips", "Spine"}), "Spien"), "; did you mean 'Spine'?");
  EXPECT_EQ(joint_hint(named({"mixamorig:Hips"}), "Hisp"), "; did you mean 'Hips'?");
  EXPECT_EQ(joint_hint(named({"Hips"}), "Tail"), "");
}

TEST(JointHint, TellsHowToNameOneOfSeveral) {
  const Skeleton skeleton = named({"Root", "Bone", "Bone"});
  EXPECT_FALSE(skeleton.find("Bone"));
  EXPECT_NE(joint_hint(skeleton, "Bone").find("'Bone#1' to 'Bone#2'"), std::string::npos);
  EXPECT_TRUE(skeleton.find("Bone#2"));
}

}  // namespace
}  // namespace sinew
