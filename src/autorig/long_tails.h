// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autorig/place.h"

namespace sinew::autorig {

// A limb on the middle, a tail, bends everywhere: its bones that are longer than a bone may be straight (kSlenderBone) are
// cut into equal ones that are not, and its joints numbered anew (Tail, Tail1, Tail2). Other limbs bend at their joints alone.
void cut_long_tails(const Match& match, TemplateData& model, std::vector<PlacedJoint>& placed);

}  // namespace sinew::autorig
