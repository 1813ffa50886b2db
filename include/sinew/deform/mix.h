// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sinew/deform/deformer.h"

namespace sinew {

/// How much of DQS is in the mix, 0 to 1. At most one of the two lists is given; `mix` counts where neither
/// is.
struct MixOptions {
  double mix = 0.5;
  std::vector<float> per_vertex = {};  ///< vertex_count numbers, or empty
  std::vector<float> per_joint =
      {};  ///< joint count numbers, or empty; a vertex has the mean over its weights
};

/// p' = (1 - m) lbs(p) + m dqs(p). Where m is 0 (or 1) for all vertices the result is that of build_lbs (or
/// build_dqs) bit for bit. Normals are mixed likewise and have length 1; opposite ones that cancel out give
/// the LBS normal. kUsage: both lists, a list of the wrong size, or a number outside [0, 1]. Else fails as
/// build_lbs does.
Result<std::unique_ptr<Deformer>> build_mix(const Rig& rig, const MixOptions& options = {});

}  // namespace sinew
