// SPDX-License-Identifier: Apache-2.0
#include "autorig/tip_symmetry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace sinew::autorig {
namespace {

constexpr double kAlikeDistances = 0.09;  // of the diameter: so much may distances to left and right differ
constexpr double kTwoSides = 0.22;  // of the diameter: fingers of one hand are as far from all else, too
constexpr double kOnMiddle = 0.05;  // the same for points of the middle line
constexpr double kApart = 0.12;     // of the diameter: tips on the middle are farther from each other
constexpr double kSame = 0.03;      // the same for other tips
constexpr double kFarOut = 0.7;     // of the farthest point: a head is far from all pairs, a back is not
constexpr std::size_t kMostMiddle = 2;
constexpr double kOnPlane = 0.03;  // of the size: a tip so near to the mirror plane is on it
constexpr std::size_t kLeastBeside = 4;

using Pair = std::pair<std::size_t, std::size_t>;

class Pairing {
 public:
  explicit Pairing(const BodyMap& body) : body_(body) {
    for (std::size_t i = 0; i < body.major.size(); ++i)
      if (!body.major[i].middle) tips_.push_back(i);
    for (std::size_t i = 0; i < tips_.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (apart(tips_[k], tips_[i]) > kTwoSides) all_.push_back({tips_[k], tips_[i]});
  }

  TipPairs best() const {
    TipPairs best;
    double most = 0;
    for (std::size_t i = 0; i < all_.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        if (touch(all_[i], all_[k]) || unlike(all_[i], all_[k]) > kAlikeDistances) continue;
        TipPairs one = extended({all_[i], all_[k]});
        const double covered = static_cast<double>(2 * one.pairs.size() + one.middle.size());
        const double score = covered - 2 * one.error / kAlikeDistances;
        if (score > most) most = score, best = std::move(one);
      }
    return best;
  }

 private:
  static bool touch(const Pair& a, const Pair& b) {
    return a.first == b.first || a.first == b.second || a.second == b.first || a.second == b.second;
  }
  double apart(std::size_t a, std::size_t b) const {
    return body_.apart(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) / body_.diameter;
  }
  double unlike(const Pair& a, const Pair& b) const {
    return std::max(std::abs(apart(a.first, b.first) - apart(a.second, b.second)),
                    std::abs(apart(a.first, b.second) - apart(a.second, b.first)));
  }
  double unlike(std::size_t tip, const Pair& a) const {
    return std::abs(apart(tip, a.first) - apart(tip, a.second));
  }

  TipPairs extended(std::vector<Pair> pairs) const {
    for (bool more = true; more;) {
      more = false;
      double least = kAlikeDistances;
      Pair next;
      for (const Pair& one : all_) {
        double worst = 0;
        for (const Pair& other : pairs)
          worst = std::max(worst, touch(one, other) ? 2 * kAlikeDistances : unlike(one, other));
        if (worst < least) least = worst, next = one, more = true;
      }
      if (more) pairs.push_back(next);
    }
    TipPairs made;
    double sum = 0;
    int count = 0;
    for (std::size_t i = 0; i < pairs.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) sum += std::pow(unlike(pairs[i], pairs[k]), 2), ++count;
    for (const std::size_t tip : tips_) {
      double worst = 0, own = 0;
      for (const Pair& pair : pairs) {
        worst = std::max(worst, touch({tip, tip}, pair) ? 2 * kAlikeDistances : unlike(tip, pair));
        own += std::pow(unlike(tip, pair), 2);
      }
      if (worst > kAlikeDistances) continue;
      made.middle.push_back(tip);
      sum += own;
      count += static_cast<int>(pairs.size());
    }
    made.error = std::sqrt(sum / count);
    made.pairs = std::move(pairs);
    return made;
  }

  const BodyMap& body_;
  std::vector<std::size_t> tips_;
  std::vector<Pair> all_;
};

struct Place {
  std::uint32_t point;
  double far;
};

// Adds the farthest places of a line as tips, not near to each other or to tips that are known; `middle` are those
// of them that lie on the line.
void add_farthest(BodyMap& body, std::span<const std::size_t> middle, std::vector<Place> line,
                  double farthest) {
  std::stable_sort(line.begin(), line.end(), [](const Place& a, const Place& b) { return a.far > b.far; });
  const auto near = [&](std::uint32_t a, std::uint32_t b, double share) {
    return (body.graph.positions[a] - body.graph.positions[b]).norm() < share * body.diameter;
  };
  const auto is_known = [&](std::uint32_t v) {
    for (std::size_t i = 0; i < body.major.size(); ++i) {
      const bool on_line = body.major[i].middle || std::find(middle.begin(), middle.end(), i) != middle.end();
      if (near(body.major[i].point, v, on_line ? kApart : kSame)) return true;
    }
    return false;
  };
  // Two places of one cube are near to each other: only the first of each is compared with all before it.
  const double cube = kApart * body.diameter / 2;
  std::set<std::array<double, 3>> seen;
  const auto is_first = [&](std::uint32_t v) {
    const Vec3 at = body.graph.positions[v] / cube;
    return seen.insert({std::floor(at.x()), std::floor(at.y()), std::floor(at.z())}).second;
  };
  std::size_t added = 0;
  for (std::size_t i = 0; i < line.size() && added < kMostMiddle && line[i].far > kFarOut * farthest; ++i) {
    const auto higher = [&](const Place& other) { return near(other.point, line[i].point, kApart); };
    if (!is_first(line[i].point) ||
        std::any_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(i), higher) ||
        is_known(line[i].point))
      continue;
    add_tip(body, line[i].point);
    ++added;
  }
}

}  // namespace

