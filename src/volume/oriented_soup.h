// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

// The triangles of any mesh, welded, each patch turned outside out, and closed by caps where it was open.
struct OrientedSoup {
  std::vector<Vec3> positions;
  std::vector<Triangle> triangles;  // those of the mesh, then the caps
  std::size_t caps = 0;
  bool closed = false;          // before the caps every edge was run along equally often both ways
  std::size_t patches = 0;      // pieces connected across edges of exactly two triangles
  std::size_t flipped = 0;      // triangles turned round
  std::size_t duplicates = 0;   // triangles left out because another has the same corners
  double volume = 0, area = 0;  // with caps; without
  double flat_area = 0;         // of open patches too flat to tell their sides apart

  std::span<const Triangle> surface() const { return std::span(triangles).first(triangles.size() - caps); }
  // Pieces that cannot hold anything by themselves (a soup of single triangles) may do so together: only the
  // winding number of the surface can tell.
  bool needs_winding_number() const { return !closed && flat_area > 0.1 * area; }
};

// +1 where the triangle runs from a to b along its edge, -1 where from b to a.
inline int edge_direction(const Triangle& t, std::uint32_t a, std::uint32_t b) {
  return (t[0] == a && t[1] == b) || (t[1] == a && t[2] == b) || (t[2] == a && t[0] == b) ? 1 : -1;
}

// Triangles that are not finite or lose a corner by welding are left out. Patches that enclose something face
// outwards by their own volume; flat or ragged ones keep their stored side, all together turned where their
// common volume is negative.
OrientedSoup orient_soup(MeshView mesh);

}  // namespace sinew
