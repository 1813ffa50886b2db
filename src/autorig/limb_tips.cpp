// SPDX-License-Identifier: Apache-2.0
// Tips are the peaks of the distance from the body's middle. How far a peak stands above the saddle where it
// meets a higher one, and how slender the surface above that saddle is, tells a limb from a nose.
#include "autorig/limb_tips.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace sinew::autorig {
namespace {

constexpr float kFar = std::numeric_limits<float>::infinity();
constexpr float kLeastHeight = 0.02f;  // of the farthest vertex's distance
constexpr float kWideEnough = 0.6f;    // of the most surface at one distance: that is the body
constexpr float kSlenderLimb = 1.4f;   // a half-sphere has 1.2 and more along edges, a finger 4
constexpr float kHighLimb = 0.09f;     // so much of the distance is a limb also where it is stout, as a head
constexpr float kStoutLimb = 1.1f;
constexpr float kSlenderStretch = 1.6f;  // a tube's is its length over its width
constexpr float kMinor = 0.2f;           // of the area: an ear does not part the head from the neck

// Vertices by distance in buckets of a quarter of a mean edge; within a bucket in any order, which only costs
// a few vertices a second look. A heap took three times as long.
class Buckets {
 public:
  Buckets(float width, float longest, std::size_t capacity)
      : per_width_(1 / std::max(width, longest / 4000)),
        heads_(std::bit_ceil(static_cast<std::size_t>(longest * per_width_) + 3), kNone) {
    entries_.reserve(2 * capacity);
  }
  std::uint32_t bucket_of(float distance) const { return static_cast<std::uint32_t>(distance * per_width_); }
  void push(std::uint32_t v, float distance) {
    std::uint32_t& head = heads_[bucket_of(distance) & (heads_.size() - 1)];
    entries_.push_back({v, head});
    head = static_cast<std::uint32_t>(entries_.size() - 1);
    ++waiting_;
  }
  // The next vertex, or kNone where none waits.
  std::uint32_t pop() {
    if (waiting_ == 0) return kNone;
    while (heads_[current_ & (heads_.size() - 1)] == kNone) ++current_;
    std::uint32_t& head = heads_[current_ & (heads_.size() - 1)];
    const Entry entry = entries_[head];
    head = entry.next;
    --waiting_;
    return entry.vertex;
  }

 private:
  struct Entry {
    std::uint32_t vertex, next;
  };
  float per_width_;
  std::vector<std::uint32_t> heads_;
  std::vector<Entry> entries_;
  std::uint32_t current_ = 0, waiting_ = 0;
};

}  // namespace

TipFinder::TipFinder(const PolyMesh& mesh, const HalfEdges& edges) : mesh_(mesh), edges_(edges) {
  measure(mesh);
  link();
  const std::size_t n = mesh.vertex_count();
  distance_.assign(n, kFar);
  done_.assign(n, kFar);
  parent_.assign(n, kNone);
  piece_.assign(n, 0);
  root_.assign(n, kNone);
}

void TipFinder::measure(const PolyMesh& mesh) {
  length_.resize(edges_.size());
  area_.assign(mesh.vertex_count(), 0.0f);
  double sum = 0;
  for (std::size_t f = 0; f < mesh.face_count(); ++f) {
    const auto face = mesh.face(f);
    Vec3 twice = Vec3::Zero();
    const Vec3& origin = mesh.positions[face[0]];
    for (std::size_t k = 0; k < face.size(); ++k) {
      const Vec3& a = mesh.positions[face[k]];
      const Vec3& b = mesh.positions[face[k + 1 < face.size() ? k + 1 : 0]];
      const auto h = static_cast<std::uint32_t>(mesh.face_offsets[f] + k);
      const std::uint32_t twin = edges_.twin(h);
      const float edge = twin < h ? length_[twin] : (b - a).cast<float>().norm();
      length_[h] = edge;
      sum += static_cast<double>(edge);
      max_length_ = std::max(max_length_, edge);
      if (k > 0 && k + 1 < face.size()) twice += (a - origin).cross(b - origin);
    }
    const float share = twice.cast<float>().norm() / (2 * static_cast<float>(face.size()));
    for (const std::uint32_t v : face) area_[v] += share;
  }
  mean_length_ = static_cast<float>(sum / static_cast<double>(std::max<std::size_t>(1, edges_.size())));
}

