// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew::autorig {

// The triangles of a mesh in pieces without its props, as a sword in one hand: pieces without an image on the other
// side of a body that otherwise has left and right, or one of nearly the same area near it, as an arm in another
// pose; and pieces that are long, narrow and flat, as blades are, on both sides. All of them where less than half of
// the surface has an image, or nothing is left out.
// least_area: share of the surface of what stays: smaller pieces go as well, hilts, buckles and spikes.
std::vector<Triangle> without_props(MeshView mesh, double least_area = 0);

}  // namespace sinew::autorig
