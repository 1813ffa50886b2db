// SPDX-License-Identifier: Apache-2.0
#include "autorig/extra_limbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "autorig/chain_joints.h"

namespace sinew::autorig {
namespace {

constexpr double kLongLimb = 3;        // radii: what is shorter bends with what it grows on
constexpr double kAlikeImages = 0.05;  // of the diameter: so much may distances to other tips differ
constexpr double kEndOfChain =
    0.8;  // of a chain: what leaves it farther out is a part of its end, as fingers are
constexpr double kTail =
    0.95;  // of a limb: its last bone ends where the limb is not bent past it, below the skin of the tip
constexpr double kHasBones = 0.5;  // of a limb: a joint so near to its tip, and it has bones already

constexpr double kLongFin = 1;    // radii of the chain: so far a fin stands out, at least
constexpr double kFinBase = 1.4;  // radii of the chain from its curve: where a fin begins
constexpr double kSameFin = 0.5;  // of its length: a limb that ends so near to a fin's tip is that fin
constexpr double kNearFin =
    0.2;  // of a chain: to either side of a fin it is as thick as beside it, on average
constexpr double kHeadFork =
    0.7;  // of a chain, from its tail: what parts later is one of several ends of its head
constexpr double kHeadMiddle = 0.5;  // of such an end: where it is as thick as it is
constexpr double kThickerHead = 2;   // times as thick as the longest of them, a tongue, the head is
constexpr int kFinPasses = 2;        // the second with the curve that the first has straightened
constexpr double kFirstFin = 0.1;    // of a chain: what is nearer to its head is a part of that

struct ExtraLimb {
  std::vector<double> ways;  // from its tip to the root and to each tip of the match
  Part part;
  int image = -1;
  std::vector<double> joints;
  std::string name;
  int first = -1;                          // joint
  Vec3 joins = Vec3::Zero();               // the joint nearest to here carries it
  bool fin = false;                        // of a chain: one bone
  std::vector<std::uint32_t> points = {};  // of a fin
};

double way(const BodyMap& body, std::size_t a, std::size_t b) {
  return body.apart(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
}

std::vector<double> ways_from(const BodyMap& body, const Match& match, std::uint32_t point) {
  std::vector<double> ways = {body.from[match.root][point]};
  for (const int tip : match.tips)
    ways.push_back(tip < 0 ? 0 : body.from[static_cast<std::size_t>(tip)][point]);
  return ways;
}

void longest_first(std::vector<ExtraLimb>& limbs) {
  std::stable_sort(limbs.begin(), limbs.end(), [](const ExtraLimb& a, const ExtraLimb& b) {
    return a.part.curve.length() > b.part.curve.length();
  });
}

bool has_bones(const Part& part, const std::vector<PlacedJoint>& placed) {
  const double near = kHasBones * part.curve.length();
  return std::any_of(placed.begin(), placed.end(), [&](const PlacedJoint& one) {
    return one.present &&
           ((one.head - part.tip).norm() < near || (one.tail && (*one.tail - part.tip).norm() < near));
  });
}

bool leaves_body(const BodyMap& body, std::size_t root, std::span<const std::size_t> tips, std::size_t tip) {
  if (tips.size() > 1) return is_own_limb(body, root, tips, tip);
  return body.gromov_product(root, tips[0], tip) < kEndOfChain * way(body, root, tips[0]);
}

std::vector<ExtraLimb> limbs_without_bones(const BodyMap& body, const Match& match,
                                           const std::vector<PlacedJoint>& placed) {
  std::vector<std::size_t> tips;
  for (const int tip : match.tips)
    if (tip >= 0) tips.push_back(static_cast<std::size_t>(tip));
  const std::size_t used = tips.size();
  for (std::size_t i = 0; i < body.major.size(); ++i)
    if (i != match.root && !body.major[i].middle && std::find(tips.begin(), tips.end(), i) == tips.end() &&
        used > 0 && leaves_body(body, match.root, std::span(tips).first(used), i))
      tips.push_back(i);
  std::vector<ExtraLimb> limbs;
  if (tips.size() == used || tips.size() < 2) return limbs;
  const Parts parts = take_apart(body, match.root, tips, false);
  for (std::size_t i = used; i < tips.size(); ++i) {
    const Part& part = parts.limbs[i];
    if (part.curve.points.size() < 4 || part.curve.length() < kLongLimb * part.curve.middle_radius())
      continue;
    if (has_bones(part, placed)) continue;
    ExtraLimb& limb = limbs.emplace_back();
    limb.ways = ways_from(body, match, body.major[tips[i]].point);
    limb.part = part;
    limb.joins = part.curve.points.front();
    if (is_spine(*match.model)) {  // a tongue lies along a jaw, and hangs where they part
      const Curve& chain = match.parts.trunk;
      limb.joins = chain.at(chain.at_level(body.gromov_product(match.root, tips[0], tips[i])));
    }
  }
  longest_first(limbs);
  return limbs;
}

// The median radius of a curve about one of its points, over a fifth of it to either side: rings that a fin is part of are
// wider.
double typical_radius(const Curve& curve, double s) {
  std::vector<double> near;
  for (std::size_t k = 0; k < curve.radii.size(); ++k)
    if (std::abs(curve.along[k] - s) < kNearFin * curve.length()) near.push_back(curve.radii[k]);
  const auto middle = near.begin() + static_cast<std::ptrdiff_t>(near.size() / 2);
  std::nth_element(near.begin(), middle, near.end());
  return *middle;
}

// Fins of a chain. Those that are swept back hardly show from its ends: seen from its curve, they are what lies farther
// from it than all around them. One is as long as the body is thick there, at least.
std::vector<ExtraLimb> fins(const BodyMap& body, const Match& match) {
  const Curve& chain = match.parts.trunk;
  const std::vector<double>& level = body.from[match.root];
  std::vector<double> away(level.size());
  for (std::size_t v = 0; v < level.size(); ++v)
    away[v] = (body.graph.positions[v] - chain.at(chain.project(body.graph.positions[v]))).norm();
  const JoinTree tree = join_tree(body.graph, away);
  const double least = kLongFin * chain.middle_radius();
  std::vector<std::uint32_t> tips;
  for (const Peak& peak : find_peaks(tree, away, least)) {
    const double s = chain.at_level(level[peak.point]) / chain.length();
    if (s > kFirstFin && s < kEndOfChain) tips.push_back(peak.point);
  }
  std::vector<ExtraLimb> limbs;
  if (tips.empty()) return limbs;
  const LimbCut cut = cut_limbs(tree, away, tips);
  const auto points = points_of_parts(cut, tree.order);
  for (std::size_t i = 0; i < tips.size(); ++i) {
    const double s = chain.project(body.graph.positions[tips[i]]);
    const double from = std::max(cut.seam[i], kFinBase * typical_radius(chain, s));
    ExtraLimb limb;
    limb.points = points[i + 1];
    std::erase_if(limb.points, [&](std::uint32_t v) { return away[v] < from; });
    limb.ways = ways_from(body, match, tips[i]);
    limb.part.curve = level_curve(body.graph, away, limb.points, from, true);
    limb.part.tip = body.graph.positions[tips[i]];
    if (!limb.part.curve.empty()) limb.joins = limb.part.curve.points.front();
    limb.fin = true;
    if (limb.part.curve.points.size() >= 4) limbs.push_back(std::move(limb));
  }
  return limbs;
}

// By distances between tips, which do not depend on the pose.
void find_images(const BodyMap& body, const Match& match, std::vector<ExtraLimb>& limbs) {
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    double least = kAlikeImages * body.diameter;
    for (std::size_t k = i + 1; k < limbs.size() && limbs[i].image < 0; ++k) {
      if (limbs[k].image >= 0) continue;
      double worst = std::abs(limbs[i].part.curve.length() - limbs[k].part.curve.length());
      worst = std::max(worst, std::abs(limbs[i].ways[0] - limbs[k].ways[0]));
      for (std::size_t l = 0; l < match.tips.size(); ++l) {
        const int mirror = match.model->mirror_limbs[l];
        const std::size_t other = mirror < 0 ? l : static_cast<std::size_t>(mirror);
        if (match.tips[l] < 0 || match.tips[other] < 0) continue;
        worst = std::max(worst, std::abs(limbs[i].ways[l + 1] - limbs[k].ways[other + 1]));
      }
      if (worst < least) {
        limbs[i].image = static_cast<int>(k);
        limbs[k].image = static_cast<int>(i);
      }
    }
  }
}

void name_extra_limbs(const Match& match, std::vector<ExtraLimb>& limbs) {
  const Vec3 left = match.model->two_sided ? Vec3(match.rotation.col(0)) : Vec3(Vec3::UnitX());
  int number = 0;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    if (!limbs[i].name.empty()) continue;
    const std::string base = fmt::format("Limb{}", ++number);
    limbs[i].name = base;
    if (limbs[i].image < 0) continue;
    ExtraLimb& other = limbs[static_cast<std::size_t>(limbs[i].image)];
    const bool here = (limbs[i].part.tip - other.part.tip).dot(left) > 0;
    limbs[i].name = (here ? "Left" : "Right") + base;
    other.name = (here ? "Right" : "Left") + base;
  }
}

// The joint of the bone that is nearest to where a limb begins; of the template alone.
int nearest_joint(const TemplateData& model, const std::vector<PlacedJoint>& placed, std::size_t count,
                  const Vec3& p) {
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](std::size_t j, const Vec3& end) {
    const Vec3 d = end - placed[j].head;
    const double dd = d.squaredNorm();
    const double t = dd > 0 ? std::clamp((p - placed[j].head).dot(d) / dd, 0.0, 1.0) : 0;
    const double away = (placed[j].head + t * d - p).norm();
    if (away < least) least = away, best = static_cast<int>(j);
  };
  for (std::size_t j = 0; j < count; ++j) {
    if (!placed[j].present) continue;
    consider(j, placed[j].tail.value_or(placed[j].head));
    if (const int parent = model.joints[j].parent; parent >= 0)
      consider(static_cast<std::size_t>(parent), placed[j].head);
  }
  return best;
}

}  // namespace

