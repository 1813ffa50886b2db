// SPDX-License-Identifier: Apache-2.0
#include "autorig/body_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "autorig/tuning.h"
#include "sinew/core/parallel.h"

namespace sinew::autorig {
namespace {

constexpr double kMinor = 0.012;     // of the diameter
constexpr double kOnLimb = 0.25;     // of a limb: what leaves it farther out is its own
constexpr double kStumpToo = 3;      // where there is one: the other side's is another only by chance
constexpr double kStump = 2;         // so many radii long
constexpr double kShortMinor = 1.2;  // radii: a finger or an ear is longer
constexpr double kWider = 1.25;      // a ring that is no longer the limb's, to its narrowest
constexpr double kSteady = 1.15;     // rings that are the limb's, to those a few farther in
constexpr double kOwnRings = 128;    // to a diameter, as seen from a limb's own tip
constexpr std::size_t kMostOwnRings = 66, kSteadyRings = 6;
constexpr std::size_t kMostMajor = 12, kMostMinor = 40;

std::uint32_t farthest_from_centre(const BodyGraph& graph) {
  Vec3 centre = Vec3::Zero();
  double weight = 0;
  for (std::size_t v = 0; v < graph.positions.size(); ++v) {
    centre += graph.weights[v] * graph.positions[v];
    weight += graph.weights[v];
  }
  centre /= weight;
  std::uint32_t best = 0;
  for (std::uint32_t v = 1; v < graph.positions.size(); ++v)
    if ((graph.positions[v] - centre).squaredNorm() > (graph.positions[best] - centre).squaredNorm())
      best = v;
  return best;
}

void prepend(const Vec3& p, Curve& curve) {
  curve.points.insert(curve.points.begin(), p);
  curve.radii.insert(curve.radii.begin(), 0);
  curve.levels.insert(curve.levels.begin(), 0);
  curve.measure();
}

// The next point of a tree towards where distances begin.
std::uint32_t rootwards(const BodyGraph& tree, std::span<const double> distance, std::uint32_t v) {
  for (const std::uint32_t w : tree.neighbours[v])
    if (distance[w] < distance[v]) return w;
  return v;
}

// From a point of a tree of rings towards the root, down to a level: the rings themselves, the lowest first.
Part tree_part(const BodyGraph& tree, std::span<const double> distance, std::uint32_t tip, double level) {
  Part part;
  Curve& curve = part.curve;
  std::vector<std::uint32_t> way = {tip};
  while (distance[way.back()] > level) way.push_back(rootwards(tree, distance, way.back()));
  std::reverse(way.begin(), way.end());
  for (const std::uint32_t v : way) {
    curve.points.push_back(tree.positions[v]);
    curve.radii.push_back(tree.radii[v]);
    curve.levels.push_back(distance[v]);
  }
  curve.measure();
  for (std::size_t k = 1; k < way.size(); ++k)
    if (tree.is_seam[way[k]]) part.stems.push_back({curve.along[k - 1], curve.along[k]});
  return part;
}

Part make_part(const BodyGraph& graph, std::span<const double> distance,
               std::span<const std::uint32_t> points, double seam, std::uint32_t tip) {
  Part part;
  if (graph.rings) part = tree_part(graph, distance, tip, seam);
  part.seam = seam;
  part.tip = graph.positions[tip];
  if (graph.rings) return part;
  part.curve = level_curve(graph, distance, points, seam, true);
  straighten_tip(graph, distance, points, false, part.tip, part.curve);
  return part;
}

std::uint32_t nearest_of(const BodyGraph& graph, std::span<const std::uint32_t> points, const Vec3& p) {
  std::uint32_t best = points.front();
  for (const std::uint32_t v : points)
    if ((graph.positions[v] - p).squaredNorm() < (graph.positions[best] - p).squaredNorm()) best = v;
  return best;
}

// Moves every major tip to where the line of its limb leaves the body. The farthest point is somewhere on a
// blunt end's rim, which would make the two sides of a body differ.
void refine_tips(BodyMap& body, const JoinTree& tree, std::span<const double> distance) {
  std::vector<std::uint32_t> ends;
  for (std::size_t i = 1; i < body.major.size(); ++i) ends.push_back(body.major[i].point);
  if (ends.empty()) return;
  LimbCut cut = cut_limbs(tree, distance, ends);
  const bool chain = ends.size() == 1;
  if (chain) std::fill(cut.limb.begin(), cut.limb.end(), -1);
  const auto points = points_of_parts(cut, tree.order);
  if (points[0].empty()) return;
  const Vec3 start = body.graph.positions[body.major[0].point];
  Curve trunk = level_curve(body.graph, distance, points[0], 0, chain);
  prepend(start, trunk);
  straighten_tip(body.graph, distance, points[0], true, start, trunk);
  body.major[0].point = nearest_of(body.graph, points[0], trunk.points.front());
  if (chain) {
    straighten_tip(body.graph, distance, points[0], false, body.graph.positions[ends[0]], trunk);
    body.major[1].point = nearest_of(body.graph, points[0], trunk.points.back());
    return;
  }
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (points[i + 1].empty()) continue;
    const Part limb = make_part(body.graph, distance, points[i + 1], cut.seam[i], ends[i]);
    if (!limb.curve.empty())
      body.major[i + 1].point = nearest_of(body.graph, points[i + 1], limb.curve.points.back());
  }
}

// Fingers, toes, ears: the limbs of all tips together, longest first.
std::vector<Part> find_minors(const BodyMap& body, std::size_t root, std::span<const std::size_t> tips,
                              const LimbCut& cut) {
  const std::vector<double>& distance = body.from[root];
  std::vector<std::uint32_t> all;
  for (const std::size_t i : tips) all.push_back(body.major[i].point);
  for (std::size_t i = 0; i < body.major.size(); ++i)
    if (i != root && !body.major[i].middle && std::find(tips.begin(), tips.end(), i) == tips.end())
      all.push_back(body.major[i].point);
  for (const Tip& tip : body.minor) all.push_back(tip.point);
  const LimbCut fine = cut_limbs(body.seen_from(root), distance, all);
  const auto points = points_of_parts(fine, body.seen_from(root).order);
  std::vector<int> grown(tips.size(), 0);
  for (std::size_t i = tips.size(); i < all.size(); ++i)
    if (const int limb = cut.limb[all[i]]; limb >= 0) ++grown[static_cast<std::size_t>(limb)];
  std::vector<Part> minors;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < tips.size() && grown[i] == 0) continue;
    Part part = make_part(body.graph, distance, points[i + 1], fine.seam[i], all[i]);
    part.parent = cut.limb[all[i]];
    if (part.curve.points.size() < 3 || part.curve.length() < kShortMinor * part.curve.middle_radius())
      continue;
    minors.push_back(std::move(part));
  }
  std::stable_sort(minors.begin(), minors.end(),
                   [](const Part& a, const Part& b) { return a.curve.length() > b.curve.length(); });
  return minors;
}

