// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/deform/needs.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// What prepare() did.
struct PrepareReport {
  double seconds = 0;
  std::vector<std::string> made;  ///< what was computed, one sentence each
};

/// Whether the rig already has all data in `needs`.
bool is_ready(const Rig& rig, const DeformerNeeds& needs);

/// Computes the data that deformers need and the rig lacks: endpoint weights by projection, joint weights
/// from the skin weights, the solid voxel grid of `elastic`. `sinew rig` computes better joint weights than
/// these. Cost: milliseconds for endpoint weights, about a second for the others.
/// @param rig       receives endpoint and joint weights; unchanged on failure
/// @param needs     for a stack: needs_of() of player/stack.h
/// @param data      receives what is not part of the rig; pass it to RigDeformer::build()
/// @param progress  reports stages, and cancels
/// @return fails as make_joint_weights() and elastic_setup().
Result<PrepareReport> prepare(Rig& rig, const DeformerNeeds& needs, DeformerData& data,
                              const Progress* progress = nullptr);

}  // namespace sinew
