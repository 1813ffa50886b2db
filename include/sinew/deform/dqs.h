// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"

namespace sinew {

/// Dual quaternion skinning [kavan2008]. Each skinning matrix is split once per frame into a stretch about the
/// joint's bind position and the rigid motion behind it (polar split; a reflection stays in the stretch).
/// Stretches are blended linearly and applied first, then the rigid motions as dual quaternions, each with the
/// sign that agrees with the row's largest weight. Weights are normalised; a vertex without influences stays.
/// Where two bones are turned by more than 180 degrees against each other the blend takes the shorter way
/// round, so it jumps as the angle passes 180. Normals keep their length without stretch, else they have
/// length 1. Fails as build_lbs does.
Result<std::unique_ptr<Deformer>> build_dqs(const Rig& rig);

}  // namespace sinew
