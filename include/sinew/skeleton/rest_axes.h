// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// Axes for joints that lie at `globals`, at right angles and of unit length, as Blender has them; a rotation
/// per joint, columns x, y, z:
/// - y along the bone: to the child's head; of several children to the one that goes on in the direction of
///   the bone above (at a root: that carries most joints), to the mean of those that do so about equally; of
///   a joint without children to its tail, else as the bone above;
/// - x the axis about which the limb bends, so that a positive angle bends it further: at right angles to the
///   two longest neighbouring bones of the limb, and carried to the others by the shortest turns. A limb that
///   is straight to within 10 degrees bends back where it hangs down, as a knee does, else to the front, as an
///   elbow; straight fingers bend into the palm, at right angles to the plane in which they fan out. In the
///   body's middle x points to its left;
/// - left and right mirrored: the same angles about x make mirrored poses.
/// `body`: its left, up and front as columns, a rotation. Joints that do not deform are no ends of bones that do.
/// O(joints).
std::vector<Mat3> bone_axes(const Skeleton& skeleton, std::span<const Affine3> globals, const Mat3& body);

/// The same joints in the same places with bone_axes at rest; the body's axes are those of the first root.
/// Tails stay where they are; scale in rest transforms goes into the places below it. O(joints).
Skeleton with_bone_axes(const Skeleton& skeleton);

}  // namespace sinew