// A leg that is stretched sideways is hardly farther from the head than the rump: of such a stump only the
// foot is its own, or the rump as well. It is then cut where it widens as seen from its tip.
void regrow_stump(const BodyMap& body, std::size_t root, std::size_t tip, int limb, Part& part,
                  LimbCut& cut) {
  const std::vector<double>&from_root = body.from[root], &from_tip = body.from[tip];
  const double length = own_length(body.graph, from_tip, body.diameter);
  if (!(length > 0)) return;
  std::vector<double> inwards(from_tip.size());
  std::vector<std::uint32_t> points;
  double seam = 0, weight = 0;
  for (std::uint32_t v = 0; v < from_tip.size(); ++v) {
    inwards[v] = from_root[body.major[tip].point] - from_tip[v];
    if (from_tip[v] < length && (cut.limb[v] == limb || cut.limb[v] < 0)) points.push_back(v);
    if (std::abs(from_tip[v] - length) > body.graph.spacing) continue;
    seam += body.graph.weights[v] * from_root[v];
    weight += body.graph.weights[v];
  }
  if (points.empty() || !(weight > 0)) return;
  std::sort(points.begin(), points.end(), [&](std::uint32_t a, std::uint32_t b) {
    return from_tip[a] != from_tip[b] ? from_tip[a] < from_tip[b] : a < b;
  });
  for (int& owner : cut.limb)
    if (owner == limb) owner = -1;
  for (const std::uint32_t v : points) cut.limb[v] = limb;
  part = make_part(body.graph, inwards, points, inwards[points.back()], body.major[tip].point);
  part.seam = cut.seam[static_cast<std::size_t>(limb)] = seam / weight;
}

