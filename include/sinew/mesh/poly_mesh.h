// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/math/types.h"

namespace sinew {

/// A polygon mesh as a file stores it: quads stay quads, nothing is welded, nothing is required to be
/// manifold. Faces are counter-clockwise seen from outside. Faces with fewer than three corners do not occur.
struct PolyMesh {
  std::vector<Vec3> positions;  ///< n vertices
  std::vector<std::uint32_t>
      face_offsets;  ///< faces + 1 (or empty: no faces); face f is [offsets[f], offsets[f+1])
  std::vector<std::uint32_t> face_vertices;  ///< corners, indices into positions
  std::vector<Vec3f> normals;                ///< n, or empty
  std::vector<Vec2f> texcoords;              ///< n, or empty; v runs as in glTF, from the top down

  std::size_t vertex_count() const { return positions.size(); }
  std::size_t face_count() const { return face_offsets.empty() ? 0 : face_offsets.size() - 1; }
  std::span<const std::uint32_t> face(std::size_t f) const {
    return {face_vertices.data() + face_offsets[f], face_vertices.data() + face_offsets[f + 1]};
  }
  void add_face(std::span<const std::uint32_t> corners);
  void add_face(std::initializer_list<std::uint32_t> corners) {
    add_face(std::span(corners.begin(), corners.size()));
  }
};

using Triangle = std::array<std::uint32_t, 3>;

/// The triangle view: every polygon cut into (corners - 2) triangles. `face[t]` is the polygon of triangle t;
/// triangles of one polygon are consecutive. Convex polygons and all quads become fans, quads across the
/// diagonal that keeps both halves upright (where both do the shorter one, and the one at the lowest vertex
/// where both are alike, so that a face cut from another corner or turned round is cut the same way); other
/// concave polygons are ear-clipped in their best-fit plane (outlines that cross themselves get the same count
/// of triangles, some of them upside down).
struct TriangleView {
  std::vector<Triangle> triangles;
  std::vector<std::uint32_t> face;  ///< per triangle
};
TriangleView triangulate(const PolyMesh& mesh);

/// Plain views for algorithms: positions and triangles, owned elsewhere.
struct MeshView {
  std::span<const Vec3> positions;
  std::span<const Triangle> triangles;
};

/// Empty where no position is finite; non-finite ones are left out.
Box3 bounding_box(std::span<const Vec3> positions);

/// Unit normal per vertex, triangles weighted by their corner angles; zero vectors where no triangle has an
/// area. normals has as many elements as mesh.positions.
void vertex_normals(MeshView mesh, std::span<Vec3> normals);
std::vector<Vec3> vertex_normals(MeshView mesh);
/// The normals that the mesh has, or those of its faces where it has none. Sizes: vertex_count().
std::vector<Vec3f> normals_of(const PolyMesh& mesh);

}  // namespace sinew
