// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "sinew/mesh/poly_mesh.h"

namespace sinew::test {

// The surface of a set of unit cells, in quads: bodies whose limbs have rows of quads at known places.
struct CellBody {
  using Cell = std::array<int, 3>;
  std::set<Cell> cells;

  // All cells from `low` up to, but not including, `high`.
  CellBody& fill(const Cell& low, const Cell& high) {
    for (int x = low[0]; x < high[0]; ++x)
      for (int y = low[1]; y < high[1]; ++y)
        for (int z = low[2]; z < high[2]; ++z) cells.insert({x, y, z});
    return *this;
  }

  PolyMesh mesh() const {
    PolyMesh made;
    std::map<Cell, std::uint32_t> corner;
    for (const Cell& cell : cells)
      for (int axis = 0; axis < 3; ++axis)
        for (const int side : {0, 1}) {
          Cell beyond = cell;
          beyond[static_cast<std::size_t>(axis)] += side == 1 ? 1 : -1;
          if (cells.contains(beyond)) continue;
          std::array<Cell, 4> quad;
          for (std::size_t k = 0; k < 4; ++k) {
            quad[k] = cell;
            quad[k][static_cast<std::size_t>(axis)] += side;
            quad[k][static_cast<std::size_t>(axis + 1) % 3] += k == 1 || k == 2;
            quad[k][static_cast<std::size_t>(axis + 2) % 3] += k >= 2;
          }
          if (side == 0) std::reverse(quad.begin(), quad.end());
          std::array<std::uint32_t, 4> corners;
          for (std::size_t k = 0; k < 4; ++k) {
            const auto [at, fresh] = corner.try_emplace(quad[k], static_cast<std::uint32_t>(corner.size()));
            if (fresh) made.positions.push_back(Vec3(quad[k][0], quad[k][1], quad[k][2]));
            corners[k] = at->second;
          }
          made.add_face(corners);
        }
    return made;
  }
};

}  // namespace sinew::test
