// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/math/types.h"

namespace sinew::autorig {

// p' = scale * rotation * p + translation.
struct Similarity {
  Mat3 rotation = Mat3::Identity();
  double scale = 0;  // 0: the points have no extent
  Vec3 translation = Vec3::Zero();
  double error = 1;  // what is left, relative to the extent of `to`: sqrt(mean square)
};

// The proper similarity that brings `from` nearest to `to`, point by point (as many of each).
Similarity fit_similarity(std::span<const Vec3> from, std::span<const Vec3> to);

}  // namespace sinew::autorig
