// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/rig/rig.h"

namespace sinew {

/// The mesh in a pose, world space, by what any program makes of a glTF file: keys added, then linear
/// blending, in double. Normals by the cofactors of the blended matrix. A rig without joints and keys comes
/// back as it is. The pose has the rig's joints, and its keys or none.
PolyMesh skinned_mesh(const Rig& rig, const Pose& pose);

}  // namespace sinew
