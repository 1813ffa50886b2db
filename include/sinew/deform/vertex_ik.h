// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/core/result.h"
#include "sinew/rig/handles.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// Options of pose_by_vertices().
struct VertexIkOptions {
  int steps = 200;          ///< at most
  double tolerance = 1e-6;  ///< distance from the targets that is near enough, of the mesh's size
};

/// The result of pose_by_vertices().
struct VertexIk {
  Pose pose;
  double distance = 0;  ///< the largest that is left between a vertex and its target
  int steps = 0;
};

/// Inverse kinematics held by vertices of the mesh: the pose, found by small turns of joints from `pose` on,
/// in which linear blending puts the vertices of `targets` where they are told, or as near as the joints can
/// bring them. Damped least squares: of all turns the smallest. Joints turn and never move; a root stays as it
/// is unless nothing else holds the vertices. kUsage: no targets, a vertex that is not there, a target that is
/// not finite, a pose of another rig. kImpossible: a vertex that no joint holds. A step costs O(joints above
/// the vertices * targets^2).
Result<VertexIk> pose_by_vertices(const Rig& rig, const Pose& pose, std::span<const VertexTarget> targets,
                                  const VertexIkOptions& options = {});

}  // namespace sinew
