// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_faces.h"

#include <algorithm>

#include "io/gltf_accessor.h"
#include "sinew/core/parallel.h"

namespace sinew::gltf {
namespace {

constexpr std::size_t kFaceGrain = 1 << 16;

Result<std::vector<std::uint32_t>> read_corners(const GltfDocument& document, const PartPlan& plan) {
  std::vector<std::uint32_t> corners(plan.corners);
  if (plan.indices < 0) {
    for (std::size_t i = 0; i < corners.size(); ++i) corners[i] = static_cast<std::uint32_t>(i);
    return corners;
  }
  const Accessor& accessor = document.accessors[static_cast<std::size_t>(plan.indices)];
  if (auto read = read_integers(document, accessor, corners); !read.ok())
    return inside(".indices", read.error());
  const std::uint32_t largest = parallel_reduce(
      corners.size(), kFaceGrain, 0u,
      [&](std::size_t begin, std::size_t end) {
        return *std::max_element(&corners[begin], &corners[0] + end);
      },
      [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
  if (!corners.empty() && largest >= plan.vertices)
    return bad_input(".indices holds " + std::to_string(largest) + ", but there are " +
                     std::to_string(plan.vertices) + " vertices: export the file again");
  return corners;
}

// Triangles of a strip or fan. Those with a repeated corner only stitch a strip together and are left out.
std::vector<std::uint32_t> unroll(const std::vector<std::uint32_t>& corners, bool strip) {
  std::vector<std::uint32_t> triangles;
  for (std::size_t i = 0; i + 2 < corners.size(); ++i) {
    const std::uint32_t a = strip ? corners[i + i % 2] : corners[0];
    const std::uint32_t b = strip ? corners[i + 1 - i % 2] : corners[i + 1];
    const std::uint32_t c = corners[i + 2];
    if (a != b && b != c && c != a) triangles.insert(triangles.end(), {a, b, c});
  }
  return triangles;
}

const Json* polygon_extension(const Json& primitive) {
  const Json* extensions = object_member(primitive, "extensions");
  const Json* ours = extensions ? object_member(*extensions, "SINEW_rig") : nullptr;
  return ours ? object_member(*ours, "polygons") : nullptr;
}

// Whole numbers of an accessor named by the extension; the largest of its type stands for kExplicit in
// `starts`.
Result<std::vector<std::uint32_t>> read_list(const GltfDocument& document, const Json& polygons,
                                             const char* key) {
  SINEW_TRY(const int index, index_member(polygons, key, document.accessors.size()));
  if (index < 0) return std::vector<std::uint32_t>();
  const Accessor& accessor = document.accessors[static_cast<std::size_t>(index)];
  if (accessor.width() != 1) return bad_input("." + std::string(key) + " does not hold single numbers");
  std::vector<std::uint32_t> numbers(accessor.count);
  SINEW_CHECK(read_integers(document, accessor, numbers));
  const std::size_t bits = 8 * component_size(accessor.component);
  const std::uint32_t largest = static_cast<std::uint32_t>((std::uint64_t{1} << bits) - 1);
  if (std::string_view(key) == "starts") std::replace(numbers.begin(), numbers.end(), largest, kExplicit);
  return numbers;
}

Result<PolygonCode> read_code(const GltfDocument& document, const Json& polygons) {
  PolygonCode code;
  SINEW_TRY(code.sizes, read_list(document, polygons, "sizes"));
  SINEW_TRY(code.starts, read_list(document, polygons, "starts"));
  SINEW_TRY(code.corners, read_list(document, polygons, "corners"));
  return code;
}

void append_triangles(const std::vector<std::uint32_t>& triangles, std::uint32_t offset, PolyMesh& mesh) {
  const std::size_t first = mesh.face_vertices.size(), faces = triangles.size() / 3,
                    before = mesh.face_offsets.size();
  mesh.face_vertices.resize(first + 3 * faces);
  mesh.face_offsets.resize(before + faces);
  parallel_for(faces, kFaceGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      mesh.face_offsets[before + f] = static_cast<std::uint32_t>(first + 3 * (f + 1));
      for (std::size_t k = 3 * f; k < 3 * f + 3; ++k) mesh.face_vertices[first + k] = triangles[k] + offset;
    }
  });
}

// The first corner stays the first.
void flip_faces(std::size_t begin, PolyMesh& mesh) {
  for (std::size_t f = begin; f < mesh.face_count(); ++f)
    std::reverse(mesh.face_vertices.begin() + mesh.face_offsets[f] + 1,
                 mesh.face_vertices.begin() + mesh.face_offsets[f + 1]);
}

}  // namespace

Result<void> read_faces(GltfDocument& document, const PartPlan& plan, bool flipped, MeshPart& part,
                        PolyMesh& mesh) {
  if (mesh.face_offsets.empty()) mesh.face_offsets.push_back(0);
  SINEW_TRY(std::vector<std::uint32_t> triangles, read_corners(document, plan));
  if (plan.mode < 4) return {};
  if (plan.mode > 4) triangles = unroll(triangles, plan.mode == 5);
  if (triangles.size() % 3 != 0) {
    document.warnings.push_back(plan.place + " has " + std::to_string(triangles.size()) +
                                " corners, which is not a whole number of triangles: the last are left out");
    triangles.resize(triangles.size() / 3 * 3);
  }
  bool done = false;
  if (const Json* polygons = polygon_extension(*plan.primitive)) {
    const auto code = read_code(document, *polygons);
    done = code.ok() &&
           decode_polygons(triangles, *code, static_cast<std::uint32_t>(part.vertex_begin),
                           static_cast<std::uint32_t>(plan.vertices), mesh.face_offsets, mesh.face_vertices);
    if (!done)
      document.warnings.push_back(
          plan.place + ".extensions.SINEW_rig.polygons does not fit the triangles: read as triangles");
  }
  if (!done) append_triangles(triangles, static_cast<std::uint32_t>(part.vertex_begin), mesh);
  part.face_count = mesh.face_count() - part.face_begin;
  if (flipped) flip_faces(part.face_begin, mesh);
  return {};
}

}  // namespace sinew::gltf
