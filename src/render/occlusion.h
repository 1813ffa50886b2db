// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/raster.h"

namespace sinew::render_detail {

// Darkens creases and contacts: each pixel looks around in the depth of its neighbours, within `radius`
// pixels. Works on the frame's colours in place.
void darken_creases(Frame& frame, double radius, double strength);

}  // namespace sinew::render_detail
