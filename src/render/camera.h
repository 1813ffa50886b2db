// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sinew/render/render.h"

namespace sinew::render_detail {

// Orthographic. Screen space: x right and y down in pixels from the top left corner, z towards the viewer,
// also in pixels.
struct Camera {
  Mat3 rotation = Mat3::Identity();  // subject space to right, up, towards the viewer
  Vec3 centre = Vec3::Zero();        // what lies in the middle of the picture
  double scale = 1;                  // pixels per unit
  int width = 1, height = 1;

  Vec3 to_screen(const Vec3& p) const {
    const Vec3 q = rotation * (p - centre) * scale;
    return {0.5 * width + q.x(), 0.5 * height - q.y(), q.z()};
  }
};

// Finite, and small enough that lengths and areas do not overflow.
bool is_drawable(const Vec3& p);

// One camera per view, all at the scale at which every view shows all of the subject (or of options.frame).
std::vector<Camera> fit_cameras(const Subject& subject, const RenderOptions& options);

}  // namespace sinew::render_detail
