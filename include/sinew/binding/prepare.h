// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/deform/needs.h"
#include "sinew/rig/rig.h"

namespace sinew {

struct PrepareReport {
  double seconds = 0;
  std::vector<std::string> made;  ///< what the rig lacked and has now, a sentence each
};

/// Whether the rig holds all of that already.
bool is_ready(const Rig& rig, const DeformerNeeds& needs);

/// Makes what deformers need (needs_of() of player/stack.h says it for a stack) and the rig lacks: endpoint
/// weights by projection, joint weights from the skin weights, the voxel body of `elastic`, which goes into
/// `data`. `sinew rig` makes better joint weights than these. Fails as make_joint_weights and elastic_setup
/// do; the rig is unchanged then.
Result<PrepareReport> prepare(Rig& rig, const DeformerNeeds& needs, DeformerData& data,
                              const Progress* progress = nullptr);

}  // namespace sinew