// Neighbours in one array: the walks below visit them some ten times.
void TipFinder::link() {
  const std::size_t n = edges_.vertex_count();
  first_.resize(n + 1);
  neighbours_.reserve(edges_.size());
  for (std::uint32_t v = 0; v < n; ++v) {
    first_[v] = static_cast<std::uint32_t>(neighbours_.size());
    for (const std::uint32_t h : edges_.leaving(v)) {
      neighbours_.push_back({edges_.target(h), length_[h]});
      if (edges_.valence(v) != 0) continue;
      // At a border the last neighbour has no half-edge that leaves to it.
      std::uint32_t before = h;
      while (edges_.next(before) != h) before = edges_.next(before);
      if (edges_.twin(before) == kNone) neighbours_.push_back({edges_.origin(before), length_[before]});
    }
  }
  first_[n] = static_cast<std::uint32_t>(neighbours_.size());
}

std::vector<std::uint32_t> TipFinder::flood(std::uint32_t start) {
  std::vector<std::uint32_t> piece = {start};
  piece_[start] = ++pieces_;
  for (std::size_t k = 0; k < piece.size(); ++k)
    for_each_neighbour(piece[k], [&](std::uint32_t w, float) {
      if (piece_[w] != 0) return;
      piece_[w] = pieces_;
      piece.push_back(w);
    });
  return piece;
}

std::uint32_t TipFinder::farthest_from_centre(const std::vector<std::uint32_t>& piece) const {
  Vec3 centre = Vec3::Zero();
  for (const std::uint32_t v : piece) centre += mesh_.positions[v];
  centre /= static_cast<double>(piece.size());
  std::uint32_t far = piece[0];
  double best = -1;
  for (const std::uint32_t v : piece) {
    const double d = (mesh_.positions[v] - centre).squaredNorm();
    if (d > best) best = d, far = v;
  }
  return far;
}

// Shortest ways along edges from the sources, whose distance is 0. All vertices of the piece hold kFar
// before.
void TipFinder::spread(std::span<const std::uint32_t> sources, std::vector<std::uint32_t>& order) {
  const std::size_t count = order.size();
  order.clear();
  Buckets buckets(mean_length_ / 4, max_length_, count);
  for (const std::uint32_t v : sources) {
    distance_[v] = 0;
    parent_[v] = kNone;
    buckets.push(v, 0);
  }
  for (std::uint32_t v = buckets.pop(); v != kNone; v = buckets.pop()) {
    const float here = distance_[v];
    if (done_[v] == here) continue;  // came again with an older distance
    if (done_[v] == kFar) order.push_back(v);
    done_[v] = here;
    for_each_neighbour(v, [&](std::uint32_t w, float length) {
      const float there = here + length;
      if (!(there < distance_[w])) return;
      distance_[w] = there;
      parent_[w] = v;
      buckets.push(w, there);
    });
  }
  for (const std::uint32_t v : order) done_[v] = kFar;
}

// All vertices near a level that hang together with the centre.
std::vector<std::uint32_t> TipFinder::belt_about(std::uint32_t centre, float level, float half_width) {
  std::vector<std::uint32_t> belt = {centre};
  root_[centre] = 0;
  for (std::size_t k = 0; k < belt.size(); ++k)
    for_each_neighbour(belt[k], [&](std::uint32_t w, float) {
      if (root_[w] != kNone || std::abs(distance_[w] - level) > half_width) return;
      root_[w] = 0;
      belt.push_back(w);
    });
  for (const std::uint32_t v : belt) root_[v] = kNone;
  return belt;
}

// Ends, the way between them, and where along it most of the surface is.
void TipFinder::find_belt(TipField& field, const std::vector<std::uint32_t>& piece) {
  constexpr std::size_t kBins = 24;
  std::uint32_t end = piece[0];
  for (const std::uint32_t v : piece)
    if (distance_[v] > distance_[end]) end = v;
  const float longest = std::max(distance_[end], std::numeric_limits<float>::min());
  std::array<float, kBins> area{};
  for (const std::uint32_t v : piece) {
    const auto bin = static_cast<std::size_t>(distance_[v] / longest * (kBins - 1));
    area[std::min(bin, kBins - 1)] += area_[v];
  }
  // Nearest to the middle of the way where the body is wide: a long tail must not hold the belt. Three bins
  // together.
  const auto width = [&](std::size_t k) { return area[k - 1] + area[k] + area[k + 1]; };
  float most = 0;
  for (std::size_t k = kBins / 4; k <= kBins * 3 / 4; ++k) most = std::max(most, width(k));
  std::size_t widest = kBins / 2;
  for (std::size_t off = 0; off <= kBins / 4; ++off) {
    if (width(widest = kBins / 2 - off) >= kWideEnough * most) break;
    if (width(widest = kBins / 2 + off) >= kWideEnough * most) break;
  }
  const float level = (static_cast<float>(widest) + 0.5f) / (kBins - 1) * longest;
  for (std::uint32_t v = end; v != kNone; v = parent_[v]) field.spine.push_back(v);
  float best = kFar;
  for (std::size_t k = 0; k < field.spine.size(); ++k) {
    const float off = std::abs(distance_[field.spine[k]] - level);
    if (off < best) best = off, field.middle = k;
  }
}

