// SPDX-License-Identifier: Apache-2.0
// One header for all of the library.
#include <gtest/gtest.h>

#include "sinew/sinew.h"

namespace sinew {
namespace {

TEST(WholeLibrary, RigsPosesAndShowsAMeshByOneHeader) {
  auto arm = make_character("arm", {.resolution = 300});
  ASSERT_TRUE(arm.ok());
  ASSERT_TRUE(bind(*arm, {.method = "heat", .joint_weights = "skin"}).ok());
  const auto pose = make_pose(*arm, {.turns = {{arm->skeleton[1].name, Vec3(0, 0, 60)}}});
  ASSERT_TRUE(pose.ok());
  const auto deformer = RigDeformer::build(*arm, "swing-twist");
  ASSERT_TRUE(deformer.ok()) << deformer.error().message;
  RigWorkspace workspace = deformer->make_workspace();
  std::vector<Vec3f> positions(deformer->vertex_count());
  EXPECT_EQ(deformer->evaluate(*pose, workspace, positions), Status::kOk);
  const auto picture = picture_of(*arm, {});
  ASSERT_TRUE(picture.ok());
}

}  // namespace
}  // namespace sinew
