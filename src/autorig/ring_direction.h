// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "autorig/half_edges.h"

namespace sinew::autorig {

// Which of the two edges of a face at a vertex runs around the limb, and which along it.
struct RingDirection {
  double spread[2];  // of the curve in the plane of the face's normal and the edge that leaves the vertex [0]
                     // or comes in to it [1]: largest less smallest distance from its centre
  bool leaving_is_around() const { return spread[0] < spread[1]; }
};

// The test of [bian2018]: a ray from the vertex into the body against the normal of the face, the point
// half-way to where it leaves, and ten lines through that point, 18 degrees apart, in each of the two planes.
// The plane whose twenty points lie more evenly about their centre runs around. `corner` is a half-edge of
// the face that leaves the vertex; `faces` are those that the lines may meet, usually the limb's own: a line
// that meets none of them has an infinite spread. nullopt where the ray meets nothing.
std::optional<RingDirection> ring_direction(const PolyMesh& mesh, std::span<const std::uint32_t> faces,
                                            std::uint32_t face, std::uint32_t vertex);

}  // namespace sinew::autorig
