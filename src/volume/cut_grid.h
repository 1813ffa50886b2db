// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/mesh/poly_mesh.h"
#include "sinew/volume/lattice_set.h"

namespace sinew {

// Where a grid line goes through a closed surface.
struct LineCrossing {
  double at = 0;               // along the line, in cells from the origin
  std::uint32_t triangle = 0;  // of the surface
};

// The crossings of all grid lines along one axis, ascending on each line. Only those at which the line enters
// or leaves the inside are kept, so on a line they come in pairs.
struct LineCrossings {
  std::vector<std::uint32_t> offsets;  // lines + 1
  std::vector<LineCrossing> crossings;
  std::span<const LineCrossing> operator[](std::size_t line) const {
    return {crossings.data() + offsets[line], crossings.data() + offsets[line + 1]};
  }
};

// Nodes of a regular lattice inside a closed surface, and where the edges between them are cut by it: the
// Laplacian of a domain with a true boundary. Nodes with an even sum of coordinates come first, then the odd
// ones, each along x, then y, then z.
struct CutGrid {
  Vec3 origin = Vec3::Zero();
  double cell = 1;
  Vec3i dims = Vec3i::Zero();  // nodes along each axis

  std::vector<std::uint32_t> index;  // per lattice node: its number, or kNoIndex outside
  std::uint32_t even = 0, count = 0;
  std::vector<std::uint32_t> place;  // per node: its lattice node
  // Towards -x, +x, -y, +y, -z, +z; `count` where the edge is cut.
  std::vector<std::array<std::uint32_t, 6>> neighbours;
  std::vector<float> diagonal;  // sum of weights: 1 for a whole edge, cell / length for a cut one

  struct Cut {
    std::uint32_t node;
    float weight;
    std::uint32_t triangle;
    std::array<float, 3> barycentric;
  };
  std::vector<Cut> cuts;  // by node
  std::array<LineCrossings, 3> lines;

  std::size_t lattice(int x, int y, int z) const {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(dims.x()) *
               (static_cast<std::size_t>(y) +
                static_cast<std::size_t>(dims.y()) * static_cast<std::size_t>(z));
  }
  Vec3i coordinates(std::uint32_t lattice_node) const {
    const int x = static_cast<int>(lattice_node) % dims.x(), rest = static_cast<int>(lattice_node) / dims.x();
    return {x, rest % dims.y(), rest / dims.y()};
  }
  std::uint32_t find(int x, int y, int z) const {
    if (x < 0 || y < 0 || z < 0 || x >= dims.x() || y >= dims.y() || z >= dims.z()) return 0xffffffffu;
    return index[lattice(x, y, z)];
  }
  // The line along `axis` through a node: counted along the next axis, then the one after it.
  std::size_t line(int axis, const Vec3i& node) const {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    return static_cast<std::size_t>(node[b]) +
           static_cast<std::size_t>(dims[b]) * static_cast<std::size_t>(node[c]);
  }
};

// `surface` is closed: every edge has an even number of triangles. Inside is where it winds around, or where
// its faces do not agree on a side, where a line has crossed it an odd number of times. dims and cell are
// set by the caller through `frame`.
struct CutFrame {
  Vec3 origin;
  double cell;
  Vec3i dims;
};
CutGrid cut_grid(MeshView surface, const CutFrame& frame, bool oriented);

}  // namespace sinew
