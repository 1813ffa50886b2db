// SPDX-License-Identifier: Apache-2.0
#include "mesh/corner_lists.h"

namespace sinew {

CornerLists corner_lists(std::size_t vertex_count, std::span<const std::uint32_t> vertices) {
  CornerLists lists;
  lists.offsets.assign(vertex_count + 1, 0);
  lists.corners.resize(vertices.size());
  for (const std::uint32_t vertex : vertices) ++lists.offsets[vertex];
  // Running ends first; filling from the back then leaves each list ascending and its offset at its begin.
  std::uint32_t end = 0;
  for (std::uint32_t& offset : lists.offsets) offset = end += offset;
  for (std::size_t k = vertices.size(); k-- > 0;)
    lists.corners[--lists.offsets[vertices[k]]] = static_cast<std::uint32_t>(k);
  return lists;
}

CornerLists corner_lists(std::size_t vertex_count, std::span<const Triangle> triangles) {
  static_assert(sizeof(Triangle) == 3 * sizeof(std::uint32_t));
  return corner_lists(vertex_count,
                      std::span<const std::uint32_t>(triangles.empty() ? nullptr : triangles[0].data(),
                                                     3 * triangles.size()));
}

}  // namespace sinew
