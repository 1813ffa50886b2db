// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autorig/place.h"

namespace sinew::autorig {

// Hips and knees of the legs that a body stands on, which the curve of a leg does not show: it begins where the leg leaves
// the body, below the hip, and at the middle of a thigh that is a part of the flank.
//
// A knee that is bent in the template goes half-way from its leg's curve to where it would be if hip, knee and ankle
// formed the template's triangle. A hip that lies much nearer to the middle than the line of its shin moves out towards that.
void place_standing_legs(const Match& match, std::vector<PlacedJoint>& placed);

}  // namespace sinew::autorig
