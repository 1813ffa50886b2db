// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// Triangles that cross another one with which they share no corner. Triangles in one plane do not cross.
/// O(n log n) for meshes whose triangles are of like size.
std::size_t self_intersecting_triangles(MeshView mesh);

/// Whether an edge of one triangle goes through the other.
bool triangles_cross(const Vec3 (&a)[3], const Vec3 (&b)[3]);

}  // namespace sinew
