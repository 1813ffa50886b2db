// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {

/// A skeleton as points and the segments between them.
struct SkeletonShape {
  std::vector<Vec3> joints;
  std::vector<std::array<std::uint32_t, 2>> bones;  ///< joints; one that is twice the same is a point
};

/// The chamfer distances of [xu2020] in hundredths of `size`: 50 (mean over a of the distance to b + mean over
/// b of the distance to a), distances not squared.
struct SkeletonDistances {
  double j2j = 0;  ///< joints to joints
  double j2b = 0;  ///< joints to the other's bones
  double b2b = 0;  ///< bones to bones, as points every 0.005 sizes or less, both ends among them
};
/// size: the longest side of the mesh's box, above 0. Both have joints. O(n log n).
SkeletonDistances skeleton_distances(const SkeletonShape& a, const SkeletonShape& b, double size);

}  // namespace sinew
