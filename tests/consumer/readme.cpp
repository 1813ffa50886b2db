// SPDX-License-Identifier: Apache-2.0
// The five lines of the README; what they return is a Result, and its message a sentence for the user.
#include <sinew/io/asset.h>
#include <sinew/player/rig_deformer.h>
#include <sinew/skeleton/clip.h>

#include <cstdio>

static sinew::Result<void> play(const char* file, double seconds, std::vector<sinew::Vec3f>& positions) {
  SINEW_TRY(const sinew::Asset hero, sinew::read_asset(file));
  SINEW_TRY(const sinew::RigDeformer deformer, sinew::RigDeformer::build(hero.rig, "dqs"));
  sinew::RigWorkspace workspace = deformer.make_workspace();
  sinew::Pose pose = sinew::rest_pose(hero.rig.skeleton);
  sinew::sample_clip(hero.rig.clips[0], hero.rig.skeleton, seconds, pose);
  positions.resize(deformer.vertex_count());
  if (deformer.evaluate(pose, workspace, positions) == sinew::Status::kOk) return {};
  return sinew::impossible("the pose does not fit the rig");
}

int main(int, char** argv) {
  std::vector<sinew::Vec3f> positions;
  const sinew::Result<void> done = play(argv[1], 0.5, positions);
  if (done.ok()) return positions.empty() ? 1 : 0;
  std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return static_cast<int>(done.error().code);
}
