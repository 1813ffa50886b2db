// SPDX-License-Identifier: Apache-2.0
#include "autorig/ring_growth.h"

#include <algorithm>

namespace sinew::autorig {

void RingList::add(std::span<const std::uint32_t> ring, bool is_closed, std::uint32_t its_level) {
  vertices.insert(vertices.end(), ring.begin(), ring.end());
  offsets.push_back(static_cast<std::uint32_t>(vertices.size()));
  closed.push_back(is_closed ? 1 : 0);
  level.push_back(its_level);
}

void RingList::drop_last() {
  offsets.pop_back();
  vertices.resize(offsets.back());
  closed.pop_back();
  level.pop_back();
}

Front RingGrowth::turned(const Front& front) const {
  Front other{{}, front.closed};
  for (std::size_t k = front.edges.size(); k-- > 0;) {
    const std::uint32_t twin = edges_.twin(front.edges[k]);
    if (twin == kNone) return {{}, front.closed};
    other.edges.push_back(twin);
  }
  return other;
}

// The edges of the faces beside the front that no vertex of the front touches, in the front's order: what the
// front becomes. Faces at the front's corners count, or the ring would be cut there.
void RingGrowth::far_edges(const Front& front, std::vector<std::uint32_t>& far, int& opening) {
  far.clear();
  opening = 0;
  ++stamp_now_;
  const auto& run = front.edges;
  for (const std::uint32_t h : run) {
    stamp_[edges_.origin(h)] = stamp_now_;
    stamp_[edges_.target(h)] = stamp_now_;
  }
  const auto add_face = [&](std::uint32_t from) {  // from: a half-edge of the face that starts on the front
    const std::size_t begin = far.size();
    for (std::uint32_t g = edges_.next(from); g != from; g = edges_.next(g))
      if (stamp_[edges_.origin(g)] != stamp_now_ && stamp_[edges_.target(g)] != stamp_now_) far.push_back(g);
    std::reverse(far.begin() + static_cast<std::ptrdiff_t>(begin), far.end());
  };
  std::uint32_t covered = kNone;  // the half-edge that the face before shares with the front
  for (std::size_t k = 0; k < run.size(); ++k) {
    const std::uint32_t h = run[k];
    if (covered != h) add_face(h);
    covered = kNone;
    if (k + 1 == run.size() && !front.closed) break;
    const std::uint32_t after = run[k + 1 == run.size() ? 0 : k + 1];
    int outward = 0;
    std::uint32_t g = edges_.next(h);
    for (; g != after; ++outward) {
      const std::uint32_t twin = edges_.twin(g);
      if (twin == kNone) break;
      g = edges_.next(twin);
      if (g != after) add_face(g);
    }
    opening += outward - 1;
    // Both edges belong to one face, which is done.
    if (outward == 0) covered = after;
  }
}

RingGrowth::Step RingGrowth::advance(const Front& front, std::uint32_t who, int most_opening,
                                     std::vector<std::uint32_t>& ring, Front& next) {
  Step step;
  far_edges(front, far_, step.opening);
  ring.clear();
  next.edges.clear();
  next.closed = true;
  const bool whole = far_.size() >= 3 && step.opening < most_opening;
  blockers_.clear();
  for (const std::uint32_t f : far_)
    if (const std::uint32_t v = edges_.target(f); !is_free(v)) blockers_.push_back(v);
  if (!whole || !blockers_.empty()) return step;
  for (std::size_t k = 0; k < far_.size(); ++k) {
    const std::uint32_t v = edges_.target(far_[k]);
    const std::uint32_t after = far_[k + 1 == far_.size() ? 0 : k + 1];
    if (edges_.origin(far_[k]) != edges_.target(after) || stamp_[v] == stamp_now_) return step;
    stamp_[v] = stamp_now_;
    ring.push_back(v);
  }
  step.whole = true;
  for (const std::uint32_t v : ring) owner_[v] = who;
  for (const std::uint32_t f : far_) {
    if (edges_.twin(f) == kNone) {
      next.edges.clear();
      break;
    }
    next.edges.push_back(edges_.twin(f));
  }
  return step;
}

// Straight on from the last half-edge of a run while vertices are free; closed where it comes to `stop`.
void RingGrowth::grow_end(std::vector<std::uint32_t>& run, std::uint32_t stop, std::uint32_t who,
                          bool& closed) {
  for (;;) {
    const std::uint32_t g = edges_.straight(run.back());
    if (g == kNone) return;
    const std::uint32_t v = edges_.target(g);
    if (v == stop && run.size() >= 2) {
      run.push_back(g);
      closed = true;
      return;
    }
    if (!is_free(v)) return;
    owner_[v] = who;
    run.push_back(g);
  }
}

void RingGrowth::extend(Front& run, std::uint32_t who) {
  run.closed = false;
  if (run.edges.empty()) return;
  const std::uint32_t first = edges_.origin(run.edges.front()), last = edges_.target(run.edges.back());
  if (first == last) {  // the run came round by itself
    run.closed = true;
    return;
  }
  grow_end(run.edges, first, who, run.closed);
  if (run.closed) return;
  Front back = turned(run);
  if (back.edges.empty()) return;
  const std::size_t before = back.edges.size();
  grow_end(back.edges, edges_.target(run.edges.back()), who, run.closed);
  if (back.edges.size() == before) return;
  const bool closed = run.closed;
  run = turned(back);
  run.closed = closed;
}

Front RingGrowth::run_along(std::uint32_t h, std::uint32_t who) {
  owner_[edges_.origin(h)] = who;
  owner_[edges_.target(h)] = who;
  Front run{{h}, false};
  extend(run, who);
  return run;
}

void RingGrowth::vertices_of(const Front& run, std::vector<std::uint32_t>& ring) const {
  ring.clear();
  for (const std::uint32_t h : run.edges) ring.push_back(edges_.origin(h));
  if (!run.closed) ring.push_back(edges_.target(run.edges.back()));
}

void RingGrowth::advance_open(const Front& front, std::uint32_t who, std::vector<Front>& next,
                              RingList& rings, std::uint32_t level) {
  int opening = 0;
  std::vector<std::uint32_t> far;
  far_edges(front, far, opening);
  std::vector<std::uint32_t> ring;
  const auto emit = [&](Front& run) {
    if (run.edges.empty()) return;
    extend(run, who);
    vertices_of(run, ring);
    rings.add(ring, run.closed && ring.size() >= 3, level);
    next.push_back(run);
    run = {};
  };
  // A closed front may hold a run across its seam: begin behind a gap.
  std::size_t begin = 0;
  const auto usable = [&](std::size_t k) {
    return edges_.twin(far[k]) != kNone && is_free(edges_.target(far[k])) && is_free(edges_.origin(far[k]));
  };
  if (front.closed)
    for (std::size_t k = 0; k < far.size(); ++k)
      if (!usable(k) || edges_.target(far[k]) != edges_.origin(far[k == 0 ? far.size() - 1 : k - 1])) {
        begin = k;
        break;
      }
  Front run;
  for (std::size_t j = 0; j < far.size(); ++j) {
    const std::size_t k = (begin + j) % far.size();
    const std::uint32_t from = edges_.target(far[k]), to = edges_.origin(far[k]);
    const bool follows = !run.edges.empty() && edges_.target(run.edges.back()) == from;
    if (!follows) {
      emit(run);
      if (edges_.twin(far[k]) == kNone || !is_free(from) || !is_free(to)) continue;
      owner_[from] = who;
    } else if (edges_.twin(far[k]) == kNone) {
      emit(run);
      continue;
    } else if (!is_free(to)) {
      if (to == edges_.origin(run.edges.front())) run.edges.push_back(edges_.twin(far[k]));
      emit(run);
      continue;
    }
    owner_[to] = who;
    run.edges.push_back(edges_.twin(far[k]));
  }
  emit(run);
}

}  // namespace sinew::autorig
