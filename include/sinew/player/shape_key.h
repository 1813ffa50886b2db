// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "sinew/rig/rig.h"

namespace sinew {

/// Adds a shape of the mesh in a pose (world space) as a shape key that gives it, at weight 1, in that pose by
/// linear blending, and sets it in the pose. Vertices whose blended matrix is singular stay as they are; the
/// number of them is returned.
std::size_t add_shape_as_key(Rig& rig, Pose& pose, std::span<const Vec3> shape, const std::string& name);

}  // namespace sinew
