// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/math/types.h"

namespace sinew::render_detail {

// Linear light leaving a surface with a unit normal towards the viewer (x right, y up, z to the viewer).
// `plain`: low contrast, for heat maps whose colours must match the legend.
Vec3f shade(const Vec3f& normal, const Vec3f& albedo, bool plain);

Vec3f clay_albedo();  // what has no heat map
Vec3f back_albedo();  // back faces

}  // namespace sinew::render_detail
