// SPDX-License-Identifier: Apache-2.0
#include "autorig/limb_rings.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sinew::autorig {
namespace {

// A front that turns outward at so many corners has left the limb: a tube has none, a plane four.
constexpr int kSeamOpening = 3;
constexpr int kAnyOpening = std::numeric_limits<int>::max();
constexpr double kAlikeRings = 1.15;
constexpr double kWiderRing =
    1.5;                         // a ring behind an ear or a knot is no longer than this times the one before
constexpr float kAslant = 0.3f;  // of a limb's height
constexpr float kFork = 0.5f;    // of a limb's height: another one of so much is not carried by it
constexpr int kTriesBehind = 48;              // vertices along the limb where it is looked for
constexpr std::uint32_t kBody = 0x40000000u;  // owners from here on are parts of the body

constexpr std::uint32_t kContested = 0x3fffffffu;

}  // namespace

void LimbRings::find(std::span<const std::uint32_t> tips) {
  std::vector<TipField> fields;
  for (std::uint32_t v = 0; v < edges_.vertex_count(); ++v)
    if (!edges_.leaving(v).empty() && !tips_.is_seen(v)) fields.push_back(tips_.find(v, tips));
  for (const TipField& field : fields)
    all_tips_.insert(all_tips_.end(), field.tips.begin(), field.tips.end());
  for (const TipField& field : fields) find_limbs(field);
  growth_.release(contested_);
  for (const TipField& field : fields) find_body(field);
  find_rest();
}

void LimbRings::find_limbs(const TipField& field) {
  std::vector<Start> starts;
  for (const LimbTip& tip : field.tips) {
    if (tip.is_stretch()) continue;
    const bool known = std::any_of(starts.begin(), starts.end(), [&](const Start& s) {
      return std::find(s.inside.begin(), s.inside.end(), tip.vertex) != s.inside.end();
    });
    Start start;
    if (!known && first_ring(tip, start)) starts.push_back(std::move(start));
  }
  // Thin ones first: where a thick one would run over a thin one's end it then finds it taken.
  std::stable_sort(starts.begin(), starts.end(),
                   [](const Start& a, const Start& b) { return a.length < b.length; });
  for (const Start& start : starts) grow(start);
  for (const LimbTip& tip : field.tips) {
    Start start;
    if (tip.is_stretch() && first_ring_of_stretch(tip, start)) grow(start);
  }
}

float LimbRings::mean_distance(std::span<const std::uint32_t> ring) const {
  float sum = 0;
  for (const std::uint32_t v : ring) sum += tips_.distance(v);
  return sum / static_cast<float>(ring.size());
}

double LimbRings::length_of(const Front& front) const {
  double length = 0;
  for (const std::uint32_t g : front.edges)
    length += (mesh_.positions[edges_.target(g)] - mesh_.positions[edges_.origin(g)]).norm();
  return length;
}

void LimbRings::grow(const Start& start) {
  std::vector<std::uint32_t> ring;
  growth_.vertices_of(start.ring, ring);
  for (const std::uint32_t v : ring)
    if (!growth_.is_free(v)) return;
  const auto who = static_cast<std::uint32_t>(limbs_.size());
  for (const std::uint32_t v : ring) growth_.claim(v, who);
  FoundLimb limb;
  RingList before;  // from the first ring towards the tip
  if (start.tip.is_stretch()) {
    grow_side(growth_.turned(start.ring), who, before);
  } else {
    limb.tip = start.tip.vertex;
    grow_cap(start, who, before);
  }
  const std::uint32_t shift = before.size() > 0 ? before.level.back() : 0;
  for (std::size_t r = before.size(); r-- > 0;)
    limb.rings.add(before.ring(r), before.closed[r] != 0, shift - before.level[r]);
  limb.rings.add(ring, true, shift);
  limbs_.push_back({});
  grow_down(start, who, limb);
  limbs_[who] = std::move(limb);
}

// Rings inward from the first one, and a curve through what is left in the middle.
void LimbRings::grow_cap(const Start& start, std::uint32_t who, RingList& cap) {
  Front front = growth_.turned(start.ring), next;
  std::vector<std::uint32_t> ring;
  std::uint32_t level = 0;
  while (!front.edges.empty() && growth_.advance(front, who, kAnyOpening, ring, next).whole) {
    cap.add(ring, true, ++level);
    std::swap(front, next);
  }
  // The ends of the curve first, or it would begin in its middle.
  for (const bool ends : {true, false})
    for (const std::uint32_t v : start.inside) {
      if (!growth_.is_free(v)) continue;
      unsigned free = 0;
      for (const std::uint32_t h : edges_.leaving(v)) free += growth_.is_free(edges_.target(h));
      if (!ends || free <= 1) chain(v, who, cap);
    }
}

