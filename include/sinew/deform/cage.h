// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"
#include "sinew/rig/cage.h"

namespace sinew {

// A cage as a step: x + mask * sum_j h_j (C'_j - C_j), D13; what came before it survives. C' is where the
// control points were moved to in a frame (FrameInput::cage_points), else `moved`, both in bind space, else
// where they are; then what the skeleton makes of them where the cage is skinned. A dynamic cage looks h up
// at x in every frame (D14) and holds its grid for that. kBadInput: a cage that does not fit the rig. kUsage:
// another number of moved points.
Result<std::unique_ptr<Deformer>> build_cage(const Rig& rig, const Cage& cage,
                                             std::span<const Vec3> moved = {});

// Where the control points are in a frame: `moved` or at rest, then skinned. out: as many as control points.
void place_controls(const Cage& cage, std::span<const Vec3> moved, std::span<const Affine3> matrices,
                    std::span<Vec3> out) noexcept;

}  // namespace sinew
