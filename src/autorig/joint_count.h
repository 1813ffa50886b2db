// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autorig/place.h"

namespace sinew::autorig {

// More joints: the longest bone is cut in two until there are `wanted`. Fewer: of the joints between two others
// the one goes that lies nearest to the line between them; ends and forks stay, so that there may be more in the
// end. Images are cut and taken away together. New joints are called after the one that they follow. Joints that
// the body lacks are left out; parents come first.
void set_joint_count(std::size_t wanted, TemplateData& model, std::vector<PlacedJoint>& placed);

}  // namespace sinew::autorig
