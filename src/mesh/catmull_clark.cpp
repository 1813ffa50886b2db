// SPDX-License-Identifier: Apache-2.0
// E. Catmull and J. Clark, "Recursively generated B-spline surfaces on arbitrary topological meshes", 1978;
// limit positions as the left eigenvector of the subdivision matrix (Halstead, Kass, DeRose 1993).
#include "sinew/mesh/catmull_clark.h"

#include <algorithm>
#include <string>

namespace sinew {
namespace {

constexpr std::uint32_t kNone = 0xffffffffu;

struct EdgeUse {
  std::uint32_t low, high, face, corner;
  bool forward;  // the face runs from low to high
};

// Edges of a mesh with the faces beside them, and the edge of every corner (from it to the next corner).
struct QuadEdges {
  std::vector<std::array<std::uint32_t, 2>> edges;
  std::vector<std::array<std::uint32_t, 2>> faces;  // kNone: boundary
  std::vector<std::uint32_t> corner_edge;
};

std::vector<EdgeUse> edge_uses(const PolyMesh& mesh) {
  std::vector<EdgeUse> uses;
  uses.reserve(mesh.face_vertices.size());
  for (std::uint32_t f = 0; f < mesh.face_count(); ++f) {
    const std::uint32_t begin = mesh.face_offsets[f], end = mesh.face_offsets[f + 1];
    for (std::uint32_t c = begin; c < end; ++c) {
      const std::uint32_t a = mesh.face_vertices[c], b = mesh.face_vertices[c + 1 < end ? c + 1 : begin];
      uses.push_back({std::min(a, b), std::max(a, b), f, c, a < b});
    }
  }
  // By the lower vertex with a counting sort, then by the rest within short runs: several times faster than
  // one big sort.
  std::vector<std::uint32_t> start(mesh.vertex_count() + 1, 0);
  for (const EdgeUse& use : uses) ++start[use.low + 1];
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  std::vector<EdgeUse> sorted(uses.size());
  std::vector<std::uint32_t> next(start.begin(), start.end() - 1);
  for (const EdgeUse& use : uses) sorted[next[use.low]++] = use;
  for (std::size_t i = 0; i + 1 < start.size(); ++i)
    std::sort(sorted.begin() + start[i], sorted.begin() + start[i + 1],
              [](const EdgeUse& a, const EdgeUse& b) {
                return a.high != b.high ? a.high < b.high : a.corner < b.corner;
              });
  return sorted;
}

Result<QuadEdges> build_edges(const PolyMesh& mesh) {
  const std::vector<EdgeUse> uses = edge_uses(mesh);
  QuadEdges table;
  table.corner_edge.resize(mesh.face_vertices.size());
  table.edges.reserve(uses.size() / 2 + 1);
  table.faces.reserve(uses.size() / 2 + 1);
  for (std::size_t k = 0; k < uses.size();) {
    std::size_t end = k + 1;
    while (end < uses.size() && uses[end].low == uses[k].low && uses[end].high == uses[k].high) ++end;
    const auto where = [&] {
      return "edge " + std::to_string(uses[k].low) + "-" + std::to_string(uses[k].high);
    };
    if (end - k > 2)
      return bad_input(where() + " has " + std::to_string(end - k) + " faces; subdivision needs at most two");
    if (end - k == 2 && uses[k].forward == uses[k + 1].forward)
      return bad_input(where() + " has two faces that do not agree on which side is outside");
    for (std::size_t m = k; m < end; ++m)
      table.corner_edge[uses[m].corner] = static_cast<std::uint32_t>(table.edges.size());
    table.edges.push_back({uses[k].low, uses[k].high});
    table.faces.push_back({uses[k].face, end - k == 2 ? uses[k + 1].face : kNone});
    k = end;
  }
  return table;
}

// Rows written one after the other; entries with the same source are merged within a row.
class StencilWriter {
 public:
  StencilWriter(std::size_t rows, std::size_t entries) {
    out_.offsets.reserve(rows + 1);
    out_.offsets.push_back(0);
    out_.sources.reserve(entries);
    out_.weights.reserve(entries);
  }
  void add(std::uint32_t source, double weight) {
    for (std::size_t k = out_.offsets.back(); k < out_.sources.size(); ++k)
      if (out_.sources[k] == source) {
        out_.weights[k] += weight;
        return;
      }
    out_.sources.push_back(source);
    out_.weights.push_back(weight);
  }
  void add_face(const PolyMesh& mesh, std::uint32_t face, double weight) {
    const auto corners = mesh.face(face);
    for (const std::uint32_t v : corners) add(v, weight / static_cast<double>(corners.size()));
  }
  void end_row() { out_.offsets.push_back(static_cast<std::uint32_t>(out_.sources.size())); }
  Stencils take() { return std::move(out_); }

