// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sinew/characters/characters.h"
#include "sinew/player/rig_deformer.h"
#include "sinew/player/stack.h"

namespace sinew {
namespace {

Rig stacked_cylinder() {
  auto rig = make_character("cylinder", {.resolution = 300});
  EXPECT_TRUE(rig.ok());
  return *std::move(rig);
}

TEST(UsableStack, KeepsWhatFits) {
  const Rig rig = stacked_cylinder();
  const Stack stack = {{"keys", "", {}}, {"skeleton", "below:" + rig.skeleton[1].name, {}}, {"mush", "", {}}};
  std::vector<std::string> skipped;
  const auto usable = usable_stack(rig, stack, &skipped);
  ASSERT_TRUE(usable.ok());
  EXPECT_EQ(usable->size(), 3u);
  EXPECT_TRUE(skipped.empty());
}

TEST(UsableStack, LeavesOutWhatNamesJointsThatAreGone) {
  const Rig rig = stacked_cylinder();
  const Stack stack = {
      {"skeleton", "", {{"deformer", std::string("curve")}, {"bone_segments", NamedNumbers{{"Gone", 3.0}}}}},
      {"mush", "!below:Gone", {}}};
  std::vector<std::string> skipped;
  const auto usable = usable_stack(rig, stack, &skipped);
  ASSERT_TRUE(usable.ok());
  ASSERT_EQ(usable->size(), 1u);
  EXPECT_TRUE(std::get<NamedNumbers>((*usable)[0].settings.at("bone_segments")).empty());
  ASSERT_EQ(skipped.size(), 2u);
  EXPECT_NE(skipped[0].find("bone_segments"), std::string::npos);
  EXPECT_NE(skipped[1].find("step 2 of the stack (mush) is skipped"), std::string::npos);
}

TEST(UsableStack, TheDeformerTellsWhatItSkipped) {
  Rig rig = stacked_cylinder();
  rig.stack = {{"skeleton", "", {}}, {"mush", "below:Gone", {}}};
  const auto deformer = RigDeformer::build(rig);
  ASSERT_TRUE(deformer.ok());
  ASSERT_EQ(deformer->warnings().size(), 1u);
  EXPECT_NE(deformer->warnings()[0].find("'Gone'"), std::string::npos);
}

TEST(UsableStack, WhatIsStoredWronglyIsBadInputAndNamesItsPlace) {
  const Rig rig = stacked_cylinder();
  const auto refused = [&](const StackEntry& entry) {
    const auto usable = usable_stack(rig, {{"keys", "", {}}, entry});
    EXPECT_FALSE(usable.ok());
    EXPECT_EQ(usable.error().code, ErrorCode::kBadInput);
    EXPECT_TRUE(usable.error().parameter.empty());
    EXPECT_NE(usable.error().message.find("step 2 of the stack"), std::string::npos);
    return usable.error().message;
  };
  EXPECT_NE(refused({"mush", "", {{"passes", -1.0}}}).find("'passes'"), std::string::npos);
  EXPECT_NE(refused({"mush", "_GONE", {}}).find("_GONE"), std::string::npos);
  EXPECT_NE(refused({"jelly", "", {}}).find("skeleton"), std::string::npos);
  EXPECT_NE(refused({"skeleton", "", {{"deformer", std::string("jelly")}}}).find("dqs"), std::string::npos);
}

TEST(UsableStack, WhatAUserSaysOfJointsThatAreNotThereIsUsage) {
  const Rig rig = stacked_cylinder();
  const auto stack = stack_with(rig, "curve", {{"bone-segments", NamedNumbers{{"Gone", 3.0}}}});
  ASSERT_FALSE(stack.ok());
  EXPECT_EQ(stack.error().code, ErrorCode::kUsage);
  EXPECT_EQ(stack.error().parameter, "bone-segments");
}

}  // namespace
}  // namespace sinew
