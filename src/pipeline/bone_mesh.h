// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/mesh/poly_mesh.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew {

// A body for a skeleton that has none: a closed prism around every bone, thick enough to meet its
// neighbours. They overlap; what reads it goes through the voxel body.
PolyMesh mesh_around_bones(std::span<const Bone> bones);

}  // namespace sinew
