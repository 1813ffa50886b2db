// SPDX-License-Identifier: Apache-2.0
#include "sinew/rig/vertex_subset.h"

namespace sinew {
namespace {

constexpr std::uint32_t kGone = static_cast<std::uint32_t>(-1);

// The values of some vertices; nothing where there were none.
template <typename T>
void keep_values(std::vector<T>& values, std::span<const std::uint32_t> kept) {
  if (values.empty()) return;
  std::vector<T> now;
  now.reserve(kept.size());
  for (const std::uint32_t i : kept) now.push_back(values[i]);
  values = std::move(now);
}

// Rows in compressed form; `beside` are arrays as long as the entries.
template <typename Entry, typename... Beside>
void keep_rows(std::vector<std::uint32_t>& offsets, std::vector<Entry>& entries,
               std::span<const std::uint32_t> kept, Beside&... beside) {
  if (offsets.empty()) return;
  std::vector<std::uint32_t> starts = {0}, which;
  for (const std::uint32_t i : kept) {
    for (std::uint32_t k = offsets[i]; k < offsets[i + 1]; ++k) which.push_back(k);
    starts.push_back(static_cast<std::uint32_t>(which.size()));
  }
  offsets = std::move(starts);
  keep_values(entries, which);
  (keep_values(beside, which), ...);
}

void keep_field(FleshField& field, std::span<const std::uint32_t> now) {
  std::vector<std::uint32_t> rows, vertices;
  std::vector<std::int8_t> values;
  const std::size_t width = 3 * field.modes();
  for (std::uint32_t r = 0; r < field.vertices.size(); ++r) {
    if (now[field.vertices[r]] == kGone) continue;
    rows.push_back(r);
    vertices.push_back(now[field.vertices[r]]);
    const auto begin = field.values.begin() + static_cast<std::ptrdiff_t>(r * width);
    values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(width));
  }
  keep_values(field.twist, rows);
  field.vertices = std::move(vertices);
  field.values = std::move(values);
}

}  // namespace

Rig with_triangles(const Rig& rig, std::span<const Triangle> triangles, std::vector<std::uint32_t>& kept) {
  Rig out = rig;
  kept.clear();
  std::vector<std::uint32_t> now(rig.mesh.vertex_count(), kGone);
  for (const Triangle& triangle : triangles)
    for (const std::uint32_t corner : triangle) now[corner] = 0;
  for (std::uint32_t i = 0; i < now.size(); ++i) {
    if (now[i] == kGone) continue;
    now[i] = static_cast<std::uint32_t>(kept.size());
    kept.push_back(i);
  }
  keep_values(out.mesh.positions, kept);
  keep_values(out.mesh.normals, kept);
  keep_values(out.mesh.texcoords, kept);
  keep_rows(out.weights.offsets, out.weights.entries, kept, out.endpoint.values, out.endpoint.twist);
  keep_rows(out.joint_weights.offsets, out.joint_weights.entries, kept);
  keep_rows(out.flesh.weights.offsets, out.flesh.weights.entries, kept);
  keep_values(out.flesh.weights.base, kept);
  for (FleshField& field : out.flesh.fields) keep_field(field, now);
  for (ShapeKey& key : out.keys) {
    keep_values(key.deltas, kept);
    keep_values(key.normal_deltas, kept);
  }
  for (VertexAttribute& attribute : out.attributes) keep_values(attribute.values, kept);
  out.cages.clear();
  out.points = {};
  out.loose_edges.clear();
  out.mesh.face_offsets.clear();
  out.mesh.face_vertices.clear();
  std::size_t vertex = 0;
  for (MeshPart& part : out.parts) {
    const std::size_t end = part.vertex_begin + part.vertex_count;
    const std::size_t first = part.vertex_begin;
    part.vertex_begin = vertex;
    while (vertex < kept.size() && kept[vertex] < end) ++vertex;
    part.vertex_count = vertex - part.vertex_begin;
    part.face_begin = out.mesh.face_count();
    for (const Triangle& t : triangles)
      if (t[0] >= first && t[0] < end) out.mesh.add_face({now[t[0]], now[t[1]], now[t[2]]});
    part.face_count = out.mesh.face_count() - part.face_begin;
  }
  return out;
}

}  // namespace sinew
