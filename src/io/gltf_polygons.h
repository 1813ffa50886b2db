// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew::gltf {

// How SINEW_rig remembers polygons that the file holds as triangles (docs/rig_file.md). A polygon of n
// corners is n - 2 triangles in a row. Where they are a fan, the polygon is read off the fan and turned so
// that its first corner comes first again (`start`: the place of that corner in the fan). Where no fan fits,
// start is kExplicit and the corners are listed.
inline constexpr std::uint32_t kExplicit = 0xFFFFFFFF;

struct PolygonCode {
  std::vector<std::uint32_t> sizes, starts;  // per polygon
  std::vector<std::uint32_t> corners;        // of the explicit ones, one after the other
};

// Triangles of faces [begin, end) as the file gets them, and the code that makes polygons of them again.
// `view` is the triangle view of the mesh; `offset` is taken off every vertex. The code is empty where all
// faces are triangles.
struct CodedFaces {
  std::vector<std::uint32_t> triangles;
  PolygonCode code;
};
CodedFaces encode_polygons(const PolyMesh& mesh, const TriangleView& view, std::size_t begin, std::size_t end,
                           std::uint32_t offset);

// Appends the polygons to `offsets` and `corners` of a mesh (vertex `offset` added). False, and nothing
// appended, where the code does not fit the triangles: another program has changed them.
bool decode_polygons(std::span<const std::uint32_t> triangles, const PolygonCode& code, std::uint32_t offset,
                     std::uint32_t vertices, std::vector<std::uint32_t>& offsets,
                     std::vector<std::uint32_t>& corners);

}  // namespace sinew::gltf
