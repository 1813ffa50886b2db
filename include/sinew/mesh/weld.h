// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew {

/// Vertices at one place made one. Every solve on a surface runs on welded vertices and is copied back by
/// `to_welded`, or texture seams would tear.
struct Weld {
  std::vector<std::uint32_t> to_welded;       ///< n: the welded vertex of each vertex
  std::vector<std::uint32_t> representative;  ///< m: the first vertex of each welded one, ascending
  std::vector<Vec3> positions;                ///< m: positions of the representatives
};

/// tolerance 0: equal coordinates (-0 equals 0). Above 0: each vertex in turn joins the first representative
/// no farther than the tolerance, or becomes one. Vertices that are not finite join nobody. groups: n, or
/// empty: those of different groups stay apart. O(n).
Weld weld_vertices(std::span<const Vec3> positions, double tolerance = 0,
                   std::span<const std::uint32_t> groups = {});

/// A triangle mesh on welded vertices. Triangles that lost a corner are left out.
struct WeldedTriangles {
  Weld weld;
  std::vector<Triangle> triangles;    ///< on welded vertices
  std::vector<std::uint32_t> source;  ///< per triangle: its index before
  std::size_t dropped = 0;

  MeshView view() const { return {weld.positions, triangles}; }
};
WeldedTriangles weld_triangles(MeshView mesh, double tolerance = 0,
                               std::span<const std::uint32_t> groups = {});

/// The same for polygons: corners that became equal to the corner before are taken out, and faces left with
/// fewer than three corners are dropped. The result has no normals and no texture coordinates.
struct WeldedFaces {
  Weld weld;
  PolyMesh mesh;
  std::vector<std::uint32_t> source;  ///< per face: its index before
  std::size_t dropped = 0;
};
WeldedFaces weld_faces(const PolyMesh& mesh, double tolerance = 0);

}  // namespace sinew
