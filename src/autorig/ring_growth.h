// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autorig/half_edges.h"

namespace sinew::autorig {

// A curve of half-edges with the faces that come next on its left. Closed: the last leads to the first.
struct Front {
  std::vector<std::uint32_t> edges;
  bool closed = true;
};

// Rings in the order in which they were found.
struct RingList {
  std::vector<std::uint32_t> vertices, offsets = {0}, level;
  std::vector<std::uint8_t> closed;

  std::size_t size() const { return closed.size(); }
  std::span<const std::uint32_t> ring(std::size_t r) const {
    return {vertices.data() + offsets[r], vertices.data() + offsets[r + 1]};
  }
  void add(std::span<const std::uint32_t> ring, bool is_closed, std::uint32_t its_level);
  void drop_last();
};

// Moves curves over a quad mesh, one row of faces a step; knows which vertices are taken.
class RingGrowth {
 public:
  explicit RingGrowth(const HalfEdges& edges)
      : edges_(edges), owner_(edges.vertex_count(), kNone), stamp_(edges.vertex_count(), 0) {}

  bool is_free(std::uint32_t v) const { return owner_[v] == kNone; }
  std::uint32_t owner(std::uint32_t v) const { return owner_[v]; }
  void claim(std::uint32_t v, std::uint32_t who) { owner_[v] = who; }
  void release(std::span<const std::uint32_t> ring) {
    for (const std::uint32_t v : ring) owner_[v] = kNone;
  }

  // The closed curve that runs straight on from half-edge h over free vertices that `admit` lets through;
  // empty where there is none, or where it crosses itself.
  template <class Admit>
  std::vector<std::uint32_t> straight_loop(std::uint32_t h, Admit&& admit);

  // What a step of a closed front found.
  struct Step {
    bool whole = false;  // the next ring is closed, free and has no vertex twice
    int opening = 0;     // corners where the front turns outward less those where it turns inward: 0 on a
                         // tube, 4 on a plane; the ring then grows by twice as many vertices a step
  };
  // The next ring beyond a closed front: its vertices to `ring` (claimed where whole), its half-edges to
  // `next`, which is empty where it lies on a border. Neither is of use where not whole, as where the front
  // opens by `most_opening` or more.
  Step advance(const Front& front, std::uint32_t who, int most_opening, std::vector<std::uint32_t>& ring,
               Front& next);

  // The vertices of the last advance()'s ring that were not free.
  std::span<const std::uint32_t> blockers() const { return blockers_; }

  // The same for a body that limbs leave: free stretches of the next row, each grown straight on at both ends
  // until it closes or meets a vertex that is taken. Any number of fronts.
  void advance_open(const Front& front, std::uint32_t who, std::vector<Front>& next, RingList& rings,
                    std::uint32_t level);

  // A curve through half-edge h over free vertices: straight on at both ends, as above.
  Front run_along(std::uint32_t h, std::uint32_t who);
  void vertices_of(const Front& run, std::vector<std::uint32_t>& ring) const;

  // The curve the other way round, so that its right side is on its left; empty where it runs on a border.
  Front turned(const Front& front) const;

 private:
  void far_edges(const Front& front, std::vector<std::uint32_t>& far, int& opening);
  void extend(Front& run, std::uint32_t who);
  void grow_end(std::vector<std::uint32_t>& run, std::uint32_t stop, std::uint32_t who, bool& closed);

  const HalfEdges& edges_;
  std::vector<std::uint32_t> owner_, stamp_, far_, blockers_;
  std::uint32_t stamp_now_ = 0;
};

template <class Admit>
std::vector<std::uint32_t> RingGrowth::straight_loop(std::uint32_t h, Admit&& admit) {
  std::vector<std::uint32_t> loop;
  ++stamp_now_;
  for (std::uint32_t g = h;;) {
    const std::uint32_t v = edges_.target(g);
    if (!is_free(v) || stamp_[v] == stamp_now_ || !admit(v)) return {};
    stamp_[v] = stamp_now_;
    loop.push_back(g);
    g = edges_.straight(g);
    if (g == h) return loop;
    if (g == kNone || loop.size() > edges_.vertex_count()) return {};
  }
}

}  // namespace sinew::autorig
