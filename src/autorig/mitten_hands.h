// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autorig/place.h"

namespace sinew::autorig {

// A hand that shows a thumb or some fingers, but none that the template's could be matched to, is a mitten: its longest
// finger gets its first joint, half-way between the wrist and the hand's end, so that the hand can close. A stump
// that shows nothing gets none, unless its image does.
void add_mitten_joints(const Match& match, std::vector<PlacedJoint>& placed);

}  // namespace sinew::autorig