// The curve that begins at a free vertex and goes on to free neighbours, straight where it can.
void LimbRings::chain(std::uint32_t v, std::uint32_t who, RingList& rings) {
  std::vector<std::uint32_t> ring;
  std::uint32_t last = kNone;
  for (std::uint32_t at = v; at != kNone;) {
    growth_.claim(at, who);
    ring.push_back(at);
    std::uint32_t onward = last == kNone ? kNone : edges_.straight(last);
    if (onward != kNone && !growth_.is_free(edges_.target(onward))) onward = kNone;
    if (onward == kNone)
      for (const std::uint32_t h : edges_.leaving(at))
        if (growth_.is_free(edges_.target(h))) {
          onward = h;
          break;
        }
    at = onward == kNone ? kNone : edges_.target(onward);
    last = onward;
  }
  rings.add(ring, false, (rings.size() > 0 ? rings.level.back() : 0) + 1);
}

void LimbRings::grow_down(const Start& start, std::uint32_t who, FoundLimb& limb) {
  Front front = start.ring, next;
  std::vector<std::uint32_t> ring;
  float nearest = mean_distance(limb.rings.ring(limb.rings.size() - 1));
  std::size_t at_nearest = limb.rings.size();
  std::size_t at_middle = 0;  // rings when the middle was passed; 0: not yet
  while (!front.edges.empty()) {
    const RingGrowth::Step step = growth_.advance(front, who, kSeamOpening, ring, next);
    if (!step.whole) {
      const std::vector<std::uint32_t> blockers(growth_.blockers().begin(), growth_.blockers().end());
      if (pass_by(start, who, front, limb)) {
        nearest = mean_distance(limb.rings.ring(limb.rings.size() - 1));
        at_nearest = limb.rings.size();
        continue;
      }
      limb.seam = step.opening >= kSeamOpening;
      for (const std::uint32_t v : blockers) limb.seam = give_up(v, who) || limb.seam;
      break;
    }
    const float there = mean_distance(ring);
    // The belt may cross the root of a limb: what lies beyond is the limb's where it soon opens, and else
    // belongs to whoever comes from the other side.
    if (there > nearest + tips_.tolerance() && at_middle == 0) at_middle = at_nearest;
    if (at_middle != 0 && limb.rings.size() > at_middle + at_middle / 3) {
      growth_.release(ring);
      break;
    }
    limb.rings.add(ring, true, limb.rings.level.back() + 1);
    if (there <= nearest) nearest = there, at_nearest = limb.rings.size();
    std::swap(front, next);
  }
  if (at_middle != 0 && !limb.seam) cut_back(limb, at_middle);
}

void LimbRings::cut_back(FoundLimb& limb, std::size_t rings) {
  while (limb.rings.size() > rings) {
    growth_.release(limb.rings.ring(limb.rings.size() - 1));
    limb.rings.drop_last();
  }
}

// Past an ear, a smaller limb or a knot in the rows: to the next closed row further down that still parts the
// tip from the body and is not much longer. What lies between is covered by open pieces.
bool LimbRings::pass_by(const Start& start, std::uint32_t who, Front& front, FoundLimb& limb) {
  Start behind;
  const double length = length_of(front);
  if (!ring_behind(start.tip, who, kAlikeRings * length, behind) &&
      !ring_behind(start.tip, who, kWiderRing * length, behind))
    return false;
  std::vector<std::uint32_t> ring;
  growth_.vertices_of(behind.ring, ring);
  for (const std::uint32_t w : ring) growth_.claim(w, who);
  std::uint32_t level = limb.rings.level.back();
  RingList gap;
  grow_side(front, who, gap);
  grow_side(growth_.turned(behind.ring), who, gap);
  for (const std::uint32_t w : behind.inside)
    if (growth_.is_free(w)) chain(w, who, gap);
  for (std::size_t r = 0; r < gap.size(); ++r) limb.rings.add(gap.ring(r), gap.closed[r] != 0, ++level);
  limb.rings.add(ring, true, ++level);
  front = behind.ring;
  return true;
}

bool LimbRings::ring_behind(const LimbTip& tip, std::uint32_t who, double longest, Start& behind) {
  LimbTip over = tip;
  if (!over.is_stretch()) over.sibling = over.vertex;  // vertices above may be taken, by us
  // A ring lies level on the limb and aslant in the distance: some of it may be nearer than the saddle.
  over.saddle -= kAslant * tip.height();
  WayInward way = tips_.way_inward(tip.vertex);
  while (way.vertex() != kNone && growth_.owner(way.vertex()) != who) way.next();
  while (way.vertex() != kNone && growth_.owner(way.vertex()) == who) way.next();
  for (int tries = 0; is_on(way, over.saddle) && tries < kTriesBehind; ++tries, way.next()) {
    const std::uint32_t v = way.vertex();
    if (growth_.is_free(v) && edges_.is_regular(v) && ring_through(v, {over, longest}, behind) &&
        !is_behind_fork(tip))
      return true;
  }
  return false;
}

// Whether the vertices that accept() found inside hold a limb that is no mere ear of this one.
bool LimbRings::is_behind_fork(const LimbTip& tip) const {
  return std::any_of(all_tips_.begin(), all_tips_.end(), [&](const LimbTip& other) {
    return other.vertex != tip.vertex && !other.is_stretch() && other.height() >= kFork * tip.height() &&
           mark_[other.vertex] == mark_now_;
  });
}

