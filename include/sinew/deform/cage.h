// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"
#include "sinew/rig/cage.h"

namespace sinew {

/// A cage as a step: x + mask * sum_j h_j (C'_j - C_j) [joshi2007]; what came before it survives. C' is where
/// the control points were moved to in a frame (FrameInput::cage_points), else `moved`, both in bind space,
/// else where they are; then what the skeleton makes of them where the cage is skinned. A dynamic cage looks h
/// up at x in every frame and holds its grid for that. kBadInput: a cage that does not fit the rig. kUsage:
/// another number of moved points.
Result<std::unique_ptr<Deformer>> build_cage(const Rig& rig, const Cage& cage,
                                             std::span<const Vec3> moved = {});

/// Whether the skeleton moves the cage.
bool is_skinned(const Cage& cage);

/// The rig's skinned cages beside the deformer that follows the joints: m cage(x) + (1 - m) skeleton(x), both
/// from the same x, masks of cages that overlap divided by their sum [vanlommel2008, Sec. 7.2.4]. What steps
/// before have moved, and how far a vertex lies outside, turns along: with the gradient of the cage where that
/// is dynamic, else of its nearest face.
Result<std::unique_ptr<Deformer>> build_skinned_cages(const Rig& rig, std::unique_ptr<Deformer> skeleton);

/// Where the control points are in a frame: `moved` or at rest, then skinned. out: as many as control points.
void place_controls(const Cage& cage, std::span<const Vec3> moved, std::span<const Affine3> matrices,
                    std::span<Vec3> out) noexcept;

}  // namespace sinew
