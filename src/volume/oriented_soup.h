// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

// The triangles of any mesh, welded, each patch turned outside out.
struct OrientedSoup {
  std::vector<Vec3> positions;
  std::vector<Triangle> triangles;
  bool closed = false;         // every edge is run along equally often both ways: winding numbers are whole
  std::size_t patches = 0;     // pieces connected across edges of exactly two triangles
  std::size_t flipped = 0;     // triangles turned round
  std::size_t duplicates = 0;  // triangles left out because another has the same corners
  double volume = 0, area = 0;
};

// Triangles that are not finite or lose a corner by welding are left out. Patches that enclose something face
// outwards by their own volume; flat or ragged ones keep their stored side, all together turned where their
// common volume is negative.
OrientedSoup orient_soup(MeshView mesh);

}  // namespace sinew