void take_thickest_head(const BodyMap& body, Match& match) {
  if (!is_spine(*match.model)) return;
  const auto tail = static_cast<std::size_t>(match.tips[0]);
  const double length = way(body, tail, match.root);
  const std::size_t root = match.root;
  double most = 0;
  for (std::size_t tip = 0; tip < body.major.size(); ++tip) {
    if (tip == root || tip == tail || body.major[tip].middle) continue;
    const double fork = body.gromov_product(tail, root, tip);
    if (fork < kHeadFork * length) continue;
    const auto thickness = [&](const Curve& curve, double own) {
      return curve.radius_at(kHeadMiddle * own / std::max(way(body, tail, tip), length) * curve.length());
    };
    const Curve curve = trunk_curve(body, tip, farthest_first(body.from[tip]), &tail);
    const double thick = thickness(curve, way(body, tail, tip) - fork);
    if (thick > most && thick > kThickerHead * thickness(match.parts.trunk, length - fork)) {
      most = thick;
      match.root = tip;
    }
  }
  if (match.root != root)
    match.parts.trunk = trunk_curve(body, match.root, farthest_first(body.from[match.root]), &tail);
}

void straighten_between_fins(const BodyMap& body, Match& match) {
  if (!is_spine(*match.model)) return;
  const std::vector<double>& level = body.from[match.root];
  for (int pass = 0; pass < kFinPasses; ++pass) {
    std::vector<std::pair<double, double>> ranges;
    for (const ExtraLimb& one : fins(body, match)) {
      const auto [first, last] =
          std::minmax_element(one.points.begin(), one.points.end(),
                              [&](std::uint32_t a, std::uint32_t b) { return level[a] < level[b]; });
      ranges.emplace_back(level[*first], level[*last]);
    }
    if (ranges.empty()) return;
    std::vector<std::uint32_t> points = farthest_first(level);
    std::erase_if(points, [&](std::uint32_t v) {
      return std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
        return level[v] >= range.first && level[v] <= range.second;
      });
    });
    const auto tip = static_cast<std::size_t>(match.tips[0]);
    match.parts.trunk = trunk_curve(body, match.root, points, &tip);
  }
}

