// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_polygons.h"

#include <algorithm>
#include <set>

namespace sinew::gltf {
namespace {

bool has_repeats(std::span<const std::uint32_t> face) {
  std::set<std::uint32_t> seen;
  if (face.size() > 16)
    return !std::all_of(face.begin(), face.end(), [&](std::uint32_t v) { return seen.insert(v).second; });
  for (std::size_t a = 0; a < face.size(); ++a)
    for (std::size_t b = a + 1; b < face.size(); ++b)
      if (face[a] == face[b]) return true;
  return false;
}

bool holds(const Triangle& triangle, std::uint32_t vertex) {
  return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

// The corner that all triangles of the polygon share, if the triangles are that corner's fan.
std::optional<std::size_t> fan_apex(std::span<const std::uint32_t> face,
                                    std::span<const Triangle> triangles) {
  for (std::size_t apex = 0; apex < face.size(); ++apex) {
    bool all = true;
    for (std::size_t t = 0; t < triangles.size() && all; ++t) all = holds(triangles[t], face[apex]);
    if (all) return apex;
  }
  return std::nullopt;
}

struct Encoder {
  CodedFaces& out;
  std::uint32_t offset;

  void put(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    for (const std::uint32_t vertex : {a, b, c}) out.triangles.push_back(vertex - offset);
  }
  void fan(std::span<const std::uint32_t> face, std::size_t apex) {
    const std::size_t n = face.size();
    for (std::size_t k = 1; k + 1 < n; ++k) put(face[apex], face[(apex + k) % n], face[(apex + k + 1) % n]);
    out.code.starts.push_back(static_cast<std::uint32_t>((n - apex) % n));
  }
  void listed(std::span<const std::uint32_t> face, std::span<const Triangle> triangles) {
    for (const Triangle& t : triangles) put(t[0], t[1], t[2]);
    out.code.starts.push_back(kExplicit);
    for (const std::uint32_t vertex : face) out.code.corners.push_back(vertex - offset);
  }
};

// Corners of the fan of n - 2 triangles, turned by `start`; false where the triangles are none.
bool append_fan(const std::uint32_t* triangles, std::size_t n, std::size_t start, std::uint32_t offset,
                std::vector<std::uint32_t>& out) {
  for (std::size_t k = 1; k + 2 < n; ++k)
    if (triangles[3 * k] != triangles[0] || triangles[3 * k + 1] != triangles[3 * k - 1]) return false;
  // Corner k of the fan: the apex, the second corner of the first triangle, then the last corner of each.
  const auto corner = [&](std::size_t k) { return k < 2 ? triangles[k] : triangles[3 * (k - 2) + 2]; };
  for (std::size_t k = 0; k < n; ++k) out.push_back(corner((k + start) % n) + offset);
  return true;
}

}  // namespace

CodedFaces encode_polygons(const PolyMesh& mesh, const TriangleView& view, std::size_t begin, std::size_t end,
                           std::uint32_t offset) {
  CodedFaces out;
  Encoder encoder{out, offset};
  std::size_t t = static_cast<std::size_t>(std::lower_bound(view.face.begin(), view.face.end(), begin) -
                                           view.face.begin());
  bool only_triangles = true;
  out.triangles.reserve((mesh.face_offsets[end] - mesh.face_offsets[begin]) * 2);
  out.code.sizes.reserve(end - begin);
  out.code.starts.reserve(end - begin);
  for (std::size_t f = begin; f < end; ++f) {
    const std::span<const std::uint32_t> face = mesh.face(f);
    const std::span<const Triangle> triangles(view.triangles.data() + t, face.size() - 2);
    t += triangles.size();
    out.code.sizes.push_back(static_cast<std::uint32_t>(face.size()));
    only_triangles = only_triangles && face.size() == 3;
    const auto apex = face.size() == 3    ? std::optional<std::size_t>(0)
                      : has_repeats(face) ? std::nullopt
                                          : fan_apex(face, triangles);
    if (apex)
      encoder.fan(face, *apex);
    else
      encoder.listed(face, triangles);
  }
  if (only_triangles) out.code = {};
  return out;
}

bool decode_polygons(std::span<const std::uint32_t> triangles, const PolygonCode& code, std::uint32_t offset,
                     std::uint32_t vertices, std::vector<std::uint32_t>& offsets,
                     std::vector<std::uint32_t>& corners) {
  if (code.sizes.size() != code.starts.size()) return false;
  std::vector<std::uint32_t> made;
  made.reserve(triangles.size());
  std::size_t t = 0, listed = 0;
  for (std::size_t f = 0; f < code.sizes.size(); ++f) {
    const std::size_t n = code.sizes[f], start = code.starts[f];
    if (n < 3 || n - 2 > (triangles.size() - t) / 3) return false;
    if (start == kExplicit) {
      if (n > code.corners.size() - listed) return false;
      for (std::size_t k = 0; k < n; ++k, ++listed) {
        if (code.corners[listed] >= vertices) return false;
        made.push_back(code.corners[listed] + offset);
      }
    } else if (start >= n || !append_fan(triangles.data() + t, n, start, offset, made)) {
      return false;
    }
    t += 3 * (n - 2);
  }
  if (t != triangles.size() || listed != code.corners.size()) return false;
  std::uint32_t end = offsets.back();
  for (const std::uint32_t n : code.sizes) offsets.push_back(end += n);
  corners.insert(corners.end(), made.begin(), made.end());
  return true;
}

}  // namespace sinew::gltf
