// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/mesh/poly_mesh.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew {

// A body for a skeleton that has none: a closed prism from every joint to each of its children, and around
// the bones of joints without any (one bone for each joint), thick enough to meet their neighbours. They
// overlap; what reads it goes through the solid voxel grid.
PolyMesh mesh_around_bones(const Skeleton& skeleton, std::span<const Bone> bones);

}  // namespace sinew
