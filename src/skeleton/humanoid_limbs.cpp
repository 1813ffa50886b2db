// SPDX-License-Identifier: Apache-2.0
#include "skeleton/humanoid_limbs.h"

#include <algorithm>
#include <cmath>

namespace sinew {
namespace {

Vec3 head_of(std::span<const Affine3> globals, int joint) {
  return globals[static_cast<std::size_t>(joint)].translation();
}

// The longest way down from each joint.
struct LongestWays {
  std::vector<double> length;
  std::vector<int> next;

  LongestWays(const Skeleton& skeleton, std::span<const Affine3> globals)
      : length(skeleton.size(), 0), next(skeleton.size(), -1) {
    const auto order = skeleton.order();
    for (std::size_t k = order.size(); k-- > 0;) {
      const std::uint32_t j = order[k];
      for (const std::uint32_t child : skeleton.children(j)) {
        if (!is_bone(skeleton, child)) continue;
        const double way = length[child] + (globals[child].translation() - globals[j].translation()).norm();
        if (way <= length[j] && next[j] >= 0) continue;
        length[j] = way;
        next[j] = static_cast<int>(child);
      }
    }
  }
  std::vector<int> from(int joint) const {
    std::vector<int> chain;
    for (; joint >= 0; joint = next[static_cast<std::size_t>(joint)]) chain.push_back(joint);
    return chain;
  }
};

constexpr double kLikeLengths = 1.3;   // how much longer one of a pair may be
constexpr double kShortestLimb = 0.2;  // of the height

std::vector<LimbPair> limb_pairs(const Skeleton& skeleton, std::span<const Affine3> globals, double height) {
  const LongestWays ways(skeleton, globals);
  std::vector<LimbPair> pairs;
  for (std::size_t x = 0; x < skeleton.size(); ++x) {
    const auto children = skeleton.children(x);
    for (std::size_t a = 0; a < children.size(); ++a)
      for (std::size_t b = a + 1; b < children.size(); ++b) {
        const auto reach = [&](std::uint32_t child) {
          return ways.length[child] + (globals[child].translation() - globals[x].translation()).norm();
        };
        const double first = reach(children[a]), second = reach(children[b]);
        if (std::min(first, second) < kShortestLimb * height ||
            std::max(first, second) > kLikeLengths * std::min(first, second))
          continue;
        LimbPair pair{static_cast<int>(x),
                      {ways.from(static_cast<int>(children[a])), ways.from(static_cast<int>(children[b]))},
                      (first + second) / 2};
        if (is_bone(skeleton, children[a]) && is_bone(skeleton, children[b]) && pair.chains[0].size() >= 2 &&
            pair.chains[1].size() >= 2)
          pairs.push_back(std::move(pair));
      }
  }
  return pairs;
}

// How far the tips of a pair are from being mirrored in a plane that holds `up`, over the pair's length.
double apart_in_height(const LimbPair& pair, std::span<const Affine3> globals, const Vec3& up) {
  const Vec3 tips = head_of(globals, pair.chains[0].back()) - head_of(globals, pair.chains[1].back());
  return std::abs(tips.dot(up)) / pair.length;
}

double tip_height(const LimbPair& pair, std::span<const Affine3> globals, const Vec3& up) {
  return (head_of(globals, pair.chains[0].back()) + head_of(globals, pair.chains[1].back())).dot(up) / 2;
}

bool in_chains(const LimbPair& pair, int joint) {
  return std::any_of(pair.chains.begin(), pair.chains.end(), [&](const std::vector<int>& chain) {
    return std::find(chain.begin(), chain.end(), joint) != chain.end();
  });
}

}  // namespace

bool is_bone(const Skeleton& skeleton, std::size_t joint) {
  return !skeleton[joint].helper && (skeleton[joint].deforms || skeleton.deforming_count() == 0);
}

bool is_above(const Skeleton& skeleton, int above, int joint) {
  for (; joint >= 0; joint = skeleton[static_cast<std::size_t>(joint)].parent)
    if (joint == above) return true;
  return false;
}

int common_joint(const Skeleton& skeleton, int a, int b) {
  for (; a >= 0; a = skeleton[static_cast<std::size_t>(a)].parent)
    if (is_above(skeleton, a, b)) return a;
  return -1;
}

int longest_two(std::span<const int> chain, std::span<const Affine3> globals) {
  int best = -1;
  double longest = 0;
  for (std::size_t k = 0; k + 2 < chain.size(); ++k) {
    const double first = (head_of(globals, chain[k + 1]) - head_of(globals, chain[k])).norm();
    const double second = (head_of(globals, chain[k + 2]) - head_of(globals, chain[k + 1])).norm();
    if (std::min(first, second) <= longest) continue;
    longest = std::min(first, second);
    best = static_cast<int>(k);
  }
  return best;
}

std::optional<BodyLimbs> find_limbs(const Skeleton& skeleton, std::span<const Affine3> globals,
                                    const Vec3& up) {
  double low = 0, high = 0;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    const double h = up.dot(globals[j].translation());
    low = j == 0 ? h : std::min(low, h);
    high = j == 0 ? h : std::max(high, h);
  }
  const std::vector<LimbPair> pairs = limb_pairs(skeleton, globals, high - low);
  const LimbPair* legs = nullptr;
  for (const LimbPair& pair : pairs) {
    if (apart_in_height(pair, globals, up) > 0.25) continue;
    if (tip_height(pair, globals, up) > up.dot(head_of(globals, pair.above))) continue;  // legs hang
    if (!legs || tip_height(pair, globals, up) < tip_height(*legs, globals, up)) legs = &pair;
  }
  if (!legs) return std::nullopt;
  const LimbPair* arms = nullptr;
  for (const LimbPair& pair : pairs) {
    if (&pair == legs || in_chains(*legs, pair.above) || in_chains(*legs, pair.chains[0][0]) ||
        in_chains(*legs, pair.chains[1][0]) || !is_above(skeleton, legs->above, pair.above))
      continue;
    if (apart_in_height(pair, globals, up) > 0.5) continue;
    if (!arms || pair.length > arms->length) arms = &pair;
  }
  if (!arms) return std::nullopt;
  return BodyLimbs{*legs, *arms};
}

}  // namespace sinew
