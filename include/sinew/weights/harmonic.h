// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/weights/bone_weights.h"

namespace sinew {

/// Options of harmonic_weights().
struct HarmonicOptions {
  double margin = 0.25;  ///< the share of a bone next to a joint that is left free; a free end of a chain is
                         ///< held to its tip
  const Progress* progress = nullptr;
};

/// Harmonic weights on the surface [vanlommel2008, Sec. 4.2]: vertices beside the middle of a bone that they
/// see belong to it wholly, and between them every weight solves Laplace's equation. Islands that hold no such
/// vertex are left unbound. kImpossible: the system cannot be factored.
Result<BoneWeights> harmonic_weights(const BindInput& input, const HarmonicOptions& options = {});

/// The vertices that harmonic_weights holds: the bone of each, or -1. A bone beside which no vertex lies holds
/// its nearest seen one.
std::vector<int> harmonic_anchors(const BindInput& input, const HarmonicOptions& options = {});

}  // namespace sinew