 private:
  Stencils out_;
};

// Edges at every vertex, and its faces, in compressed form.
struct Incidence {
  std::vector<std::uint32_t> edge_offsets, edges, face_offsets, faces;
};

template <class Visit>
void bucket(std::size_t vertices, std::vector<std::uint32_t>& offsets, std::vector<std::uint32_t>& items,
            Visit&& visit) {
  offsets.assign(vertices + 1, 0);
  visit([&](std::uint32_t vertex, std::uint32_t) { ++offsets[vertex + 1]; });
  for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
  items.resize(offsets.back());
  std::vector<std::uint32_t> next(offsets.begin(), offsets.end() - 1);
  visit([&](std::uint32_t vertex, std::uint32_t item) { items[next[vertex]++] = item; });
}

Incidence build_incidence(const PolyMesh& mesh, const QuadEdges& table) {
  Incidence at;
  bucket(mesh.vertex_count(), at.edge_offsets, at.edges, [&](auto&& emit) {
    for (std::uint32_t e = 0; e < table.edges.size(); ++e)
      for (const std::uint32_t v : table.edges[e]) emit(v, e);
  });
  bucket(mesh.vertex_count(), at.face_offsets, at.faces, [&](auto&& emit) {
    for (std::uint32_t f = 0; f < mesh.face_count(); ++f)
      for (const std::uint32_t v : mesh.face(f)) emit(v, f);
  });
  return at;
}

// A vertex on a boundary: neighbours along it get `side` each, the vertex the rest. False where there are not
// exactly two.
bool add_boundary_row(const QuadEdges& table, const Incidence& at, std::uint32_t v, double side,
                      StencilWriter& out) {
  std::array<std::uint32_t, 2> along{};
  std::size_t count = 0;
  for (std::uint32_t k = at.edge_offsets[v]; k < at.edge_offsets[v + 1]; ++k) {
    const auto& edge = table.edges[at.edges[k]];
    if (table.faces[at.edges[k]][1] != kNone) continue;
    if (count < 2) along[count] = edge[0] == v ? edge[1] : edge[0];
    ++count;
  }
  if (count == 0) return false;
  if (count != 2) {
    out.add(v, 1);  // a corner where boundaries meet stays
    return true;
  }
  out.add(v, 1 - 2 * side);
  for (const std::uint32_t other : along) out.add(other, side);
  return true;
}

void add_vertex_row(const PolyMesh& mesh, const QuadEdges& table, const Incidence& at, std::uint32_t v,
                    StencilWriter& out) {
  const std::uint32_t valence = at.edge_offsets[v + 1] - at.edge_offsets[v];
  if (valence == 0) return out.add(v, 1);
  if (add_boundary_row(table, at, v, 1.0 / 8, out)) return;
  const double n = valence;
  out.add(v, (n - 2) / n);  // (n - 3) / n of the point itself, 1 / n from its half of the edge midpoints
  for (std::uint32_t k = at.edge_offsets[v]; k < at.edge_offsets[v + 1]; ++k) {
    const auto& edge = table.edges[at.edges[k]];
    out.add(edge[0] == v ? edge[1] : edge[0], 1 / (n * n));
  }
  for (std::uint32_t k = at.face_offsets[v]; k < at.face_offsets[v + 1]; ++k)
    out.add_face(mesh, at.faces[k], 1 / (n * n));
}

Stencils build_stencils(const PolyMesh& mesh, const QuadEdges& table) {
  const std::size_t rows = mesh.vertex_count() + table.edges.size() + mesh.face_count();
  StencilWriter out(rows, rows * 7);
  const Incidence at = build_incidence(mesh, table);
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    add_vertex_row(mesh, table, at, v, out);
    out.end_row();
  }
  for (std::size_t e = 0; e < table.edges.size(); ++e) {
    const bool boundary = table.faces[e][1] == kNone;
    for (const std::uint32_t v : table.edges[e]) out.add(v, boundary ? 0.5 : 0.25);
    if (!boundary)
      for (const std::uint32_t f : table.faces[e]) out.add_face(mesh, f, 0.25);
    out.end_row();
  }
  for (std::uint32_t f = 0; f < mesh.face_count(); ++f) {
    out.add_face(mesh, f, 1);
    out.end_row();
  }
  return out.take();
}

void build_faces(const PolyMesh& mesh, const QuadEdges& table, PolyMesh& refined) {
  const auto vertices = static_cast<std::uint32_t>(mesh.vertex_count());
  const auto face_points = static_cast<std::uint32_t>(vertices + table.edges.size());
  refined.face_vertices.reserve(4 * mesh.face_vertices.size());
  refined.face_offsets.reserve(mesh.face_vertices.size() + 1);
  refined.face_offsets.push_back(0);
  for (std::uint32_t f = 0; f < mesh.face_count(); ++f) {
    const std::uint32_t begin = mesh.face_offsets[f], end = mesh.face_offsets[f + 1];
    for (std::uint32_t c = begin; c < end; ++c) {
      const std::uint32_t before = table.corner_edge[c == begin ? end - 1 : c - 1];
      for (const std::uint32_t v :
           {mesh.face_vertices[c], vertices + table.corner_edge[c], face_points + f, vertices + before})
        refined.face_vertices.push_back(v);
      refined.face_offsets.push_back(static_cast<std::uint32_t>(refined.face_vertices.size()));
    }
  }
}

}  // namespace

