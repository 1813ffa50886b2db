// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinew/math/types.h"
#include "sinew/mesh/control_rows.h"

namespace sinew {

/// Where a vertex is to go, world space: a handle of as-rigid-as-possible.
struct VertexTarget {
  std::uint32_t vertex = 0;
  Vec3 position = Vec3::Zero();
};

/// A point that moves the mesh around it with a whole transform.
struct PointHandle {
  std::string name;
  Vec3 position = Vec3::Zero();  ///< at rest, bind space
  int joint = -1;                ///< moves with this joint of the skeleton; -1: only by itself
};

/// The point handles of a rig, and how much each vertex follows them.
struct PointHandles {
  std::vector<PointHandle> points;
  ControlRows weights;  ///< per vertex of the rig; each row sums to 1

  bool empty() const { return points.empty(); }
};

/// Where a point handle is to go, world space.
struct HandleTarget {
  std::uint32_t handle = 0;
  Vec3 position = Vec3::Zero();
  Quat rotation = Quat::Identity();
};

}  // namespace sinew
