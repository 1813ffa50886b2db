// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/mesh/poly_mesh.h"
#include "sinew/rig/skin_weights.h"

namespace sinew {

/// The result of transfer_weights().
struct Transferred {
  SkinWeights weights;          ///< a row for every target position
  double largest_distance = 0;  ///< from a target vertex to the source's surface
};

/// Weights of one mesh for another (clothes over a body, a level of detail): every target vertex takes the row
/// at the nearest point of the source's surface. Both lie in the same space. `joint_map[j]` is the target's
/// joint for the source's joint j, or -1: its weight then goes to the row's other joints. kImpossible: the
/// source has no faces, or a row loses all its joints.
Result<Transferred> transfer_weights(MeshView source, const SkinWeights& weights,
                                     std::span<const Vec3> target, std::span<const int> joint_map);

}  // namespace sinew
