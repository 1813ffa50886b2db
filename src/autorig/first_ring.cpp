// SPDX-License-Identifier: Apache-2.0
// Where the rings of a limb begin: the first closed row of quads on the way from its tip that parts the tip
// from the body.
#include <algorithm>
#include <cmath>

#include "autorig/limb_rings.h"
#include "autorig/ring_direction.h"

namespace sinew::autorig {
namespace {

constexpr double kSteepest = 0.7;           // sine of the angle to the plane at which an edge is still around
constexpr std::size_t kLongestWalk = 4096;  // edges
constexpr int kTriesByAngle = 16;           // vertices from the tip on at which the paper's walk is tried

std::uint32_t face_of(const PolyMesh& mesh, std::uint32_t h) {
  const auto after = std::upper_bound(mesh.face_offsets.begin(), mesh.face_offsets.end(), h);
  return static_cast<std::uint32_t>(after - mesh.face_offsets.begin() - 1);
}

}  // namespace

bool LimbRings::first_ring(const LimbTip& tip, Start& start) {
  start.tip = tip;
  if (edges_.valence(tip.vertex) == 0 && ring_at_border(tip.vertex, start)) return true;
  for (const bool by_angle : {false, true}) {
    int tries = 0;
    for (WayInward way = tips_.way_inward(tip.vertex); is_on(way, tip.saddle); way.next()) {
      const std::uint32_t v = way.vertex();
      if (!growth_.is_free(v) || (by_angle && ++tries > kTriesByAngle)) break;
      if (by_angle ? ring_by_angle(v, tip, start) : edges_.is_regular(v) && ring_through(v, {tip}, start))
        return true;
    }
  }
  return false;
}

bool LimbRings::first_ring_of_stretch(const LimbTip& tip, Start& start) {
  start.tip = tip;
  for (WayInward way = tips_.way_inward(tip.vertex); is_on(way, tip.saddle); way.next()) {
    const std::uint32_t v = way.vertex();
    if (growth_.is_free(v) && tips_.distance(v) < tip.top && edges_.is_regular(v) &&
        ring_through(v, {tip, kInfinite, false}, start))
      return true;
  }
  return false;
}

bool LimbRings::ring_at_border(std::uint32_t tip, Start& start) {
  for (const std::uint32_t h : edges_.leaving(tip)) {
    if (edges_.twin(h) != kNone) continue;
    start.ring.edges = growth_.straight_loop(h, [](std::uint32_t) { return true; });
    start.length = length_of(start.ring);
    return start.ring.edges.size() >= 3;
  }
  return false;
}

// Both rows of quads through a vertex; where both close, the rays tell which runs around.
bool LimbRings::ring_through(std::uint32_t v, const Sought& sought, Start& start) {
  const LimbTip& tip = sought.tip;
  const auto admit = [&](std::uint32_t w) { return tips_.distance(w) > tip.saddle; };
  const std::uint32_t h = edges_.leaving(v)[0];
  const std::uint32_t crossing = edges_.next(edges_.twin(h));
  std::vector<std::uint32_t> loops[2] = {growth_.straight_loop(h, admit),
                                         growth_.straight_loop(crossing, admit)};
  if (loops[0].empty() && loops[1].empty()) return false;
  if (!loops[0].empty() && !loops[1].empty()) {
    // The face between the two: h comes in to v there, turned round, and the crossing edge leaves it.
    const std::uint32_t face = face_of(mesh_, crossing);
    const auto direction = ring_direction(mesh_, faces_of_limb(tip), face, v);
    if (direction && direction->leaving_is_around()) std::swap(loops[0], loops[1]);
  }
  for (auto& loop : loops) {
    if (loop.empty()) continue;
    // The length first, which costs a fraction of the flood: the other row runs along the limb.
    if (sought.longest < kInfinite && length_of({loop, true}) > sought.longest) return false;
    if (accept(std::move(loop), sought, start)) return true;
  }
  return false;
}

bool LimbRings::ring_by_angle(std::uint32_t v, const LimbTip& tip, Start& start) {
  if (edges_.valence(v) == 0) return false;
  const std::uint32_t h = edges_.leaving(v)[0], face = face_of(mesh_, h);
  if (mesh_.face(face).size() != 4) return false;
  const auto direction = ring_direction(mesh_, faces_of_limb(tip), face, v);
  if (!direction) return false;
  std::uint32_t before = h;
  while (edges_.next(before) != h) before = edges_.next(before);
  const bool leaving = direction->leaving_is_around();
  const std::uint32_t around = leaving ? h : edges_.twin(before);
  const Vec3 along = mesh_.positions[leaving ? edges_.origin(before) : edges_.target(h)] - mesh_.positions[v];
  const Vec3 edge = mesh_.positions[edges_.target(around)] - mesh_.positions[v];
  const Vec3 normal = (along - along.dot(edge) / edge.squaredNorm() * edge).stableNormalized();
  auto loop = angle_loop(around, normal, tip);
  return loop.size() >= 3 && accept(std::move(loop), {tip}, start);
}

// The paper's walk: at each vertex the edge with the smallest angle to the plane, onward, until it is back.
std::vector<std::uint32_t> LimbRings::angle_loop(std::uint32_t h, const Vec3& normal,
                                                 const LimbTip& tip) const {
  std::vector<std::uint32_t> loop = {h};
  std::vector<std::uint32_t> visited = {edges_.target(h)};
  const std::uint32_t start = edges_.origin(h);
  while (loop.size() < kLongestWalk) {
    const std::uint32_t v = edges_.target(loop.back());
    if (v == start) return loop;
    if (edges_.valence(v) == 0 || !growth_.is_free(v) || !(tips_.distance(v) > tip.saddle)) return {};
    const Vec3 before = mesh_.positions[v] - mesh_.positions[edges_.origin(loop.back())];
    std::uint32_t best = kNone;
    double least = kSteepest;
    for (const std::uint32_t g : edges_.leaving(v)) {
      const Vec3 edge = mesh_.positions[edges_.target(g)] - mesh_.positions[v];
      const double sine = std::abs(edge.dot(normal)) / std::max(edge.norm(), 1e-300);
      const bool again = std::find(visited.begin(), visited.end(), edges_.target(g)) != visited.end();
      if (again || edge.dot(before) <= 0 || sine >= least) continue;
      least = sine;
      best = g;
    }
    if (best == kNone) return {};
    loop.push_back(best);
    visited.push_back(edges_.target(best));
  }
  return {};
}

// A loop is the limb's where it parts the tip from the rest.
bool LimbRings::accept(std::vector<std::uint32_t> loop, const Sought& sought, Start& start) {
  const LimbTip& tip = sought.tip;
  if (!sought.inside) {
    const TipFinder::Parting parting = tips_.parts(loop, tip);
    if (parting == TipFinder::Parting::kNot) return false;
    if (parting != TipFinder::Parting::kUnknown) {
      start.ring = {std::move(loop), true};
      if (parting == TipFinder::Parting::kTipOnLeft) start.ring = growth_.turned(start.ring);
      start.length = length_of(start.ring);
      return !start.ring.edges.empty();
    }
  }
  ++mark_now_;
  for (const std::uint32_t g : loop) mark_[edges_.origin(g)] = mark_now_;
  if (mark_[tip.vertex] == mark_now_) return false;
  if (!collect_inside(tip, start.inside)) return false;
  start.ring = {std::move(loop), true};
  const std::uint32_t left = edges_.target(edges_.next(start.ring.edges[0]));
  if (mark_[left] == mark_now_ + 1) start.ring = growth_.turned(start.ring);
  ++mark_now_;
  start.length = length_of(start.ring);
  return !start.ring.edges.empty();
}

// Vertices on the tip's side of the marked loop, marked by the next number; false where the flood leaves the
// limb.
bool LimbRings::collect_inside(const LimbTip& tip, std::vector<std::uint32_t>& inside) {
  inside = {tip.vertex};
  mark_[tip.vertex] = mark_now_ + 1;
  bool within = true;
  for (std::size_t k = 0; k < inside.size() && within; ++k)
    edges_.for_each_neighbour(inside[k], [&](std::uint32_t w) {
      if (mark_[w] >= mark_now_) return;
      if (!(tips_.distance(w) > tip.saddle) || (!tip.is_stretch() && !growth_.is_free(w))) within = false;
      mark_[w] = mark_now_ + 1;
      inside.push_back(w);
    });
  if (tip.is_stretch() && mark_[tip.sibling] != mark_now_ + 1) within = false;
  if (!within) ++mark_now_;
  return within;
}

const std::vector<std::uint32_t>& LimbRings::faces_of_limb(const LimbTip& tip) {
  std::vector<std::uint32_t>& faces = limb_faces_;
  if (limb_faces_of_ == tip.vertex && !tip.is_stretch()) return faces;
  limb_faces_of_ = tip.is_stretch() ? kNone : tip.vertex;
  ++mark_now_;
  faces.clear();
  std::vector<std::uint32_t> flood = {tip.vertex};
  mark_[tip.vertex] = mark_now_;
  for (std::size_t k = 0; k < flood.size(); ++k) {
    for (const std::uint32_t h : edges_.leaving(flood[k])) faces.push_back(face_of(mesh_, h));
    edges_.for_each_neighbour(flood[k], [&](std::uint32_t w) {
      if (mark_[w] == mark_now_ || !(tips_.distance(w) > tip.saddle)) return;
      mark_[w] = mark_now_;
      flood.push_back(w);
    });
  }
  std::sort(faces.begin(), faces.end());
  faces.erase(std::unique(faces.begin(), faces.end()), faces.end());
  return faces;
}

}  // namespace sinew::autorig
