// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/deform/needs.h"
#include "sinew/player/rig_deformer.h"
#include "sinew/player/stack.h"
#include "sinew/rig/live_controls.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// How a rig is deformed, as a user says it.
struct DeformChoice {
  Stack stack = {};                     ///< empty: the rig's own
  LiveControls controls = {};           ///< cages and point handles that are moved
  std::vector<VertexTarget> held = {};  ///< for arap: vertices that are held, world space
  const Progress* progress = nullptr;
};

/// A deformer that runs on every rig: what the rig lacks is computed, and `made` says what.
struct ReadyDeformer {
  RigDeformer deformer;
  RigWorkspace workspace;
  std::vector<std::string> made;
  bool held = false;  ///< by handles or cages that the user moved
};
Result<ReadyDeformer> ready_deformer(const Rig& rig, const DeformChoice& choice = {});

/// A frame that failed, as an error.
Error frame_error(Status status);

/// Nothing that is not finite leaves: kImpossible, naming a vertex, or kBadInput where the file's own pose has
/// such a vertex too. `positions` are those of the frame that `ready` made last.
Result<void> check_frame(const Rig& rig, std::span<const Vec3f> positions, ReadyDeformer& ready);

/// What its frames are of: the rig's mesh, or that subdivided.
const PolyMesh& shown_mesh(const Rig& rig, const RigDeformer& deformer);

/// The rig's mesh in a pose, world space, with normals: what .obj, .ply and pictures show. A rig without
/// joints and keys comes back as it is, in full precision. Fails as ready_deformer, or where a frame cannot be
/// solved.
Result<PolyMesh> posed_mesh(const Rig& rig, const Pose& pose, const DeformChoice& choice = {},
                            std::vector<std::string>* made = nullptr);
/// The same by a deformer that is built.
Result<PolyMesh> posed_mesh(const Rig& rig, const Pose& pose, ReadyDeformer& ready);

/// A pose and what it took to make: what `pose` and the studio tell. Frames under 50 ms are run a second time
/// for their time, once caches and threads are warm.
struct TimedFrame {
  PolyMesh mesh;
  std::optional<PolyMesh> rest;  ///< bind space, where the frame is subdivided; else it is the rig's mesh
  double milliseconds = 0;
  std::optional<double> energy;  ///< elastic, of deformers that minimise it
  std::vector<std::string> made;
};
Result<TimedFrame> timed_frame(const Rig& rig, const Pose& pose, const DeformChoice& choice = {});

}  // namespace sinew
