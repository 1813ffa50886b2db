// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/weights/bone_weights.h"

namespace sinew {

/// Which bones heat a vertex.
enum class HeatSource {
  kNearest,  ///< every vertex is warmed by its nearest bone, if it sees it [baran2007]
  kVisible,  ///< by every bone it sees, as 1/distance^2 [vanlommel2008, Sec. 6.7]
  kBlender,  ///< by its nearest bone, distances weighed by the normal; depends on face orientation
};

/// Options of bone_heat_weights().
struct BoneHeatOptions {
  HeatSource source = HeatSource::kNearest;
  double strength = 1;  ///< c in H = k c A / d^2: larger is more rigid
  const Progress* progress = nullptr;
};

/// Equilibrium of heat on the surface: (L + H) w_j = H p_j, L the cotangent stiffness, one factorisation for
/// all bones and one back-substitution a bone. Invariant to rigid motion, uniform scale and (but for kBlender)
/// face orientation. Islands from which no bone is seen are left unbound. kImpossible: the system cannot be
/// factored.
Result<BoneWeights> bone_heat_weights(const BindInput& input, const BoneHeatOptions& options = {});

}  // namespace sinew
