// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/topology.h"

#include <algorithm>

#include "sinew/core/disjoint_sets.h"
#include "sinew/core/parallel.h"
#include "sinew/mesh/weld.h"

namespace sinew {
namespace {

// One way along a face's side, filed under its smaller end.
struct Side {
  std::uint32_t other, face;
  bool operator<(const Side& side) const {
    return other != side.other ? other < side.other : face < side.face;
  }
  bool operator==(const Side& side) const { return other == side.other && face == side.face; }
};

template <class Visit>
void for_each_side(FaceList faces, Visit&& visit) {
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto corners = faces[f];
    std::uint32_t from = corners.back();
    for (const std::uint32_t to : corners) {
      if (from != to) visit(std::min(from, to), std::max(from, to), static_cast<std::uint32_t>(f));
      from = to;
    }
  }
}

std::vector<std::uint32_t> running_begins(std::vector<std::uint32_t> counts) {
  std::uint32_t begin = 0;
  for (std::uint32_t& count : counts) begin += std::exchange(count, begin);
  return counts;
}

struct SidesByVertex {
  std::vector<std::uint32_t> begins, ends;  // per smaller vertex
  std::vector<Side> sides;                  // sorted within [begins[v], ends[v]), each once
};

SidesByVertex sides_by_vertex(std::size_t vertex_count, FaceList faces) {
  SidesByVertex out;
  std::vector<std::uint32_t> counts(vertex_count, 0);
  for_each_side(faces, [&](std::uint32_t a, std::uint32_t, std::uint32_t) { ++counts[a]; });
  out.begins = running_begins(std::move(counts));
  out.ends = out.begins;
  out.sides.resize(faces.corners().size());
  for_each_side(faces, [&](std::uint32_t a, std::uint32_t b, std::uint32_t f) {
    out.sides[out.ends[a]++] = {b, f};
  });
  parallel_for(vertex_count, 1 << 12, [&](std::size_t begin, std::size_t end) {
    for (std::size_t v = begin; v < end; ++v) {
      const auto first = out.sides.begin() + out.begins[v], last = out.sides.begin() + out.ends[v];
      std::sort(first, last);
      out.ends[v] = static_cast<std::uint32_t>(std::unique(first, last) - out.sides.begin());
    }
  });
  return out;
}

}  // namespace

EdgeTable edge_table(std::size_t vertex_count, FaceList faces) {
  const SidesByVertex by_vertex = sides_by_vertex(vertex_count, faces);
  EdgeTable table;
  table.ends.reserve(faces.corners().size() / 2 + 1);
  table.faces.offsets.reserve(faces.corners().size() / 2 + 2);
  table.faces.items.reserve(by_vertex.sides.size());
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    for (std::uint32_t k = by_vertex.begins[v]; k < by_vertex.ends[v]; ++k) {
      const Side& side = by_vertex.sides[k];
      if (k == by_vertex.begins[v] || by_vertex.sides[k - 1].other != side.other) {
        table.ends.push_back({v, side.other});
        table.faces.offsets.push_back(static_cast<std::uint32_t>(table.faces.items.size()));
      }
      table.faces.items.push_back(side.face);
    }
  }
  table.faces.offsets.push_back(static_cast<std::uint32_t>(table.faces.items.size()));
  return table;
}

IndexLists vertex_faces(std::size_t vertex_count, FaceList faces) {
  IndexLists lists;
  std::vector<std::uint32_t> counts(vertex_count + 1, 0);
  // A face may come to a vertex twice: `last` remembers the face that came last.
  std::vector<std::uint32_t> last(vertex_count, 0xffffffffu);
  const auto visit_once = [&](auto&& visit) {
    std::fill(last.begin(), last.end(), 0xffffffffu);
    for (std::size_t f = 0; f < faces.size(); ++f)
      for (const std::uint32_t v : faces[f])
        if (std::exchange(last[v], static_cast<std::uint32_t>(f)) != f)
          visit(v, static_cast<std::uint32_t>(f));
  };
  visit_once([&](std::uint32_t v, std::uint32_t) { ++counts[v]; });
  lists.offsets = running_begins(std::move(counts));
  lists.items.resize(lists.offsets.back());
  std::vector<std::uint32_t> next = lists.offsets;
  visit_once([&](std::uint32_t v, std::uint32_t f) { lists.items[next[v]++] = f; });
  return lists;
}

IndexLists vertex_neighbours(std::size_t vertex_count, const EdgeTable& edges) {
  IndexLists lists;
  std::vector<std::uint32_t> counts(vertex_count + 1, 0);
  for (const auto& [a, b] : edges.ends) ++counts[a], ++counts[b];
  lists.offsets = running_begins(std::move(counts));
  lists.items.resize(2 * edges.size());
  // Edges come by ascending pair: a vertex meets its smaller neighbours first and then its larger ones, each
  // ascending.
  std::vector<std::uint32_t> next = lists.offsets;
  for (const auto& [a, b] : edges.ends) lists.items[next[b]++] = a;
  for (const auto& [a, b] : edges.ends) lists.items[next[a]++] = b;
  return lists;
}

Components connected_components(std::size_t vertex_count, FaceList faces) {
  DisjointSets sets(vertex_count);
  Components out;
  out.of_vertex.assign(vertex_count, kNoComponent);
  out.of_face.resize(faces.size());
  for (std::size_t f = 0; f < faces.size(); ++f)
    for (const std::uint32_t v : faces[f]) {
      sets.join(faces[f][0], v);
      out.of_vertex[v] = 0;
    }
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    if (out.of_vertex[v] == kNoComponent) continue;
    const std::uint32_t root = sets.find(v);
    out.of_vertex[v] = root == v ? out.count++ : out.of_vertex[root];
  }
  for (std::size_t f = 0; f < faces.size(); ++f) out.of_face[f] = out.of_vertex[faces[f][0]];
  return out;
}

MeshReport mesh_report(const PolyMesh& mesh) {
  MeshReport report;
  report.vertices = mesh.vertex_count();
  report.faces = mesh.face_count();
  for (std::size_t f = 0; f < mesh.face_count(); ++f) report.quads += mesh.face(f).size() == 4;
  const WeldedFaces welded = weld_faces(mesh);
  const std::size_t n = welded.mesh.vertex_count();
  report.components = connected_components(n, welded.mesh).count;
  const EdgeTable edges = edge_table(n, welded.mesh);
  for (std::size_t e = 0; e < edges.size(); ++e) {
    report.boundary_edges += edges.is_boundary(e);
    report.nonmanifold_edges += edges.is_nonmanifold(e);
  }
  return report;
}

}  // namespace sinew
