// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"

namespace sinew {

/// Keys in tangent space [vanlommel2008, Sec. 5.4], as a step: deltas are stored in the frame of the rest
/// surface at each vertex (its normal and the way to a neighbour) and added in the frame of the surface that
/// comes in, so that turning the base turns the result. On the rest shape itself this is object space; behind
/// a deformer it is not. Weights are FrameInput::key_weights (none given: the keys' defaults). Where a vertex
/// has no frame (no face, or none left) deltas are added as they are.
Result<std::unique_ptr<Deformer>> build_tangent_keys(const Rig& rig);

}  // namespace sinew