// Two limbs that meet in a curve both end before it, or the one that came first would be longer than its
// mirror image.
bool LimbRings::give_up(std::uint32_t vertex, std::uint32_t who) {
  const std::uint32_t other = growth_.owner(vertex);
  if (other == kContested) return true;
  if (other >= limbs_.size() || other == who || !limbs_[other].seam) return false;
  RingList& rings = limbs_[other].rings;
  const auto last = rings.ring(rings.size() - 1);
  if (rings.size() < 2 || std::find(last.begin(), last.end(), vertex) == last.end()) return true;
  // Not free yet: a third limb that comes to this curve must end before it too.
  for (const std::uint32_t v : last) {
    growth_.claim(v, kContested);
    contested_.push_back(v);
  }
  rings.drop_last();
  return true;
}

bool LimbRings::loop_of_body(std::uint32_t v, Front& front) {
  if (!growth_.is_free(v) || !edges_.is_regular(v)) return false;
  const auto admit = [](std::uint32_t) { return true; };
  const std::uint32_t h = edges_.leaving(v)[0];
  std::vector<std::uint32_t> loops[2] = {growth_.straight_loop(h, admit),
                                         growth_.straight_loop(edges_.next(edges_.twin(h)), admit)};
  // Of two closed rows the shorter one runs around: a part of the body is longer than wide between its limbs.
  if (loops[0].empty() || (!loops[1].empty() && loops[1].size() < loops[0].size()))
    std::swap(loops[0], loops[1]);
  front = {std::move(loops[0]), true};
  return !front.edges.empty();
}

void LimbRings::find_body(const TipField& field) {
  if (field.spine.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(field.spine.size());
  const auto middle = static_cast<std::ptrdiff_t>(field.middle);
  for (std::ptrdiff_t off = 0; off < 2 * count; ++off) {  // 0, +1, -1, +2, ...
    const std::ptrdiff_t k = middle + (off % 2 == 0 ? -off / 2 : (off + 1) / 2);
    Front front;
    if (k >= 0 && k < count && loop_of_body(field.spine[static_cast<std::size_t>(k)], front))
      grow_part(front, kBody + static_cast<std::uint32_t>(parts_.size()));
  }
}

// On from a closed ring until nothing is free; beside limbs it falls into open pieces.
void LimbRings::grow_side(const Front& front, std::uint32_t who, RingList& rings) {
  std::vector<Front> fronts = {front}, next;
  for (std::uint32_t level = 1; !fronts.empty(); ++level) {
    next.clear();
    for (const Front& one : fronts)
      if (!one.edges.empty()) growth_.advance_open(one, who, next, rings, level);
    std::swap(fronts, next);
  }
}

void LimbRings::grow_part(const Front& front, std::uint32_t who) {
  std::vector<std::uint32_t> ring;
  growth_.vertices_of(front, ring);
  for (const std::uint32_t v : ring) growth_.claim(v, who);
  RingList sides[2];
  for (const int side : {0, 1}) grow_side(side == 0 ? front : growth_.turned(front), who, sides[side]);
  RingList part;
  const std::uint32_t shift = sides[1].size() > 0 ? sides[1].level.back() : 0;
  for (std::size_t r = sides[1].size(); r-- > 0;)
    part.add(sides[1].ring(r), sides[1].closed[r] != 0, shift - sides[1].level[r]);
  part.add(ring, true, shift);
  for (std::size_t r = 0; r < sides[0].size(); ++r)
    part.add(sides[0].ring(r), sides[0].closed[r] != 0, shift + sides[0].level[r]);
  parts_.push_back(std::move(part));
}

// Curves through vertices that no row has reached, beside the curves that are there.
void LimbRings::find_rest() {
  RingList rest;
  const std::uint32_t who = kBody + static_cast<std::uint32_t>(parts_.size());
  std::vector<std::uint32_t> ring;
  const auto score = [&](std::uint32_t v, std::uint32_t h) {
    if (!growth_.is_free(edges_.target(h))) return 0;
    if (!edges_.is_regular(v)) return 1;
    // The two edges that cross h at v: best where a curve lies on that side.
    const std::uint32_t left = edges_.target(edges_.next(edges_.twin(h)));
    std::uint32_t right = h;
    while (edges_.next(right) != h) right = edges_.next(right);
    return 1 + !growth_.is_free(left) + !growth_.is_free(edges_.origin(right));
  };
  for (std::uint32_t v = 0; v < edges_.vertex_count(); ++v) {
    if (!growth_.is_free(v) || edges_.leaving(v).empty()) continue;
    std::uint32_t best = kNone;
    int most = 0;
    for (const std::uint32_t h : edges_.leaving(v))
      if (const int s = score(v, h); s > most) most = s, best = h;
    bool closed = false;
    if (best == kNone) {
      growth_.claim(v, who);
      ring = {v};
    } else {
      const Front run = growth_.run_along(best, who);
      growth_.vertices_of(run, ring);
      closed = run.closed && ring.size() >= 3;
    }
    rest.add(ring, closed, static_cast<std::uint32_t>(rest.size()));
  }
  if (rest.size() > 0) parts_.push_back(std::move(rest));
}

}  // namespace sinew::autorig
