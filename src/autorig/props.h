// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew::autorig {

// The triangles of a mesh in pieces without its props, as a sword in one hand: pieces without an image on the other
// side of a body that otherwise has left and right, or one of nearly the same area near it, as an arm in another
// pose. All of them where less than half of the surface has an image, or nothing is left out.
std::vector<Triangle> without_props(MeshView mesh);

}  // namespace sinew::autorig
