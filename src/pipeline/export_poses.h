// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/deform/pose_space.h"
#include "sinew/pipeline/export.h"
#include "sinew/weights/skin_fit.h"

namespace sinew {

// What is baked, and what of its skeleton drivers look at.
struct ExportSource {
  const Rig& rig;
  ReadyDeformer ready;
  PoseSpaces spaces;
  std::vector<Affine3> bind;       // per joint
  std::vector<int> bone_parents;   // per bone, which is the joint of the same index
  std::vector<JointFrame> frames;  // per bone
  MotionRange range;
  Vec3 origin = Vec3::Zero();
  double diagonal = 0;
  std::vector<std::uint8_t> fixed;  // per vertex: 1 where it is no flesh of the skeleton

  // Key weights of the pose, those of pose spaces in.
  std::vector<double> key_weights(const Pose& pose) const;
  // What carries bind space into the pose, counted from the origin.
  std::vector<Affine3> matrices(const Pose& pose) const;
  std::vector<JointMove> moves(std::span<const Affine3> matrices) const;
};
Result<ExportSource> export_source(const Rig& rig, const ExportRequest& request);

// Turns of single joints, then poses in which all turn a little, on top of the file's own pose. Different
// seeds give different poses; seed 0 is the fit's.
std::vector<Pose> range_poses(const ExportSource& source, unsigned seed, std::size_t most);

// start, start + 1/fps, … and the end of a clip; or what lies halfway between these.
std::vector<double> clip_times(const Clip& clip, double fps, bool between = false);
// At most so many of the poses of some clips, evenly.
Result<std::vector<Pose>> clip_poses(const Rig& rig, std::span<const std::size_t> clips, double fps,
                                     bool between, std::size_t most);

// The source in these poses. Progress goes from `begin` to `end` of the stage.
Result<SkinSequence> sampled(ExportSource& source, std::span<const Pose> poses, const Progress* progress);

}  // namespace sinew
