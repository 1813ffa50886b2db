// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/mesh/index_lists.h"
#include "sinew/mesh/poly_mesh.h"

// Queries that hold for any list of faces: open, non-manifold, with repeated or unreferenced vertices.
namespace sinew {

/// Faces of either kind: polygons or triangles, owned elsewhere.
class FaceList {
 public:
  FaceList(const PolyMesh& mesh) : offsets_(mesh.face_offsets), vertices_(mesh.face_vertices) {}
  FaceList(std::span<const Triangle> triangles)
      : vertices_(triangles.empty() ? nullptr : triangles[0].data(), 3 * triangles.size()) {}
  FaceList(const std::vector<Triangle>& triangles) : FaceList(std::span<const Triangle>(triangles)) {}

  std::size_t size() const { return offsets_.empty() ? vertices_.size() / 3 : offsets_.size() - 1; }
  std::size_t begin_of(std::size_t f) const { return offsets_.empty() ? 3 * f : offsets_[f]; }
  std::span<const std::uint32_t> operator[](std::size_t f) const {
    return vertices_.subspan(begin_of(f), begin_of(f + 1) - begin_of(f));
  }
  std::span<const std::uint32_t> corners() const { return vertices_; }  // of all faces, one after the other

 private:
  std::span<const std::uint32_t> offsets_, vertices_;
};

/// The edges, by ascending vertex pair. A face counts once for an edge that it runs along twice; an edge from
/// a vertex to itself is none.
struct EdgeTable {
  std::vector<std::array<std::uint32_t, 2>> ends;  ///< smaller vertex first
  IndexLists faces;                                ///< per edge, ascending

  std::size_t size() const { return ends.size(); }
  bool is_boundary(std::size_t e) const { return faces[e].size() == 1; }
  bool is_nonmanifold(std::size_t e) const { return faces[e].size() >= 3; }
};
EdgeTable edge_table(std::size_t vertex_count, FaceList faces);

/// The faces at each vertex, ascending, each once.
IndexLists vertex_faces(std::size_t vertex_count, FaceList faces);

/// The vertices that share an edge with each vertex, ascending.
IndexLists vertex_neighbours(std::size_t vertex_count, const EdgeTable& edges);

/// Faces that share a vertex belong together. Components are numbered by their lowest vertex.
inline constexpr std::uint32_t kNoComponent = 0xffffffffu;
/// The result of connected_components().
struct Components {
  std::uint32_t count = 0;
  std::vector<std::uint32_t> of_vertex;  ///< kNoComponent where no face refers to the vertex
  std::vector<std::uint32_t> of_face;
};
Components connected_components(std::size_t vertex_count, FaceList faces);

/// What `info` prints about a mesh. Vertices, faces and quads are as stored; the rest is counted after equal
/// positions were welded, without the faces that this leaves with fewer than three corners.
struct MeshReport {
  std::size_t vertices = 0, faces = 0, quads = 0;
  std::size_t components = 0, boundary_edges = 0, nonmanifold_edges = 0;
};
MeshReport mesh_report(const PolyMesh& mesh);

}  // namespace sinew
