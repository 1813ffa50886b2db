// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/weights/bone_weights.h"

namespace sinew {

/// Options of inverse_distance_weights().
struct InverseDistanceOptions {
  double power = 2;  ///< w_j ~ d_j^-power
};

/// Shepard's weights from the distances to the bones [jacobson2011]. A vertex on k bones gets 1/k of each.
/// Ignores the surface: a hand beside a thigh is bound to it. n * m distances.
BoneWeights inverse_distance_weights(const BindInput& input, const InverseDistanceOptions& options = {});

}  // namespace sinew