// The limbs of some tips. Other limbs are cut off, too, so that none of these takes them along; they count as
// trunk.
LimbCut cut_beside(const BodyMap& body, std::size_t root, std::span<const std::size_t> tips,
                   std::vector<std::uint32_t> ends) {
  for (std::size_t i = 0; i < body.major.size() && tips.size() > 1; ++i)
    if (i != root && !body.major[i].middle && std::find(tips.begin(), tips.end(), i) == tips.end() &&
        is_own_limb(body, root, tips, i))
      ends.push_back(body.major[i].point);
  LimbCut cut = cut_limbs(body.seen_from(root), body.from[root], ends);
  for (int& limb : cut.limb)
    if (limb >= static_cast<int>(tips.size())) limb = -1;
  cut.seam.resize(tips.size());
  return cut;
}

// What is no limb's, up to where the last limbs leave: a tail that no joint is for is no trunk.
std::vector<std::uint32_t> trunk_points(const LimbCut& cut, std::span<const double> distance,
                                        std::span<const std::uint32_t> order) {
  const double last = *std::max_element(cut.seam.begin(), cut.seam.end());
  std::vector<std::uint32_t> points;
  for (const std::uint32_t v : order)
    if (cut.limb[v] < 0 && distance[v] <= last) points.push_back(v);
  return points;
}

// Where on a tree the limbs part that part last, as seen from the root.
std::uint32_t last_fork(const BodyGraph& tree, std::span<const double> distance,
                        std::span<const std::uint32_t> ends, const LimbCut& cut) {
  const std::size_t last =
      static_cast<std::size_t>(std::max_element(cut.seam.begin(), cut.seam.end()) - cut.seam.begin());
  std::uint32_t v = ends[last];
  while (distance[v] > cut.seam[last]) v = rootwards(tree, distance, v);
  return v;
}

}  // namespace

double own_length(const BodyGraph& graph, std::span<const double> from_tip, double diameter) {
  const double width = diameter / kOwnRings;
  std::array<double, kMostOwnRings> ring{};
  for (std::size_t v = 0; v < from_tip.size(); ++v)
    if (from_tip[v] < width * static_cast<double>(ring.size()))
      ring[static_cast<std::size_t>(from_tip[v] / width)] += graph.weights[v];
  for (std::size_t k = 0; k + 2 < ring.size(); ++k) ring[k] = (ring[k] + ring[k + 1] + ring[k + 2]) / 3;
  const double wider = graph.volume ? kWider * kWider : kWider;
  double narrowest = std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k + kSteadyRings + 2 < ring.size(); ++k) {
    if (ring[k + kSteadyRings] < kSteady * ring[k]) narrowest = std::min(narrowest, ring[k]);
    if (ring[k] > wider * narrowest) return static_cast<double>(k + 1) * width;
  }
  return 0;
}

bool is_own_limb(const BodyMap& body, std::size_t root, std::span<const std::size_t> tips, std::size_t tip) {
  return std::all_of(tips.begin(), tips.end(), [&](std::size_t limb) {
    double begin = 0;
    for (const std::size_t other : tips)
      if (other != limb) begin = std::max(begin, body.gromov_product(root, limb, other));
    return body.gromov_product(root, limb, tip) <
           begin + kOnLimb * (body.gromov_product(root, limb, limb) - begin);
  });
}

Result<BodyMap> map_body(BodyGraph graph, const Progress* progress, std::span<const std::uint32_t> wanted) {
  BodyMap body;
  body.graph = std::move(graph);
  // Any tip shows all the others; the point farthest from the middle is one, or leads to one.
  const std::uint32_t start = wanted.empty() ? farthest_from_centre(body.graph) : wanted.front();
  std::vector<double> distance = body.graph.distances(start);
  double farthest = 0;
  std::size_t lost = 0;
  for (const double d : distance) {
    if (std::isfinite(d))
      farthest = std::max(farthest, d);
    else
      ++lost;
  }
  if (2 * lost > distance.size()) return impossible("the mesh falls into pieces that do not touch");
  body.major.push_back({start, farthest});
  for (std::size_t i = 1; i < wanted.size(); ++i) body.major.push_back({wanted[i], distance[wanted[i]]});
  const JoinTree tree = join_tree(body.graph, distance);
  for (const Peak& peak : find_peaks(tree, distance, kMinor * farthest)) {
    const double height = std::min(peak.persistence, farthest);
    const bool large = height >= tuning(body.graph.rings).major_tip * farthest;
    if (large && wanted.empty() && body.major.size() < kMostMajor) {
      body.major.push_back({peak.point, height});
    } else if (body.minor.size() < kMostMinor) {
      body.minor.push_back({peak.point, height});
    }
  }
  if (!body.graph.rings && wanted.empty()) {
    refine_tips(body, tree, distance);
    distance = body.graph.distances(body.major[0].point);
  }
  const std::size_t n = body.major.size();
  body.apart = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(n));
  body.from.resize(n);
  body.from[0] = std::move(distance);
  const auto look_around = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (i > 0 && !is_cancelled(progress)) body.from[i] = body.graph.distances(body.major[i].point);
  };
  // Trees of rings are done before a thread would have started.
  if (body.graph.rings)
    look_around(0, n);
  else
    parallel_for(n, 1, look_around);
  if (is_cancelled(progress)) return cancelled();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      body.apart(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          body.from[i][body.major[j].point];
  body.apart = ((body.apart + body.apart.transpose()) / 2).eval();
  body.diameter = body.apart.maxCoeff();
  return body;
}

