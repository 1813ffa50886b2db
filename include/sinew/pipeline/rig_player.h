// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "sinew/deform/pose_space.h"
#include "sinew/pipeline/stack.h"
#include "sinew/rig/rig.h"

namespace sinew {

// Runs a rig: pose spaces, forward kinematics, then the steps of its stack, one on the result of the other.
// Built once, then evaluated per frame without allocating. Keeps a reference to the rig, which must outlive
// it.
class RigPlayer {
 public:
  static Result<RigPlayer> build(const Rig& rig, const DeformRequest& request);

  // Afterwards positions() and normals() hold the pose, in world space.
  void evaluate(const Pose& pose) noexcept { evaluate(pose, rest_); }
  // The same from other rest positions, one for every vertex, bind space.
  void evaluate(const Pose& pose, std::span<const Vec3f> rest) noexcept;

  std::span<const Vec3f> positions() const { return positions_; }
  std::span<const Vec3f> normals() const { return normals_; }
  std::optional<double> energy() const;

 private:
  explicit RigPlayer(const Rig& rig) : rig_(&rig) {}

  const Rig* rig_;
  std::vector<BuiltStep> steps_;
  PoseSpaces pose_spaces_;
  PoseSpaces::Scratch pose_scratch_;
  std::vector<double> default_keys_, keys_;
  std::vector<Vec3f> rest_, rest_normals_, positions_, normals_;
  std::vector<Vec3f> before_, normals_before_;  // what a step works on; only where there are several
  std::vector<Affine3> globals_, matrices_;
};

// The rig's mesh in a pose, world space, with normals: what .obj, .ply and pictures show. A rig without
// joints and keys comes back as it is, in full precision.
struct FrameReport {
  double milliseconds = 0;              // of one frame, once all is built
  std::optional<double> energy;         // elastic, of deformers that minimise it
  std::optional<double> volume_change;  // of closed meshes, over the volume of the rest shape
};
Result<PolyMesh> posed_mesh(const Rig& rig, const Pose& pose, const DeformRequest& request,
                            FrameReport* report = nullptr);

}  // namespace sinew
