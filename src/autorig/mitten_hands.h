// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autorig/place.h"

namespace sinew::autorig {

// A hand that shows a thumb or some fingers, but none that the template's could be matched to, is a mitten: its longest
// finger gets two bones, half-way and three quarters of the way between the wrist and the hand's end, so that the hand can
// close, and its thumb, which is what stands off that line most, two between the wrist and its tip. A stump that shows
// nothing gets none, unless its image does.
void add_mitten_joints(const Match& match, std::vector<PlacedJoint>& placed);

}  // namespace sinew::autorig
