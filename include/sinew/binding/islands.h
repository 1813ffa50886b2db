// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/mesh/topology.h"
#include "sinew/weights/bone_weights.h"

namespace sinew {

/// Which pieces of a mesh move with the body under them: eyes in their sockets, buttons, teeth.
struct IslandPlan {
  Components components;               ///< of the welded surface
  std::vector<std::uint32_t> by_size;  ///< components, largest surface first; the body is by_size[0]
  std::vector<std::uint8_t> follows;   ///< per component
  std::size_t following = 0;
};

/// An island follows where it is small beside the body and near it, or where `linked` names it (as a place in
/// by_size). Where the body is less than half of the surface there is no body, and only linked islands follow.
IslandPlan plan_islands(MeshView surface, bool follow_small, std::span<const std::size_t> linked);

/// The rows of islands that follow, taken from the surface that does not, at the nearest point: one row for a
/// small island, so that it stays rigid, else one a vertex.
void follow_body(MeshView surface, const IslandPlan& plan, BoneWeights& weights);

/// Per vertex the point of the body whose motion it has: its own place, or, on an island that follows, the
/// nearest of the surface that does not (to the middle of the island, where that is small).
std::vector<Vec3> leading_points(MeshView surface, const IslandPlan& plan);

}  // namespace sinew
