// SPDX-License-Identifier: Apache-2.0
#include "volume/cap_loops.h"

#include <cstdlib>

#include "sinew/mesh/index_lists.h"
#include "sinew/mesh/topology.h"
#include "volume/oriented_soup.h"

namespace sinew {
namespace {

struct OpenEdges {
  std::vector<std::uint32_t> from, to;  // the way that is missing, once for each time
};

OpenEdges missing_ways(std::size_t vertex_count, std::span<const Triangle> triangles) {
  const EdgeTable edges = edge_table(vertex_count, triangles);
  OpenEdges open;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    const auto [a, b] = edges.ends[e];
    int sum = 0;
    for (const std::uint32_t t : edges.faces[e]) sum += edge_direction(triangles[t], a, b);
    for (int k = 0; k < std::abs(sum); ++k) {
      open.from.push_back(sum > 0 ? b : a);
      open.to.push_back(sum > 0 ? a : b);
    }
  }
  return open;
}

void add_cone(std::span<const std::uint32_t> loop, std::vector<Vec3>& positions,
              std::vector<Triangle>& caps) {
  if (loop.size() == 3) {
    caps.push_back({loop[0], loop[1], loop[2]});
    return;
  }
  Vec3 middle = Vec3::Zero();
  for (const std::uint32_t v : loop) middle += positions[v] / static_cast<double>(loop.size());
  const auto tip = static_cast<std::uint32_t>(positions.size());
  positions.push_back(middle);
  for (std::size_t k = 0; k < loop.size(); ++k) caps.push_back({loop[k], loop[(k + 1) % loop.size()], tip});
}

}  // namespace

std::vector<Triangle> cap_loops(std::vector<Vec3>& positions, std::span<const Triangle> triangles) {
  const OpenEdges open = missing_ways(positions.size(), triangles);
  const IndexLists leaving = group_by_key(positions.size(), open.from);
  std::vector<std::uint32_t> next(leaving.offsets.begin(),
                                  leaving.offsets.end());  // the first unused way from each vertex
  std::vector<std::uint32_t> place(leaving.size(), 0);     // where a vertex stands in the walk, plus 1
  std::vector<std::uint32_t> walk;
  std::vector<Triangle> caps;
  for (std::uint32_t start = 0; start < leaving.size(); ++start) {
    // As many ways lead to a vertex as from it, so a walk ends only where it began. Whenever it meets itself,
    // that loop is taken out: loops stay simple, and holes that touch stay apart.
    std::uint32_t at = start;
    while (next[at] < leaving.offsets[at + 1]) {
      place[at] = static_cast<std::uint32_t>(walk.size()) + 1;
      walk.push_back(at);
      at = open.to[leaving.items[next[at]++]];
      if (place[at] == 0) continue;
      const std::size_t first = place[at] - 1;
      add_cone(std::span(walk).subspan(first), positions, caps);
      for (std::size_t k = first; k < walk.size(); ++k) place[walk[k]] = 0;
      walk.resize(first);
    }
  }
  return caps;
}

}  // namespace sinew
