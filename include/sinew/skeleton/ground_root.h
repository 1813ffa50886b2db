// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// The skeleton with a joint on the ground above all others, which moves the whole body as game engines expect it, and
/// deforms nothing: it comes last, with the axes of `body` (left, up and front as columns, a rotation) at rest. The
/// ground is the plane at right angles to up below the lowest of `positions`, level where up is within 40 degrees of a
/// coordinate axis, as bodies lean; the joint lies where the origin is above or
/// below it, if that is within the box of `positions`, as bodies are modelled over the origin, else under the first root.
/// It is called Root, or Ground where that name is taken. A skeleton whose first root lies within 3 % of the body's height
/// of the ground stays as it is, and so does an empty one. O(joints + positions).
Result<Skeleton> with_ground_root(const Skeleton& skeleton, std::span<const Vec3> positions,
                                  const Mat3& body);

}  // namespace sinew