// A merge tree of the distance: the vertices from the highest down, sets joined where they meet.
class TipFinder::MergeTree {
 public:
  MergeTree(TipField& field, const std::vector<float>& distance)
      : field_(field), distance_(distance), least_(kLeastHeight * distance[field.order.back()]) {}

  std::uint32_t add(std::uint32_t v) {
    sets_.push_back({v, kNone, distance_[v], 0});
    up_.push_back(static_cast<std::uint32_t>(up_.size()));
    return up_.back();
  }
  void grow(std::uint32_t set, float area) { sets_[set].area += area; }
  std::uint32_t find(std::uint32_t s) {
    while (up_[s] != s) s = up_[s] = up_[up_[s]];
    return s;
  }
  std::uint32_t join(std::uint32_t a, std::uint32_t b, float level) {
    if (distance_[sets_[a].peak] < distance_[sets_[b].peak]) std::swap(a, b);
    Set &elder = sets_[a], &younger = sets_[b];
    const float slender = slenderness(younger, level), height = younger.top - level;
    const bool limb = younger.sibling != kNone || (height >= least_ && slender >= kSlenderLimb) ||
                      (height >= kHighLimb / kLeastHeight * least_ && slender >= kStoutLimb);
    if (limb) end(younger, level);
    if (limb && (younger.sibling != kNone || younger.area >= kMinor * elder.area)) {
      end(elder, level);
      elder = {elder.peak, younger.peak, level, 0};
    } else {
      elder.area += younger.area;
    }
    up_[b] = a;
    return a;
  }
  // What still stands at the middle. Stretches that end there are the trunk, which has its own way.
  void finish() {
    for (std::uint32_t s = 0; s < sets_.size(); ++s)
      if (up_[s] == s && sets_[s].sibling == kNone) end(sets_[s], 0);
  }

 private:
  struct Set {
    std::uint32_t peak, sibling;  // sibling: once limbs have met
    float top, area;              // since then
  };
  static float slenderness(const Set& set, float level) {
    const float height = set.top - level;
    return std::numbers::pi_v<float> * height * height / std::max(set.area, 1e-30f);
  }
  void end(const Set& set, float level) {
    const float slender = slenderness(set, level);
    if (set.sibling == kNone || (set.top - level >= least_ && slender >= kSlenderStretch))
      field_.tips.push_back({set.peak, set.sibling, set.top, level, slender});
  }
  TipField& field_;
  const std::vector<float>& distance_;
  float least_;
  std::vector<Set> sets_;
  std::vector<std::uint32_t> up_;  // union-find
};

void TipFinder::find_peaks(TipField& field) {
  MergeTree tree(field, distance_);
  for (std::size_t k = field.order.size(); k-- > 0;) {
    const std::uint32_t v = field.order[k];
    std::uint32_t mine = kNone;
    for_each_neighbour(v, [&](std::uint32_t w, float) {
      if (root_[w] == kNone) return;
      const std::uint32_t other = tree.find(root_[w]);
      if (other == mine) return;
      mine = mine == kNone ? other : tree.join(mine, other, distance_[v]);
    });
    if (mine == kNone) mine = tree.add(v);
    root_[v] = mine;
    tree.grow(mine, area_[v]);
  }
  tree.finish();
  for (const std::uint32_t v : field.order) root_[v] = kNone;
}

TipField TipFinder::find(std::uint32_t start, std::span<const std::uint32_t> wanted) {
  TipField field;
  const std::vector<std::uint32_t> piece = flood(start);
  if (piece.size() < 3) return field;
  field.order = piece;
  const std::uint32_t first = farthest_from_centre(piece);
  spread(std::span(&first, 1), field.order);
  find_belt(field, piece);
  const std::uint32_t centre = field.spine[field.middle];
  const std::vector<std::uint32_t> belt = belt_about(centre, distance_[centre], mean_length_);
  for (const std::uint32_t v : piece) distance_[v] = kFar;
  spread(belt, field.order);
  if (wanted.empty()) {
    find_peaks(field);
  } else {
    for (const std::uint32_t v : wanted)
      if (v < piece_.size() && piece_[v] == pieces_) field.tips.push_back({v, kNone, distance_[v], 0, kFar});
  }
  // A stretch is found after all that it carries, so rising order of `top` from the back keeps them in line.
  std::stable_sort(field.tips.begin(), field.tips.end(), [](const LimbTip& a, const LimbTip& b) {
    return a.is_stretch() != b.is_stretch() ? b.is_stretch() : a.top > b.top;
  });
  return field;
}

}  // namespace sinew::autorig
