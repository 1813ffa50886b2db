// SPDX-License-Identifier: Apache-2.0
#include <sinew/characters/characters.h>
#include <sinew/pipeline/pose_request.h>
#include <sinew/pipeline/rig_player.h>
#include <sinew/pipeline/save.h>

#include <cstdio>

// The five lines of the README; what they return is a Result, and its message a sentence for the user.
static sinew::Result<void> bend_an_arm() {
  SINEW_TRY(sinew::Rig arm, sinew::make_character("arm"));
  SINEW_TRY(sinew::Pose pose, sinew::make_pose(arm, {.turns = {{arm.skeleton[1].name, {0, 0, 90}}}}));
  SINEW_TRY(sinew::PolyMesh bent, sinew::posed_mesh(arm, pose, {.deformer = "dqs"}));
  return sinew::save_mesh(bent, "bent_arm.obj", sinew::Overwrite::kYes);
}

int main() {
  const sinew::Result<void> done = bend_an_arm();
  if (done.ok()) return 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return static_cast<int>(done.error().code);
}
