// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew::render_detail {

// Unit normal per vertex, triangles weighted by their corner angles. Vertices at exactly the same position
// share one, so that texture seams and other split vertices do not show. Zero vectors where no triangle has
// an area. Triangles index `positions`, all of whose used vertices are finite.
std::vector<Vec3f> smooth_normals(std::span<const Vec3> positions, std::span<const Triangle> triangles);

}  // namespace sinew::render_detail
