// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "sinew/math/types.h"

namespace sinew {

/// Where along a -> b the point nearest to p lies, in [0, 1]; 0 for a segment without length.
inline double nearest_on_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  const Vec3 along = b - a;
  const double squared = along.squaredNorm();
  return squared > 0 ? std::clamp((p - a).dot(along) / squared, 0.0, 1.0) : 0.0;
}

inline double distance_to_segment(const Vec3& p, const Vec3& a, const Vec3& b) {
  return (a + nearest_on_segment(p, a, b) * (b - a) - p).norm();
}

}  // namespace sinew