Result<Refinement> refine_catmull_clark(const PolyMesh& mesh) {
  SINEW_TRY(QuadEdges table, build_edges(mesh));
  Refinement refinement;
  build_faces(mesh, table, refinement.mesh);
  refinement.stencils = build_stencils(mesh, table);
  refinement.mesh.positions.resize(refinement.stencils.row_count());
  refinement.stencils.apply<Vec3>(mesh.positions, Vec3::Zero(), refinement.mesh.positions);
  refinement.edges = std::move(table.edges);
  return refinement;
}

Result<Stencils> catmull_clark_limit(const PolyMesh& mesh) {
  for (std::size_t f = 0; f < mesh.face_count(); ++f)
    if (mesh.face(f).size() != 4)
      return bad_input("face " + std::to_string(f) + " has " + std::to_string(mesh.face(f).size()) +
                       " corners; limit positions need quads, so subdivide once first");
  SINEW_TRY(const QuadEdges table, build_edges(mesh));
  const Incidence at = build_incidence(mesh, table);
  StencilWriter out(mesh.vertex_count(), 9 * mesh.vertex_count());
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    const std::uint32_t valence = at.edge_offsets[v + 1] - at.edge_offsets[v];
    if (valence == 0) {
      out.add(v, 1);
    } else if (!add_boundary_row(table, at, v, 1.0 / 6, out)) {
      // n^2 for the vertex, 4 for neighbours across an edge, 1 for those across a face, over n (n + 5).
      // Summing 1 over all corners of all faces gives the vertex n and each neighbour 2 of that.
      const double n = valence, unit = 1 / (n * (n + 5));
      out.add(v, (n * n - n) * unit);
      for (std::uint32_t k = at.edge_offsets[v]; k < at.edge_offsets[v + 1]; ++k) {
        const auto& edge = table.edges[at.edges[k]];
        out.add(edge[0] == v ? edge[1] : edge[0], 2 * unit);
      }
      for (std::uint32_t k = at.face_offsets[v]; k < at.face_offsets[v + 1]; ++k)
        out.add_face(mesh, at.faces[k], 4 * unit);
    }
    out.end_row();
  }
  return out.take();
}

}  // namespace sinew
