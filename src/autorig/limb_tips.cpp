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

#include "autorig/merge_tree.h"

namespace sinew::autorig {
namespace {

constexpr float kUnreached = std::numeric_limits<float>::infinity();
constexpr float kLeastHeight = 0.02f;  // of the farthest vertex's distance
constexpr float kWideEnough = 0.6f;    // of the most surface at one distance: that is the body
constexpr float kBelt = 0.6f;          // half its width
constexpr float kSlenderLimb = 1.4f;   // a half-sphere has 1.2 and more along edges, a finger 4
constexpr float kHighLimb = 0.09f;     // so much of the distance is a limb also where it is stout, as a head
constexpr float kStoutLimb = 1.1f;
constexpr float kSlenderStretch = 1.6f;  // a tube's is its length over its width
constexpr float kMinorArea = 0.2f;       // of the area: an ear does not part the head from the neck

constexpr unsigned kFewestClusters = 12;  // that are a limb and not one that juts out

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

TipFinder::TipFinder(const PolyMesh& mesh, const HalfEdges& edges)
    : mesh_(mesh), edges_(edges), clusters_(mesh, edges) {
  const std::size_t n = clusters_.size();
  distance_.assign(n, kUnreached);
  done_.assign(n, kUnreached);
  parent_.assign(n, kNone);
  piece_.assign(n, 0);
  root_.assign(n, kNone);
}

std::vector<std::uint32_t> TipFinder::flood(std::uint32_t start) {
  std::vector<std::uint32_t> piece = {start};
  piece.reserve(clusters_.size());
  piece_[start] = ++pieces_;
  for (std::size_t k = 0; k < piece.size(); ++k)
    for (const VertexClusters::Neighbour& n : clusters_.neighbours(piece[k])) {
      if (piece_[n.cluster] != 0) continue;
      piece_[n.cluster] = pieces_;
      piece.push_back(n.cluster);
    }
  return piece;
}

std::uint32_t TipFinder::farthest_from_centre(const std::vector<std::uint32_t>& piece) const {
  const auto place = [&](std::uint32_t cluster) -> const Vec3& {
    return mesh_.positions[clusters_.seed(cluster)];
  };
  Vec3 centre = Vec3::Zero();
  for (const std::uint32_t cluster : piece) centre += place(cluster);
  centre /= static_cast<double>(piece.size());
  std::uint32_t far = piece[0];
  double best = -1;
  for (const std::uint32_t cluster : piece) {
    const double d = (place(cluster) - centre).squaredNorm();
    if (d > best) best = d, far = cluster;
  }
  return far;
}

// Shortest ways from the sources, whose distance is 0. All clusters of the piece hold kUnreached before.
void TipFinder::spread(std::span<const std::uint32_t> sources, float step,
                       std::vector<std::uint32_t>& order) {
  const std::size_t count = order.size();
  order.clear();
  Buckets buckets(step, clusters_.max_length(), count);
  for (const std::uint32_t v : sources) {
    distance_[v] = 0;
    parent_[v] = kNone;
    buckets.push(v, 0);
  }
  for (std::uint32_t v = buckets.pop(); v != kNone; v = buckets.pop()) {
    const float here = distance_[v];
    if (done_[v] == here) continue;  // came again with an older distance
    if (done_[v] == kUnreached) order.push_back(v);
    done_[v] = here;
    for (const VertexClusters::Neighbour& n : clusters_.neighbours(v)) {
      const float there = here + n.length;
      if (!(there < distance_[n.cluster])) continue;
      distance_[n.cluster] = there;
      parent_[n.cluster] = v;
      buckets.push(n.cluster, there);
    }
  }
  for (const std::uint32_t v : order) done_[v] = kUnreached;
}

// All clusters near a level that hang together with the centre.
std::vector<std::uint32_t> TipFinder::belt_about(std::uint32_t centre, float level, float half_width) {
  std::vector<std::uint32_t> belt = {centre};
  root_[centre] = 0;
  for (std::size_t k = 0; k < belt.size(); ++k)
    for (const VertexClusters::Neighbour& n : clusters_.neighbours(belt[k])) {
      if (root_[n.cluster] != kNone || std::abs(distance_[n.cluster] - level) > half_width) continue;
      root_[n.cluster] = 0;
      belt.push_back(n.cluster);
    }
  for (const std::uint32_t v : belt) root_[v] = kNone;
  return belt;
}

// Ends, the way between them, and where along it most of the surface is: the cluster there.
std::uint32_t TipFinder::find_belt(TipField& field, const std::vector<std::uint32_t>& piece) const {
  constexpr std::size_t kBins = 24;
  std::uint32_t end = piece[0];
  for (const std::uint32_t v : piece)
    if (distance_[v] > distance_[end]) end = v;
  const float longest = std::max(distance_[end], std::numeric_limits<float>::min());
  std::array<float, kBins> area{};
  for (const std::uint32_t v : piece) {
    const auto bin = static_cast<std::size_t>(distance_[v] / longest * (kBins - 1));
    area[std::min(bin, kBins - 1)] += clusters_.area(v).norm();
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
  std::uint32_t centre = end;
  float best = kUnreached;
  for (WayInward way(*this, end); way.vertex() != kNone; way.next()) {
    const float off = std::abs(distance(way.vertex()) - level);
    if (off < best) best = off, field.middle = field.spine.size(), centre = clusters_.of(way.vertex());
    field.spine.push_back(way.vertex());
  }
  return centre;
}

void WayInward::next() {
  if (vertex_ == finder_.clusters_.seed(goal_)) goal_ = finder_.parent_[goal_];
  if (goal_ == kNone) {
    vertex_ = kNone;
    return;
  }
  const std::vector<Vec3>& positions = finder_.mesh_.positions;
  const std::uint32_t seed = finder_.clusters_.seed(goal_), here = vertex_;
  double nearest = (positions[here] - positions[seed]).squaredNorm();
  vertex_ = seed;  // where no neighbour is nearer
  finder_.edges_.for_each_neighbour(here, [&](std::uint32_t w) {
    if (const double off = (positions[w] - positions[seed]).squaredNorm(); off < nearest)
      nearest = off, vertex_ = w;
  });
}

// Surface, and whether it bulges: what it faces away from is its own middle, not what lies around a cavity.
class Bulge {
 public:
  void add(const Vec3f& place, const Vec3f& area) {
    const float size = area.norm();
    size_ += size;
    places_ += size * place;
    area_ += area;
    outward_ += place.dot(area);
  }
  void add(const Bulge& other) {
    size_ += other.size_;
    places_ += other.places_;
    area_ += other.area_;
    outward_ += other.outward_;
  }
  float size() const { return size_; }
  float outward() const { return outward_ - places_.dot(area_) / std::max(size_, 1e-30f); }

 private:
  float size_ = 0, outward_ = 0;
  Vec3f places_ = Vec3f::Zero(), area_ = Vec3f::Zero();
};

// What grows along the arcs of the merge tree: sets of clusters, joined where they meet.
class TipFinder::Limbs {
 public:
  Limbs(std::vector<LimbTip>& tips, const TipFinder& finder, const std::vector<std::uint32_t>& order)
      : tips_(tips),
        clusters_(finder.clusters_),
        distance_(finder.distance_),
        least_(kLeastHeight * distance_[order.back()]),
        fewest_(clusters_.is_thinned() ? kFewestClusters : 1) {
    Bulge whole;
    for (const std::uint32_t v : order) whole.add(clusters_.place(v), clusters_.area(v));
    inside_out_ = whole.outward() < 0;
  }

  std::uint32_t add(std::uint32_t v) {
    sets_.push_back({v, kNone, distance_[v], 0, false, {}});
    return static_cast<std::uint32_t>(sets_.size() - 1);
  }
  void grow(std::uint32_t set, std::uint32_t v) {
    sets_[set].surface.add(clusters_.place(v), clusters_.area(v));
    ++sets_[set].clusters;
  }
  // The set that goes on for both.
  std::uint32_t join(std::uint32_t a, std::uint32_t b, float level) {
    if (distance_[sets_[a].peak] < distance_[sets_[b].peak]) std::swap(a, b);
    if (is_cavity(sets_[a]) && !is_cavity(sets_[b])) std::swap(a, b);
    Set &elder = sets_[a], &younger = sets_[b];
    const bool limb = younger.sibling != kNone || is_limb(younger, level);
    if (limb) end(younger, level);
    if (limb && (younger.sibling != kNone || younger.surface.size() >= kMinorArea * elder.surface.size())) {
      end(elder, level);
      elder = {elder.peak, younger.peak, level, 0, false, {}};
    } else {
      if (!is_cavity(younger)) elder.surface.add(younger.surface);
      elder.clusters += younger.clusters;
    }
    younger.joined = true;
    return a;
  }
  // What still stands at the middle. Stretches that end there are the trunk, which has its own way.
  void finish() {
    for (const Set& set : sets_)
      if (!set.joined && set.sibling == kNone) end(set, 0);
  }

 private:
  struct Set {
    std::uint32_t peak, sibling;  // sibling: once limbs have met
    float top;                    // since then, as what follows
    unsigned clusters;
    bool joined;  // to another that goes on
    Bulge surface;
  };
  // A mouth or an eye socket.
  bool is_cavity(const Set& set) const {
    return set.sibling == kNone && set.clusters >= kFewestClusters &&
           (set.surface.outward() < 0) != inside_out_;
  }
  bool is_limb(const Set& set, float level) const {
    const float slender = slenderness(set, level), height = set.top - level;
    if (set.clusters < fewest_ || is_cavity(set)) return false;
    return (height >= least_ && slender >= kSlenderLimb) ||
           (height >= kHighLimb / kLeastHeight * least_ && slender >= kStoutLimb);
  }
  static float slenderness(const Set& set, float level) {
    const float height = set.top - level;
    return std::numbers::pi_v<float> * height * height / std::max(set.surface.size(), 1e-30f);
  }
  void end(const Set& set, float level) {
    const float slender = slenderness(set, level);
    if (set.sibling == kNone || (set.top - level >= least_ && slender >= kSlenderStretch))
      tips_.push_back({set.peak, set.sibling, set.top, level, slender});
  }
  std::vector<LimbTip>& tips_;
  const VertexClusters& clusters_;
  const std::vector<float>& distance_;
  float least_;
  unsigned fewest_;
  bool inside_out_ = false;
  std::vector<Set> sets_;
};

void TipFinder::find_peaks(TipField& field, const std::vector<std::uint32_t>& order) {
  Limbs limbs(field.tips, *this, order);
  const MergeTree tree =
      merge_tree({order.rbegin(), order.rend()}, root_, kNone, [&](std::uint32_t v, const auto& visit) {
        for (const VertexClusters::Neighbour& n : clusters_.neighbours(v)) visit(n.cluster);
      });
  for (const std::uint32_t v : order) root_[v] = kNone;
  std::vector<std::uint32_t> set(tree.arc_count());
  for (std::uint32_t k = 0; k < tree.order.size(); ++k) {
    const std::uint32_t v = tree.order[k], arc = tree.arc[k];
    if (tree.begin[arc] == k) {
      std::uint32_t mine = kNone;
      for (const std::uint32_t child : tree.children_of(arc))
        mine = mine == kNone ? set[child] : limbs.join(mine, set[child], distance_[v]);
      set[arc] = mine == kNone ? limbs.add(v) : mine;
    }
    limbs.grow(set[arc], v);
  }
  limbs.finish();
  for (LimbTip& tip : field.tips) {
    tip.vertex = farthest_about(tip.vertex);
    if (tip.is_stretch()) tip.sibling = farthest_about(tip.sibling);
  }
}

// Nothing passes the clusters that the curve runs through: each of the others lies on one side of it.
TipFinder::Parting TipFinder::parts(std::span<const std::uint32_t> loop, const LimbTip& stretch) {
  constexpr std::uint32_t kWall = 1, kInside = 2;
  std::vector<std::uint32_t> wall, inside = {clusters_.of(stretch.vertex)};
  for (const std::uint32_t h : loop) {
    const std::uint32_t cluster = clusters_.of(edges_.origin(h));
    if (root_[cluster] != kNone) continue;
    root_[cluster] = kWall;
    wall.push_back(cluster);
  }
  const std::uint32_t sibling = clusters_.of(stretch.sibling);
  Parting result = Parting::kUnknown;
  if (root_[inside[0]] != kWall && root_[sibling] != kWall) {
    root_[inside[0]] = kInside;
    bool within = true;
    for (std::size_t k = 0; k < inside.size() && within; ++k)
      for (const VertexClusters::Neighbour& n : clusters_.neighbours(inside[k])) {
        if (root_[n.cluster] != kNone) continue;
        root_[n.cluster] = kInside;
        within = within && distance_[n.cluster] > stretch.saddle;
        inside.push_back(n.cluster);
      }
    if (!within || root_[sibling] != kInside) {
      result = Parting::kNot;
    } else {
      for (const std::uint32_t h : loop) {
        const std::uint32_t left = root_[clusters_.of(edges_.target(edges_.next(h)))];
        if (left == kWall) continue;
        result = left == kInside ? Parting::kTipOnLeft : Parting::kTipOnRight;
        break;
      }
    }
  }
  for (const std::uint32_t cluster : wall) root_[cluster] = kNone;
  for (const std::uint32_t cluster : inside) root_[cluster] = kNone;
  return result;
}

// The vertex of a peak and of the clusters beside it that is farthest from the middle by way of some seed.
std::uint32_t TipFinder::farthest_about(std::uint32_t peak) {
  std::vector<std::uint32_t> flood = {clusters_.seed(peak)};
  if (!clusters_.is_thinned()) return flood[0];
  const auto distance_by_seeds = [&](std::uint32_t v) {
    const std::uint32_t own = clusters_.of(v);
    const auto by = [&](std::uint32_t cluster) {
      const Vec3 off = mesh_.positions[v] - mesh_.positions[clusters_.seed(cluster)];
      return distance_[cluster] + off.cast<float>().norm();
    };
    float least = by(own);
    for (const VertexClusters::Neighbour& n : clusters_.neighbours(own))
      least = std::min(least, by(n.cluster));
    return least;
  };
  root_[peak] = 0;
  for (const VertexClusters::Neighbour& n : clusters_.neighbours(peak)) root_[n.cluster] = 0;
  seen_.resize(mesh_.vertex_count(), 0);
  seen_[flood[0]] = 1;
  std::uint32_t tip = flood[0];
  float most = -1;
  for (std::size_t k = 0; k < flood.size(); ++k) {
    if (const float d = distance_by_seeds(flood[k]); d > most) most = d, tip = flood[k];
    edges_.for_each_neighbour(flood[k], [&](std::uint32_t w) {
      if (root_[clusters_.of(w)] == kNone || seen_[w]) return;
      seen_[w] = 1;
      flood.push_back(w);
    });
  }
  for (const std::uint32_t v : flood) seen_[v] = 0;
  root_[peak] = kNone;
  for (const VertexClusters::Neighbour& n : clusters_.neighbours(peak)) root_[n.cluster] = kNone;
  return tip;
}

TipField TipFinder::find(std::uint32_t start, std::span<const std::uint32_t> wanted) {
  TipField field;
  const std::vector<std::uint32_t> piece = flood(clusters_.of(start));
  if (piece.size() < 3) return field;
  std::vector<std::uint32_t> order = piece;
  const std::uint32_t first = farthest_from_centre(piece);
  spread(std::span(&first, 1), clusters_.mean_length() / 4, order);
  const std::uint32_t centre = find_belt(field, piece);
  const std::vector<std::uint32_t> belt =
      belt_about(centre, distance_[centre], (clusters_.is_thinned() ? kBelt : 1) * clusters_.mean_length());
  for (const std::uint32_t v : piece) distance_[v] = kUnreached;
  spread(belt, clusters_.mean_length() / 4, order);
  if (wanted.empty()) {
    find_peaks(field, order);
  } else {
    for (const std::uint32_t v : wanted)
      if (v < mesh_.vertex_count() && piece_[clusters_.of(v)] == pieces_)
        field.tips.push_back({v, kNone, distance(v), 0, kUnreached});
  }
  // A stretch is found after all that it carries, so rising order of `top` from the back keeps them in line.
  std::stable_sort(field.tips.begin(), field.tips.end(), [](const LimbTip& a, const LimbTip& b) {
    return a.is_stretch() != b.is_stretch() ? b.is_stretch() : a.top > b.top;
  });
  return field;
}

}  // namespace sinew::autorig