void add_tip(BodyMap& body, std::uint32_t point) {
  const auto n = static_cast<Eigen::Index>(body.major.size());
  body.major.push_back({point, 0, true});
  body.from.push_back(body.graph.distances(point));
  body.apart.conservativeResize(n + 1, n + 1);
  for (Eigen::Index i = 0; i <= n; ++i)
    body.apart(i, n) = body.apart(n, i) = body.from.back()[body.major[static_cast<std::size_t>(i)].point];
}

TipPairs find_tip_pairs(const BodyMap& body) {
  return Pairing(body).best();
}

void add_middle_tips(BodyMap& body, const TipPairs& sides, const std::vector<Pair>& horns) {
  if (sides.pairs.size() < 2) return;
  std::vector<Place> line;
  double farthest = 0;
  const double wide = (kOnMiddle + sides.error) * body.diameter;
  for (std::uint32_t v = 0; v < body.graph.positions.size(); ++v) {
    // The nearest pair does not count: it may be ears.
    double beside = 0, sum = 0, nearest = std::numeric_limits<double>::infinity();
    for (const auto& [a, b] : sides.pairs) {
      beside = std::max(beside, std::abs(body.from[a][v] - body.from[b][v]));
      const double away = (body.from[a][v] + body.from[b][v]) / 2;
      sum += away;
      nearest = std::min(nearest, away);
    }
    const double far = (sum - nearest) / static_cast<double>(sides.pairs.size() - 1);
    for (const auto& [a, b] : horns)
      if (std::abs(body.from[a][v] - body.from[b][v]) > kOnMiddle * body.diameter) beside = wide;
    if (std::isfinite(far)) farthest = std::max(farthest, far);
    if (beside < wide) line.push_back({v, far - beside});
  }
  add_farthest(body, sides.middle, std::move(line), farthest);
}

void add_tips_on(BodyMap& body, const Mirror& mirror) {
  std::vector<std::size_t> beside, on;
  const auto away = [&](std::uint32_t v) {
    return std::abs((body.graph.positions[v] - mirror.centre).dot(mirror.normal));
  };
  for (std::size_t i = 0; i < body.major.size(); ++i)
    (away(body.major[i].point) > kOnPlane * body.graph.size ? beside : on).push_back(i);
  if (beside.size() < kLeastBeside) return;
  std::vector<Place> line;
  double farthest = 0;
  std::vector<double> far(beside.size());
  for (std::uint32_t v = 0; v < body.graph.positions.size(); ++v) {
    for (std::size_t k = 0; k < beside.size(); ++k) far[k] = body.from[beside[k]][v];
    // The nearest two do not count.
    std::sort(far.begin(), far.end());
    double mean = 0;
    for (std::size_t k = 2; k < far.size(); ++k) mean += far[k] / static_cast<double>(far.size() - 2);
    if (!std::isfinite(mean)) continue;
    farthest = std::max(farthest, mean);
    if (away(v) < body.graph.spacing) line.push_back({v, mean});
  }
  add_farthest(body, on, std::move(line), farthest);
}

std::size_t add_tip_between(BodyMap& body) {
  const std::vector<double>&one = body.from[0], &other = body.from[1];
  std::uint32_t best = 0;
  for (std::uint32_t v = 0; v < one.size(); ++v)
    if (std::isfinite(one[v] + other[v]) && std::min(one[v], other[v]) > std::min(one[best], other[best]))
      best = v;
  add_tip(body, best);
  return body.major.size() - 1;
}

}  // namespace sinew::autorig
