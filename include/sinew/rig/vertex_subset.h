// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/rig/rig.h"

namespace sinew {

/// The same rig with these triangles of its vertices instead of its faces, and with no other vertices. Normals,
/// texture coordinates, weights of all kinds, flesh, shape keys and attributes stay as they are at each vertex;
/// cages, point handles and loose edges go. Each triangle has its corners in one part. Cost: triangles times parts.
/// `kept`: the vertices that stay, ascending.
Rig with_triangles(const Rig& rig, std::span<const Triangle> triangles, std::vector<std::uint32_t>& kept);

}  // namespace sinew
