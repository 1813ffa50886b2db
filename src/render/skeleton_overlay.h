// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/camera.h"
#include "render/canvas.h"

namespace sinew::render_detail {

// Bones as pale octahedra with dark outlines, thickest near the head, far ones first; joints as discs.
void draw_skeleton(std::span<const OverlayBone> bones, const Camera& camera, Canvas& canvas);

}  // namespace sinew::render_detail
