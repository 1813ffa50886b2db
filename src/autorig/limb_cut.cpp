// SPDX-License-Identifier: Apache-2.0
// Points join from the farthest inwards, as water falls from drowned hills: what joins is a limb until it
// meets another. The order in which they meet is the tree of the body; unlike slices that are searched for
// branches it has no cycles, also where a body has holes.
#include "autorig/limb_cut.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "sinew/core/prefetch.h"

namespace sinew::autorig {
namespace {

constexpr double kInCap = 1.1;  // radii: rings so near to the tip are of its cap
constexpr double kBluntEnd = 0.3,
                 kLongEnd = 2.5;    // radii: how far a limb's line leaves the body beyond its last ring
constexpr double kRingWidth = 1.6;  // spacings
constexpr double kLeastRings = 3, kMostRings = 80;  // of a part
constexpr std::size_t kFetchAhead = 12;  // points, which lie in order of distance and not of memory
constexpr double kFar = std::numeric_limits<double>::infinity();

}  // namespace

// Into about as many ranges of distance as there are points; what shares one is then sorted.
std::vector<std::uint32_t> farthest_first(std::span<const double> distance) {
  double nearest = kFar, farthest = -kFar;
  std::size_t count = 0;
  for (const double d : distance)
    if (d < kFar) nearest = std::min(nearest, d), farthest = std::max(farthest, d), ++count;
  const double per_range = farthest > nearest ? static_cast<double>(count) / (farthest - nearest) : 0;
  const auto range_of = [&](double d) {
    return std::min(count, static_cast<std::size_t>((farthest - d) * per_range));
  };
  std::vector<std::uint32_t> begin(count + 2, 0), order(count);
  for (const double d : distance)
    if (d < kFar) ++begin[range_of(d) + 1];
  for (std::size_t k = 1; k < begin.size(); ++k) begin[k] += begin[k - 1];
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (std::uint32_t v = 0; v < distance.size(); ++v)
    if (distance[v] < kFar) order[next[range_of(distance[v])]++] = v;
  for (std::size_t k = 0; k + 1 < begin.size(); ++k)
    std::sort(order.begin() + begin[k], order.begin() + begin[k + 1], [&](std::uint32_t a, std::uint32_t b) {
      return distance[a] != distance[b] ? distance[a] > distance[b] : a < b;
    });
  return order;
}

JoinTree join_tree(const BodyGraph& graph, std::span<const double> distance) {
  JoinTree tree;
  tree.rank.assign(distance.size(), kNoIndex);
  static_cast<MergeTree&>(tree) = merge_tree(
      farthest_first(distance), tree.rank, kNoIndex,
      [&](std::uint32_t v, const auto& visit) {
        for (const std::uint32_t w : graph.neighbours[v]) visit(w);
      },
      [&](std::uint32_t soon, std::uint32_t later) {
        const auto ahead = graph.neighbours[soon];
        prefetch(ahead.data());
        prefetch(ahead.data() + ahead.size());
        prefetch(&graph.neighbours.offsets[later]);
      });
  return tree;
}

std::vector<Peak> find_peaks(const JoinTree& tree, std::span<const double> distance, double least) {
  std::vector<Peak> peaks;
  std::vector<std::uint32_t> highest(tree.arc_count());  // per arc: the rank of the peak that it leads from
  for (std::uint32_t arc = 0; arc < tree.arc_count(); ++arc) {
    highest[arc] = tree.begin[arc];
    for (const std::uint32_t child : tree.children_of(arc))
      highest[arc] = std::min(highest[arc], highest[child]);
    const double here = distance[tree.order[tree.begin[arc]]];
    for (const std::uint32_t child : tree.children_of(arc)) {
      const std::uint32_t peak = tree.order[highest[child]];
      if (highest[child] != highest[arc] && distance[peak] - here >= least)
        peaks.push_back({peak, distance[peak] - here});
    }
  }
  if (!tree.order.empty()) peaks.push_back({tree.order.front(), kFar});
  std::sort(peaks.begin(), peaks.end(), [](const Peak& a, const Peak& b) {
    return a.persistence != b.persistence ? a.persistence > b.persistence : a.point < b.point;
  });
  return peaks;
}

LimbCut cut_limbs(const JoinTree& tree, std::span<const double> distance,
                  std::span<const std::uint32_t> tips) {
  constexpr int kNoLimb = -1, kTrunk = -2;
  const std::size_t arcs = tree.arc_count();
  LimbCut cut;
  cut.seam.assign(tips.size(), 0);
  std::vector<std::size_t> by_rank(tips.size());
  std::iota(by_rank.begin(), by_rank.end(), 0u);
  std::sort(by_rank.begin(), by_rank.end(),
            [&](std::size_t a, std::size_t b) { return tree.rank[tips[a]] < tree.rank[tips[b]]; });
  std::vector<std::vector<std::size_t>> within(arcs);  // tips, farthest first
  for (const std::size_t tip : by_rank)
    if (tree.rank[tips[tip]] != kNoIndex) within[tree.arc_of(tips[tip])].push_back(tip);
  std::vector<int> own(arcs, kNoLimb), label(arcs, kNoLimb);
  std::vector<std::uint32_t> until(arcs, 0);  // points of an arc before this rank have its label
  std::vector<std::uint32_t> below;
  // What the tip owns is its limb: the arc up to a rank, and all arcs that led to it.
  const auto finish = [&](int tip, std::uint32_t arc, std::uint32_t rank) {
    cut.seam[static_cast<std::size_t>(tip)] = distance[tree.order[rank]];
    label[arc] = tip;
    until[arc] = rank;
    const auto meet = tree.children_of(arc);
    below.assign(meet.begin(), meet.end());
    while (!below.empty()) {
      const std::uint32_t one = below.back();
      below.pop_back();
      label[one] = tip;
      until[one] = kNoIndex;
      const auto before = tree.children_of(one);
      below.insert(below.end(), before.begin(), before.end());
    }
  };
  for (std::uint32_t arc = 0; arc < arcs; ++arc) {
    const auto children = tree.children_of(arc);
    const auto owned =
        std::count_if(children.begin(), children.end(), [&](std::uint32_t c) { return own[c] != kNoLimb; });
    for (const std::uint32_t child : children) {
      if (own[child] == kNoLimb) continue;
      if (owned > 1 && own[child] >= 0) {
        finish(own[child], child, tree.begin[arc]);
        until[child] = kNoIndex;
      }
      own[arc] = owned > 1 ? kTrunk : own[child];
    }
    for (const std::size_t tip : within[arc]) {
      const auto self = static_cast<int>(tip);
      if (own[arc] == kNoLimb) {
        own[arc] = self;
        continue;
      }
      // Another has come this far already; the limb of this one is nothing but its tip.
      const std::uint32_t rank = tree.rank[tips[tip]];
      if (own[arc] >= 0) finish(own[arc], arc, rank);
      cut.seam[tip] = distance[tips[tip]];
      own[arc] = kTrunk;
    }
  }
  cut.limb.assign(distance.size(), -1);
  for (const std::uint32_t v : tree.order)
    if (const std::uint32_t arc = tree.arc_of(v); tree.rank[v] < until[arc]) cut.limb[v] = label[arc];
  return cut;
}

std::vector<std::vector<std::uint32_t>> points_of_parts(const LimbCut& cut,
                                                        std::span<const std::uint32_t> order) {
  std::vector<std::vector<std::uint32_t>> points(cut.seam.size() + 1);
  for (const std::uint32_t v : order) points[static_cast<std::size_t>(cut.limb[v] + 1)].push_back(v);
  return points;
}

Curve level_curve(const BodyGraph& graph, std::span<const double> distance,
                  std::span<const std::uint32_t> points, double from, bool with_end) {
  Curve curve;
  if (points.empty()) return curve;
  const std::uint32_t farthest = points.front();
  const double range = distance[farthest] - from;
  const auto bins =
      static_cast<std::size_t>(std::clamp(range / (kRingWidth * graph.spacing), kLeastRings, kMostRings));
  const double width = range / static_cast<double>(bins);
  if (!(width > 0)) return curve;
  std::vector<Vec3> centre(bins, Vec3::Zero());
  std::vector<double> weight(bins, 0), radius(bins, 0), level(bins, 0);
  const auto bin_of = [&](std::uint32_t v) {
    return std::min(bins - 1, static_cast<std::size_t>(std::max(0.0, (distance[v] - from) / width)));
  };
  std::vector<std::size_t> bin;
  bin.reserve(points.size());
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (k + kFetchAhead < points.size()) {
      const std::uint32_t ahead = points[k + kFetchAhead];
      prefetch(&distance[ahead]);
      prefetch(&graph.weights[ahead]);
      prefetch(&graph.positions[ahead]);
    }
    const std::uint32_t v = points[k];
    const std::size_t b = bin_of(v);
    bin.push_back(b);
    centre[b] += graph.weights[v] * graph.positions[v];
    level[b] += graph.weights[v] * distance[v];
    weight[b] += graph.weights[v];
  }
  for (std::size_t b = 0; b < bins; ++b)
    if (weight[b] > 0) centre[b] /= weight[b], level[b] /= weight[b];
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (k + kFetchAhead < points.size()) {
      prefetch(&graph.weights[points[k + kFetchAhead]]);
      prefetch(&graph.positions[points[k + kFetchAhead]]);
    }
    const std::uint32_t v = points[k];
    const std::size_t b = bin[k];
    radius[b] += graph.weights[v] * (graph.positions[v] - centre[b]).norm();
  }
  for (std::size_t b = 0; b < bins; ++b)
    if (weight[b] > 0) {
      curve.points.push_back(centre[b]);
      curve.radii.push_back(graph.radius_factor * radius[b] / weight[b]);
      curve.levels.push_back(level[b]);
    }
  // Half of the noise of single rings goes; ends stay.
  for (int pass = 0; pass < 2; ++pass) {
    const std::vector<Vec3> old = curve.points;
    for (std::size_t k = 1; k + 1 < old.size(); ++k)
      curve.points[k] = (old[k - 1] + 2 * old[k] + old[k + 1]) / 4;
  }
  if (with_end) {
    curve.points.push_back(graph.positions[farthest]);
    curve.radii.push_back(0);
    curve.levels.push_back(distance[farthest]);
  }
  curve.measure();
  return curve;
}

