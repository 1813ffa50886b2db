// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

// The triangle corners at each vertex, ascending: corner 3 t + k is corner k of triangle t.
struct CornerLists {
  std::vector<std::uint32_t> offsets;  // vertices + 1
  std::vector<std::uint32_t> corners;  // 3 triangles

  std::span<const std::uint32_t> of(std::size_t vertex) const {
    return {corners.data() + offsets[vertex], corners.data() + offsets[vertex + 1]};
  }
};
CornerLists corner_lists(std::size_t vertex_count, std::span<const Triangle> triangles);

// The same for any list of vertex indices: entry k of `lists.corners` is a position in `vertices`.
CornerLists corner_lists(std::size_t vertex_count, std::span<const std::uint32_t> vertices);

}  // namespace sinew
