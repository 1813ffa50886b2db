// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sinew/rig/skin_weights.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// Per joint of the skins: 1 where it moves skin as a part of a limb, that is where it has a weight above 1e-4 of
/// some vertex (of a rigid part: for a node below it), or one of the joints above it has and one of those below it. All others are controls: a root
/// above what deforms, handles and pole targets of inverse kinematics, sockets, ends of chains. Where one
/// joint at most has weights, as in a skeleton that is not bound yet, they tell nothing and all are 1. Linear.
std::vector<std::uint8_t> weighted_joints(const Skeleton& skeleton, const SkinWeights& weights);

}  // namespace sinew
