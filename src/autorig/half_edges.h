// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/mesh/poly_mesh.h"

namespace sinew::autorig {

inline constexpr std::uint32_t kNone = 0xffffffffu;

// Who lies beside whom on a polygon mesh. Half-edge h runs from its origin along a face on its left; corner h
// of the mesh's face_vertices is its origin. Built in one pass over the corners, since it is on the path of a
// millisecond.
class HalfEdges {
 public:
  explicit HalfEdges(const PolyMesh& mesh);

  std::size_t vertex_count() const { return valence_.size(); }
  std::size_t size() const { return next_.size(); }
  std::uint32_t origin(std::uint32_t h) const { return origin_[h]; }
  std::uint32_t target(std::uint32_t h) const { return origin_[next_[h]]; }
  std::uint32_t next(std::uint32_t h) const { return next_[h]; }
  std::uint32_t twin(std::uint32_t h) const { return twin_[h]; }  // kNone: border, or not manifold
  // Half-edges that leave a vertex, in no order.
  std::span<const std::uint32_t> leaving(std::uint32_t v) const {
    return {leaving_.data() + offsets_[v], leaving_.data() + offsets_[v + 1]};
  }
  // Where they lead, in the same order.
  std::span<const std::uint32_t> targets(std::uint32_t v) const {
    return {targets_.data() + offsets_[v], targets_.data() + offsets_[v + 1]};
  }
  // All vertices that share an edge with v; at a border the last one has no half-edge that leaves to it.
  template <class Visit>
  void for_each_neighbour(std::uint32_t v, Visit&& visit) const {
    for (const std::uint32_t w : targets(v)) visit(w);
    if (valence_[v] != 0) return;
    for (const std::uint32_t h : leaving(v)) {
      std::uint32_t before = h;
      while (next_[before] != h) before = next_[before];
      if (twin_[before] == kNone) visit(origin_[before]);
    }
  }
  // Edges at a vertex that lies inside the surface; 0 at borders and where the surface is no disk.
  unsigned valence(std::uint32_t v) const { return valence_[v]; }
  bool is_regular(std::uint32_t v) const { return valence_[v] == 4; }

  // The half-edge that goes straight on behind h: across a vertex of four edges, or along a border. kNone
  // elsewhere.
  std::uint32_t straight(std::uint32_t h) const {
    if (is_regular(target(h))) return next_[twin_[next_[h]]];
    return twin_[h] == kNone ? along_border(h) : kNone;
  }
  // The next half-edge without a face on its right; kNone where the surface is not manifold.
  std::uint32_t along_border(std::uint32_t h) const;

 private:
  void link();
  void count_valences();
  std::span<const std::uint32_t> origin_;
  std::vector<std::uint32_t> next_, twin_, offsets_, leaving_, targets_;
  std::vector<std::uint8_t> valence_;
};

}  // namespace sinew::autorig