void add_extra_limbs(const BodyMap& body, const Match& match, TemplateData& model,
                     std::vector<PlacedJoint>& placed) {
  // A template whose own body has limbs without joints, a bird's toes, says that they are to have none.
  if (match.model->spare > 0) return;
  std::vector<ExtraLimb> limbs = limbs_without_bones(body, match, placed);
  if (is_spine(*match.model)) {
    const std::vector<ExtraLimb> of_chain = fins(body, match);
    std::erase_if(limbs, [&](const ExtraLimb& limb) {
      return std::any_of(of_chain.begin(), of_chain.end(), [&](const ExtraLimb& fin) {
        return (fin.part.tip - limb.part.tip).norm() < kSameFin * fin.part.curve.length();
      });
    });
    limbs.insert(limbs.end(), of_chain.begin(), of_chain.end());
    longest_first(limbs);
  }
  if (limbs.empty()) return;
  find_images(body, match, limbs);
  name_extra_limbs(match, limbs);
  const std::size_t count = placed.size();
  bool images = false;
  for (std::size_t i = 0; i < limbs.size(); ++i) {
    ExtraLimb& limb = limbs[i];
    const Curve& curve = limb.part.curve;
    if (limb.image >= 0 && limb.image < static_cast<int>(i)) {
      const ExtraLimb& other = limbs[static_cast<std::size_t>(limb.image)];
      for (const double s : other.joints)
        limb.joints.push_back(s * curve.length() / other.part.curve.length());
    } else {
      limb.joints = {0};
      const std::vector<double> more = limb.fin ? std::vector<double>() : chain_joints(curve, kLimbBone);
      limb.joints.insert(limb.joints.end(), more.begin(), more.end());
    }
    limb.first = static_cast<int>(placed.size());
    int parent = nearest_joint(model, placed, count, limb.joins);
    for (std::size_t k = 0; k < limb.joints.size(); ++k) {
      TemplateJoint joint;
      joint.name = fmt::format("{}_{}", limb.name, k + 1);
      joint.parent = parent;
      joint.anchor.kind = model.two_sided ? Anchor::Kind::kMinor : Anchor::Kind::kLimb;
      PlacedJoint place;
      place.head = curve.at(limb.joints[k]);
      if (k + 1 == limb.joints.size()) place.tail = curve.at(kTail * curve.length());
      parent = static_cast<int>(placed.size());
      if (limb.image >= 0 && limb.image < static_cast<int>(i)) {
        const int image = limbs[static_cast<std::size_t>(limb.image)].first + static_cast<int>(k);
        joint.mirror = image;
        model.joints[static_cast<std::size_t>(image)].mirror = parent;
        images = true;
      }
      model.joints.push_back(joint);
      placed.push_back(place);
    }
  }
  if (!images || model.two_sided) return;
  model.two_sided = true;
  for (std::size_t j = 0; j < count; ++j) model.joints[j].mirror = static_cast<int>(j);
}

}  // namespace sinew::autorig
