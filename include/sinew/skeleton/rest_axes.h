// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// The same joints in the same places with new rest axes, at right angles and of unit length, as Blender, Maya
/// and Unreal have them:
/// - y along the bone: to the child's head; of several children to the one that goes on in the direction of
///   the bone above (at a root: that carries most joints), to the mean of those that do so about equally; of
///   a joint without children to its tail, else as the bone above;
/// - x the axis about which the limb bends, so that a positive angle bends it further: at right angles to the
///   two longest neighbouring bones of the limb, and carried to the others by the shortest turns. A limb that
///   is straight to within 10 degrees bends back where it hangs down, as a knee does, else to the front, as an
///   elbow; straight fingers bend into the palm, at right angles to the plane in which they fan out. In the
///   body's middle x points to its left;
/// - left and right mirrored: the same angles about x make mirrored poses.
/// The body's left, up and front are the columns of the first root's axes at rest. Tails stay where they are;
/// scale in rest transforms goes into the places below it. O(joints).
Skeleton with_bone_axes(const Skeleton& skeleton);

}  // namespace sinew