void straighten_tip(const BodyGraph& graph, std::span<const double> distance,
                    std::span<const std::uint32_t> points, bool at_first, const Vec3& tip, Curve& curve) {
  if (graph.rings || curve.points.size() < 4) return;  // the last ring of a cap is its middle already
  const auto from_tip = [&](std::size_t k) { return at_first ? k : curve.points.size() - 1 - k; };
  std::size_t k = 1;
  while (k + 1 < curve.points.size() &&
         (curve.points[from_tip(k)] - tip).norm() < kInCap * curve.radii[from_tip(k)])
    ++k;
  if (k + 2 >= curve.points.size()) return;
  const double radius = curve.radii[from_tip(k)];
  std::size_t back = k + 1;
  while (back + 1 < curve.points.size() &&
         (curve.points[from_tip(back)] - curve.points[from_tip(k)]).norm() < radius)
    ++back;
  const Vec3 centre = curve.points[from_tip(k)];
  const Vec3 outwards = (centre - curve.points[from_tip(back)]).normalized();
  const double level = curve.levels[from_tip(k)];
  double reach = 0;
  for (const std::uint32_t v : points)
    if (at_first ? distance[v] < level : distance[v] > level)
      reach = std::max(reach, (graph.positions[v] - centre).dot(outwards));
  if (reach < kBluntEnd * radius || reach > kLongEnd * radius) return;
  const std::size_t keep = curve.points.size() - k;  // from k on
  const Vec3 end = centre + reach * outwards;
  const double end_level = at_first ? 0 : curve.levels.back();
  const auto trim = [&](auto& list, const auto& last) {
    if (at_first) {
      list.erase(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(k));
      list.insert(list.begin(), last);
    } else {
      list.resize(keep);
      list.push_back(last);
    }
  };
  trim(curve.points, end);
  trim(curve.radii, 0.0);
  trim(curve.levels, end_level);
  curve.measure();
}

}  // namespace sinew::autorig