double protrusion(const Eigen::MatrixXd& apart, std::size_t tip, std::span<const std::size_t> others) {
  const auto at = [](std::size_t i) { return static_cast<Eigen::Index>(i); };
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a < others.size(); ++a)
    for (std::size_t b = 0; b < a; ++b)
      least = std::min(least, (apart(at(tip), at(others[a])) + apart(at(tip), at(others[b])) -
                               apart(at(others[a]), at(others[b]))) /
                                  2);
  return std::max(0.0, least);
}

Curve trunk_curve(const BodyMap& body, std::size_t root, std::span<const std::uint32_t> points,
                  const std::size_t* tip) {
  const std::vector<double>& distance = body.from[root];
  Curve curve = level_curve(body.graph, distance, points, 0, tip != nullptr);
  const Vec3 start = body.graph.positions[body.major[root].point];
  prepend(start, curve);
  straighten_tip(body.graph, distance, points, true, start, curve);
  if (tip)
    straighten_tip(body.graph, distance, points, false, body.graph.positions[body.major[*tip].point], curve);
  return curve;
}

Parts take_apart(const BodyMap& body, std::size_t root, std::span<const std::size_t> tips, bool with_minors) {
  const std::vector<double>& distance = body.from[root];
  std::vector<std::uint32_t> ends;
  for (const std::size_t i : tips) ends.push_back(body.major[i].point);
  Parts parts;
  LimbCut cut =
      body.graph.rings ? cut_limbs(body.seen_from(root), distance, ends) : cut_beside(body, root, tips, ends);
  const bool chain = tips.size() == 1;  // all of it is trunk
  if (chain) std::fill(cut.limb.begin(), cut.limb.end(), -1);
  auto points = points_of_parts(cut, body.seen_from(root).order);
  for (std::size_t i = 0; i < tips.size() && !chain; ++i)
    parts.limbs.push_back(make_part(body.graph, distance, points[i + 1], cut.seam[i], ends[i]));
  if (!body.graph.rings && !chain) {
    const auto stout = [](const Part& limb, double radii) {
      return !limb.curve.empty() && limb.curve.length() < radii * limb.curve.middle_radius();
    };
    const bool any = std::any_of(parts.limbs.begin(), parts.limbs.end(),
                                 [&](const Part& limb) { return stout(limb, kStump); });
    for (std::size_t i = 0; i < tips.size() && any; ++i)
      if (stout(parts.limbs[i], kStumpToo))
        regrow_stump(body, root, tips[i], static_cast<int>(i), parts.limbs[i], cut);
    points[0] = trunk_points(cut, distance, body.seen_from(root).order);
  }
  if (body.graph.rings) {
    const std::uint32_t last = chain ? ends[0] : last_fork(body.graph, distance, ends, cut);
    parts.trunk = tree_part(body.graph, distance, last, 0).curve;
  } else {
    parts.trunk = trunk_curve(body, root, points[0], chain ? &tips[0] : nullptr);
  }
  if (chain) {
    parts.limbs.resize(1);
    parts.limbs[0].tip = body.graph.positions[ends[0]];
  } else if (with_minors) {
    parts.minors = find_minors(body, root, tips, cut);
  }
  parts.rings = parts.trunk.points.size();
  for (const Part& limb : parts.limbs) parts.rings += limb.curve.points.size();
  for (const Part& minor : parts.minors) parts.rings += minor.curve.points.size();
  return parts;
}

}  // namespace sinew::autorig
