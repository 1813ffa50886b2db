// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "characters/blueprint.h"

namespace sinew::characters {

// A left hand, shared by arm, hand and biped. Its own space: the wrist at the origin, fingers along x, the
// back of the hand towards y, the thumb towards z, metres; `frame` carries it into the world.
std::vector<JointSpec> finger_joints(const Affine3& frame, std::string_view prefix, std::string_view parent);

// Grows palm and fingers out of a patch of 4 x 2 quads at the wrist (v towards the back of the hand). `wrist`
// is the chain up to the hand's joint; fingers have joints named prefix + "Index1" ... unless `rigid`: then
// all moves with the hand.
void grow_hand(Cage& cage, const Patch& patch, const Affine3& frame, const Chain& wrist,
               std::string_view prefix, bool rigid);

}  // namespace sinew::characters
