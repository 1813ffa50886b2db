// SPDX-License-Identifier: Apache-2.0
#include "sinew/mesh/weld.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>

namespace sinew {
namespace {

constexpr std::uint32_t kNoVertex = 0xffffffffu;

std::uint64_t bits_of(double value) {
  value += 0.0;  // -0 becomes 0
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

std::uint64_t hash_of(const Vec3& key) {
  std::uint64_t hash = 0x9e3779b97f4a7c15u;
  for (int axis = 0; axis < 3; ++axis) {
    hash = (hash ^ bits_of(key[axis])) * 0xff51afd7ed558ccdu;
    hash ^= hash >> 32;
  }
  return hash;
}

// Open addressing over the welded vertices; equal keys lie one behind the other in the order they came.
class PlaceTable {
 public:
  explicit PlaceTable(std::size_t vertex_count) : slots_(std::bit_ceil(2 * vertex_count + 2), kNoVertex) {}

  // visit(welded) for all with this hash's slots until it returns true; false where none did.
  template <class Visit>
  bool find(std::uint64_t hash, Visit&& visit) const {
    for (std::size_t slot = hash & mask();; slot = (slot + 1) & mask()) {
      if (slots_[slot] == kNoVertex) return false;
      if (visit(slots_[slot])) return true;
    }
  }
  void insert(std::uint64_t hash, std::uint32_t welded) {
    std::size_t slot = hash & mask();
    while (slots_[slot] != kNoVertex) slot = (slot + 1) & mask();
    slots_[slot] = welded;
  }

 private:
  std::size_t mask() const { return slots_.size() - 1; }
  std::vector<std::uint32_t> slots_;
};

std::uint32_t add_representative(Weld& weld, std::span<const Vec3> positions, std::size_t i) {
  weld.representative.push_back(static_cast<std::uint32_t>(i));
  weld.positions.push_back(positions[i]);
  return static_cast<std::uint32_t>(weld.positions.size() - 1);
}

bool same_group(const Weld& weld, std::span<const std::uint32_t> groups, std::uint32_t welded,
                std::size_t vertex) {
  return groups.empty() || groups[weld.representative[welded]] == groups[vertex];
}

Weld weld_equal(std::span<const Vec3> positions, std::span<const std::uint32_t> groups) {
  Weld weld;
  weld.to_welded.resize(positions.size());
  PlaceTable table(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Vec3& p = positions[i];
    const std::uint64_t hash = hash_of(p) ^ (groups.empty() ? 0 : groups[i] * 0x9e3779b97f4a7c15u);
    // NaN is never equal, so a broken vertex stays alone; it is kept out of the table, where many would form
    // one chain.
    const bool finite = p.allFinite();
    const bool found = finite && table.find(hash, [&](std::uint32_t welded) {
      weld.to_welded[i] = welded;
      return weld.positions[welded] == p && same_group(weld, groups, welded, i);
    });
    if (found) continue;
    weld.to_welded[i] = add_representative(weld, positions, i);
    if (finite) table.insert(hash, weld.to_welded[i]);
  }
  return weld;
}

// Cells are twice as wide as the tolerance, so that all partners of a vertex lie in its own cell and, along
// each axis, in the one on the nearer side.
Vec3 cell_of(const Vec3& p, double tolerance) {
  return (p / (2 * tolerance)).array().floor();
}

std::uint32_t first_within(const Weld& weld, const PlaceTable& table, std::span<const Vec3> positions,
                           std::span<const std::uint32_t> groups, std::size_t vertex, double tolerance) {
  std::uint32_t best = kNoVertex;
  const Vec3& p = positions[vertex];
  const Vec3 cell = cell_of(p, tolerance);
  const Vec3 side = 2 * ((p / (2 * tolerance) - cell).array() >= 0.5).cast<double>() - 1;
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 key = cell + side.cwiseProduct(Vec3(corner & 1, corner >> 1 & 1, corner >> 2));
    table.find(hash_of(key), [&](std::uint32_t welded) {
      if (welded < best && (weld.positions[welded] - p).norm() <= tolerance &&
          same_group(weld, groups, welded, vertex))
        best = welded;
      return false;
    });
  }
  return best;
}

Weld weld_near(std::span<const Vec3> positions, double tolerance, std::span<const std::uint32_t> groups) {
  Weld weld;
  weld.to_welded.resize(positions.size());
  PlaceTable table(positions.size());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const bool finite = positions[i].allFinite();
    const std::uint32_t found =
        finite ? first_within(weld, table, positions, groups, i, tolerance) : kNoVertex;
    weld.to_welded[i] = found != kNoVertex ? found : add_representative(weld, positions, i);
    if (finite && found == kNoVertex)
      table.insert(hash_of(cell_of(positions[i], tolerance)), weld.to_welded[i]);
  }
  return weld;
}

}  // namespace

Weld weld_vertices(std::span<const Vec3> positions, double tolerance, std::span<const std::uint32_t> groups) {
  assert(groups.empty() || groups.size() == positions.size());
  return tolerance > 0 ? weld_near(positions, tolerance, groups) : weld_equal(positions, groups);
}

WeldedTriangles weld_triangles(MeshView mesh, double tolerance, std::span<const std::uint32_t> groups) {
  WeldedTriangles out;
  out.weld = weld_vertices(mesh.positions, tolerance, groups);
  out.triangles.reserve(mesh.triangles.size());
  out.source.reserve(mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    Triangle welded;
    for (std::size_t k = 0; k < 3; ++k) welded[k] = out.weld.to_welded[mesh.triangles[t][k]];
    if (welded[0] == welded[1] || welded[1] == welded[2] || welded[2] == welded[0]) {
      ++out.dropped;
      continue;
    }
    out.triangles.push_back(welded);
    out.source.push_back(static_cast<std::uint32_t>(t));
  }
  return out;
}

WeldedFaces weld_faces(const PolyMesh& mesh, double tolerance) {
  WeldedFaces out;
  out.weld = weld_vertices(mesh.positions, tolerance);
  out.mesh.positions = out.weld.positions;
  out.mesh.face_vertices.reserve(mesh.face_vertices.size());
  out.mesh.face_offsets.reserve(mesh.face_offsets.size());
  std::vector<std::uint32_t> corners;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    corners.clear();
    for (const std::uint32_t vertex : mesh.face(f))
      if (corners.empty() || corners.back() != out.weld.to_welded[vertex])
        corners.push_back(out.weld.to_welded[vertex]);
    while (corners.size() > 1 && corners.back() == corners.front()) corners.pop_back();
    if (corners.size() < 3) {
      ++out.dropped;
      continue;
    }
    out.mesh.add_face(corners);
    out.source.push_back(static_cast<std::uint32_t>(f));
  }
  return out;
}

}  // namespace sinew
