// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/rig/rig.h"

namespace sinew {

/// Places near a rig that its numbers can be counted from. Floats have seven digits: of a mesh that lies 10^5
/// of its sizes from the origin two are left for its shape.
struct LocalOrigin {
  Vec3 bind = Vec3::Zero();   ///< near the mesh in bind space
  Vec3 world = Vec3::Zero();  ///< near the mesh in the file's own pose

  bool is_zero() const { return bind.isZero(0) && world.isZero(0); }
};

/// A place near the points, or zero where they lie within 16 of their sizes from the origin.
Vec3 place_near(std::span<const Vec3> points);

/// Zero where the mesh lies within 16 of its sizes from the origin, in bind space and in the world each. O(n).
LocalOrigin local_origin(const Rig& rig);

/// The same character with its bind space moved by -origin.bind and its world by -origin.world: vertices,
/// cages, handles and inverse bind matrices, and the rest of the root joints. Clips stay as they are.
Rig moved_to(const Rig& rig, const LocalOrigin& origin);

}  // namespace sinew
