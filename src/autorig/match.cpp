// SPDX-License-Identifier: Apache-2.0
#include "autorig/match.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "autorig/similarity.h"

namespace sinew::autorig {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kExtraTip = 0.45, kMissingTip = 0.6, kMissingTail = 0.3,
                 kHalfPair = 0.1;  // times the tip's share of the diameter
constexpr double kHeadTip = 0.12;  // the same for ears, horns, a trunk: they leave before the first limb does
constexpr double kOnHead = 0.9, kOddHorn = 0.05, kBeside = 0.05;
constexpr int kMostMissing = 2;
constexpr double kPlaces = 0.6, kRadii = 0.08, kAsymmetry = 1, kStiff = 0.15, kRigid = 0.4, kHidden = 0.15,
                 kSlide = 0.15, kEnds = 0.08, kSpine = 0.04, kLoose = 0.5, kHeadDown = 0.12;
constexpr double kUpright = 0.004;  // settles what the shape cannot: a cylinder's lower end, a ball's front
constexpr double kMissingSoFar = 0.03;
constexpr std::size_t kBeginnings = 3000, kRingBeginnings = 96;
constexpr double kHopeless = 0.45;  // a beginning that costs so much by rings, which must fit well
constexpr std::size_t kMostTips = 16;
constexpr double kWorthless = 0.4;  // what costs more by the lengths alone is looked at only if it is one of
constexpr std::size_t kAtLeast = 4;
constexpr std::size_t kLookAt = 48;  // assignments per template that are weighed in full

Eigen::Index at(std::size_t i) {
  return static_cast<Eigen::Index>(i);
}

constexpr int kMostKinds = static_cast<int>(kMostTips) + 1;
using SmallMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMostKinds, kMostKinds>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMostKinds, 1>;

// Ways to give the template's tips partners, one limb after the other; of all beginnings the best are kept.
class Assignments {
 public:
  Assignments(const BodyMap& body, const TemplateData& model)
      : body_(body),
        model_(model),
        keep_(body.graph.rings ? kRingBeginnings : kBeginnings),
        give_up_(body.graph.rings ? kHopeless : kNever),
        rigid_(body.graph.rings ? 1 : kRigid) {
    for (std::size_t tip = 0; tip < tip_count(); ++tip) {
      const int image = model.image_of(tip);
      const int self = static_cast<int>(tip);
      images_.push_back(image);
      // All fingers are of one kind, or they could take any length.
      kinds_.push_back(!model.two_sided ? std::min(self, 1) : image >= 0 ? std::min(image, self) : self);
    }
  }

  std::vector<Candidate> cheapest() const {
    std::vector<Beginning> now, kept;
    std::vector<Extension> longer;
    for (std::size_t root = 0; root < body_.major.size(); ++root)
      if (model_.two_sided || !body_.major[root].middle) now.push_back(begun(root));
    for (std::size_t limb = 1; limb < tip_count(); ++limb) {
      longer.clear();
      const auto consider = [&](std::size_t from, int tip) {
        longer.push_back(
            {sums_with(now[from], limb, tip).cost(rigid_), static_cast<std::uint32_t>(from), tip});
      };
      for (std::size_t from = 0; from < now.size(); ++from) {
        for (std::size_t tip = 0; tip < body_.major.size(); ++tip)
          if (!now[from].uses(tip) && !body_.major[tip].middle) {
            consider(from, static_cast<int>(tip));
            if (longer.back().cost > give_up_) longer.pop_back();
          }
        if (now[from].sums.missing < kMostMissing && tip_count() > 2) consider(from, -1);
      }
      // Those that come first stay first among equals.
      const auto cheaper = [](const Extension& a, const Extension& b) {
        return std::tie(a.cost, a.from, a.tip) < std::tie(b.cost, b.from, b.tip);
      };
      const auto end = longer.begin() + static_cast<std::ptrdiff_t>(std::min(keep_, longer.size()));
      std::partial_sort(longer.begin(), end, longer.end(), cheaper);
      kept.clear();
      for (auto one = longer.begin(); one != end; ++one) kept.push_back(with(now[one->from], limb, one->tip));
      std::swap(now, kept);
    }
    std::vector<Candidate> all;
    for (const Beginning& one : now)
      if (one.sums.mm > 0) all.push_back(finish(one));
    std::stable_sort(all.begin(), all.end(),
                     [](const Candidate& a, const Candidate& b) { return a.cost < b.cost; });
    if (all.size() > kLookAt) all.resize(kLookAt);
    return all;
  }

  // What any other way would cost.
  Candidate weighed(const Match& match) const {
    Beginning one = begun(match.root);
    for (std::size_t limb = 1; limb < tip_count(); ++limb) one = with(one, limb, match.tips[limb - 1]);
    return finish(one);
  }

 private:
  struct Sums {
    double tm = 0, mm = 0, tt = 0;  // distances in the template and in the body, multiplied
    double unlike = 0, alike = 0;   // squares: by how much left and right differ, and what was compared
    int missing = 0;
    double lengths() const {
      return mm > 0 && tt > 0 ? std::sqrt(std::max(0.0, 1 - tm * tm / (mm * tt))) : 0;
    }
    double asymmetry() const { return alike > 0 ? std::sqrt(unlike / alike) : 0; }
    double cost(double rigid) const {
      return rigid * lengths() + kAsymmetry * asymmetry() + kMissingSoFar * missing;
    }
  };
  struct Beginning {
    Sums sums;
    std::array<std::int8_t, kMostTips>
        partners;            // per tip of the template so far: the root's, then the limbs'
    std::uint32_t used = 0;  // a bit for each tip of the body
    bool uses(std::size_t tip) const { return (used >> tip & 1) != 0; }
  };
  struct Extension {
    double cost;
    std::uint32_t from;
    int tip;
  };

  std::size_t tip_count() const { return std::min(model_.parts.limbs.size() + 1, kMostTips); }

  static Beginning begun(std::size_t root) {
    Beginning one;
    one.partners[0] = static_cast<std::int8_t>(root);
    one.used = 1u << root;
    return one;
  }

  Beginning with(const Beginning& one, std::size_t limb, int tip) const {
    Beginning more = one;
    more.sums = sums_with(one, limb, tip);
    more.partners[limb] = static_cast<std::int8_t>(tip);
    if (tip >= 0) more.used |= 1u << tip;
    return more;
  }

  Sums sums_with(const Beginning& one, std::size_t limb, int tip) const {
    Sums sums = one.sums;
    if (tip < 0) {
      ++sums.missing;
      return sums;
    }
    const double* const theirs = model_.apart.col(at(limb)).data();
    const double* const ours = body_.apart.col(tip).data();
    for (std::size_t i = 0; i < limb; ++i) {
      if (one.partners[i] < 0) continue;
      const double t = theirs[i], m = ours[one.partners[i]];
      sums.tm += t * m, sums.mm += m * m, sums.tt += t * t;
    }
    compare_sides(one, limb, tip, sums);
    return sums;
  }

  // From the last tip given a partner, and from its image, distances to tips and to their images should be
  // the same.
  void compare_sides(const Beginning& one, std::size_t last, int tip, Sums& sums) const {
    const int self = static_cast<int>(last), image = images_[last];
    const auto partner = [&](int of) {
      return of == self ? tip : one.partners[static_cast<std::size_t>(of)];
    };
    if (image < 0 || image > self || partner(image) < 0) return;
    const int b = partner(image);
    for (int i = 0; i < self; ++i) {
      const int other = images_[static_cast<std::size_t>(i)];
      if (other < 0 || other >= self || (image == self && other <= i)) continue;
      const int c = partner(i), d = partner(other);
      if (c < 0 || d < 0) continue;
      const double here = body_.apart(tip, c), there = body_.apart(b, d);
      sums.unlike += (here - there) * (here - there);
      sums.alike += (here * here + there * there) / 2;
    }
  }

  // Limbs are longer or shorter than the template's, left and right ones alike: what distances still differ
  // by when a length is added for each kind of limb, and these lengths.
  double flexible_lengths(const Beginning& one) const {
    const auto kinds =
        static_cast<Eigen::Index>(kinds_.empty() ? 0 : 1 + *std::max_element(kinds_.begin(), kinds_.end()));
    SmallMatrix normal = SmallMatrix::Zero(kinds + 1, kinds + 1);
    SmallVector right = SmallVector::Zero(kinds + 1), row(kinds + 1);
    for (std::size_t i = 0; i < tip_count(); ++i) {
      if (one.partners[i] < 0) continue;
      normal(kinds_[i], kinds_[i]) += kStiff * body_.diameter * body_.diameter;
      for (std::size_t k = 0; k < i; ++k) {
        if (one.partners[k] < 0) continue;
        row.setZero();
        row(kinds) = model_.apart(at(i), at(k));
        row(kinds_[i]) += body_.diameter, row(kinds_[k]) += body_.diameter;
        normal += row * row.transpose();
        right += body_.apart(one.partners[i], one.partners[k]) * row;
      }
    }
    for (Eigen::Index c = 0; c < kinds; ++c)
      if (!(normal(c, c) > 0)) normal(c, c) = 1;
    if (!(one.sums.mm > 0)) return 0;
    const SmallVector best = normal.ldlt().solve(right);
    // What is left of the sum of squares, stiffness counted.
    return std::sqrt(std::max(0.0, 1 - best.dot(right) / one.sums.mm));
  }

  // How far from the root the ways to two tips part.
  double fork(std::size_t root, std::size_t a, std::size_t b) const {
    return (body_.apart(at(root), at(a)) + body_.apart(at(root), at(b)) - body_.apart(at(a), at(b))) / 2;
  }
  // Where the first limb leaves the tree of these tips, the root's first.
  double first_fork(std::span<const std::size_t> tips) const {
    double first = body_.diameter;
    for (std::size_t i = 1; i < tips.size(); ++i)
      for (std::size_t k = 1; k < i; ++k) first = std::min(first, fork(tips[0], tips[i], tips[k]));
    return first;
  }
  // Where another tip leaves it.
  double deepest(std::size_t tip, std::span<const std::size_t> tips) const {
    double depth = 0;
    for (std::size_t i = 1; i < tips.size(); ++i) depth = std::max(depth, fork(tips[0], tip, tips[i]));
    return depth;
  }

  // Whether a tip is not on the middle between left and right, as an elephant's trunk is.
  bool is_beside(const Beginning& one, std::size_t tip) const {
    double worst = 0;
    for (std::size_t i = 1; i < tip_count(); ++i) {
      const int image = model_.image_of(i);
      if (image < 0 || one.partners[i] < 0 || one.partners[static_cast<std::size_t>(image)] < 0) continue;
      worst = std::max(worst, std::abs(body_.apart(at(tip), one.partners[i]) -
                                       body_.apart(at(tip), one.partners[static_cast<std::size_t>(image)])));
    }
    return worst > kBeside * body_.diameter;
  }

  Candidate finish(const Beginning& one) const {
    Candidate made;
    made.root = static_cast<std::size_t>(one.partners[0]);
    made.tips.assign(model_.parts.limbs.size(), -1);
    made.lengths = model_.rings ? one.sums.lengths() : flexible_lengths(one);
    made.asymmetry = one.sums.asymmetry();
    std::vector<std::size_t> ours, theirs;
    for (std::size_t i = 0; i < tip_count(); ++i) {
      if (i > 0) made.tips[i - 1] = one.partners[i];
      if (one.partners[i] >= 0)
        theirs.push_back(i), ours.push_back(static_cast<std::size_t>(one.partners[i]));
    }
    int horns = 0;
    const double first = model_.two_sided ? first_fork(ours) : 0;
    for (std::size_t i = 0; i < body_.major.size(); ++i) {
      if (one.uses(i) || body_.major[i].middle) continue;
      const bool on_head = deepest(i, ours) < kOnHead * first;
      made.left_over += (on_head ? kHeadTip / kExtraTip : 1) * cost_of_extra_tip(body_, i, ours);
      horns += on_head && is_beside(one, i);
    }
    // One horn alone: the root is at the other.
    if (horns % 2 == 1 && !body_.major[made.root].middle) made.left_over += kOddHorn;
    made.left_over = std::max(0.0, made.left_over - model_.spare);
    for (std::size_t i = 1; i < tip_count(); ++i) {
      if (one.partners[i] >= 0) continue;
      const int image = model_.image_of(i);
      if (image >= 0 && one.partners[static_cast<std::size_t>(image)] >= 0) made.left_over += kHalfPair;
      made.left_over += (image == static_cast<int>(i) ? kMissingTail : kMissingTip) *
                        beyond(model_.apart, i, theirs) / model_.diameter;
    }
    made.cost = made.lengths + kAsymmetry * made.asymmetry + made.left_over;
    return made;
  }

  const BodyMap& body_;
  const TemplateData& model_;
  std::size_t keep_;
  double give_up_;
  double rigid_;
  std::vector<int> images_;  // per tip of the template: left's is right
  std::vector<int> kinds_;   // per tip of the template: the same for left and right
};

// Two or three joints are told by how thick the chain is along its way; a spine of many is in a body of any
// thickness, a fish's as well as a snake's.
double thickness_weight(const TemplateData& model) {
  if (model.parts.limbs.size() > 1) return kRadii;
  return kRadii * (model.rings ? 3 : is_spine(model) ? 0.6 : 4);
}

// How far the body is turned from the template, 0 .. 1.
double upright(const Match& match) {
  if (match.tips.size() > 1) return (3 - match.rotation.trace()) / 4;
  const Curve &a = match.model->parts.trunk, &b = match.parts.trunk;
  const Vec3 u = a.points.back() - a.points.front(), v = b.points.back() - b.points.front();
  return u.norm() > 0 && v.norm() > 0 ? (1 - u.normalized().dot(v.normalized())) / 2 : 0;
}

void sample(const Curve& curve, int count, std::vector<Vec3>& points, std::vector<double>& radii) {
  for (int k = 0; k < count; ++k) {
    const double s = curve.length() * (k + 0.5) / count;
    points.push_back(curve.at(s));
    radii.push_back(curve.radius_at(s));
  }
}

double mean_radius(const Curve& curve, double from, double to) {
  double sum = 0;
  for (int k = 0; k < 8; ++k) sum += curve.radius_at(curve.length() * (from + (to - from) * (k + 0.5) / 8));
  return sum / 8;
}

// How much thicker the head is than the tail, as a logarithm.
double head_over_tail(const Parts& parts, std::size_t tail) {
  return std::log(mean_radius(parts.trunk, 0.03, 0.15) / mean_radius(parts.limbs[tail].curve, 0.6, 0.95));
}

// Files have y or z upwards: a body that stands on its head needs better reasons.
double head_down(const Match& match) {
  return match.model->two_sided ? kHeadDown * std::max(0.0, -match.rotation.col(1).y()) : 0;
}

// A body may fit as well with its head where the tail should be, but a head is thicker.
double ends_differ(const Match& match) {
  for (std::size_t i = 0; i < match.tips.size(); ++i) {
    if (match.model->twins[i] != static_cast<int>(i) || match.parts.limbs[i].curve.points.size() < 3)
      continue;
    const double off = head_over_tail(match.parts, i) - head_over_tail(match.model->parts, i);
    return std::isfinite(off) ? std::clamp(-off, 0.0, 3.0) : 0;
  }
  return 0;
}

}  // namespace

double cost_of_extra_tip(const BodyMap& body, std::size_t tip, std::span<const std::size_t> seen) {
  return kExtraTip * beyond(body.apart, tip, seen) / body.diameter;
}

const Parts& Matcher::parts_of(std::size_t root, std::vector<std::size_t> tips) {
  const auto key = std::make_pair(root, std::move(tips));
  const auto found = cache_.find(key);
  if (found != cache_.end()) return found->second;
  return cache_.emplace(key, take_apart(body_, key.first, key.second, false)).first->second;
}

void Matcher::weigh(Match& match) {
  std::vector<std::size_t> tips;
  for (const int tip : match.tips)
    if (tip >= 0) tips.push_back(static_cast<std::size_t>(tip));
  std::sort(tips.begin(), tips.end());
  const Parts& found = parts_of(match.root, tips);
  // Into the template's order.
  match.parts.trunk = found.trunk;
  match.parts.rings = found.rings;
  match.parts.limbs.assign(match.tips.size(), {});
  for (std::size_t i = 0; i < match.tips.size(); ++i) {
    if (match.tips[i] < 0) continue;
    const auto k = static_cast<std::size_t>(
        std::find(tips.begin(), tips.end(), static_cast<std::size_t>(match.tips[i])) - tips.begin());
    match.parts.limbs[i] = found.limbs[k];
  }
  std::vector<Vec3> theirs, ours;
  std::vector<double> thick, thin;
  const Curve& trunk = match.model->parts.trunk;
  double hidden = 0;  // limbs that end before they leave the trunk
  double slid = 0;
  int limbs = 0;
  sample(trunk, 12, theirs, thick);
  sample(match.parts.trunk, 12, ours, thin);
  for (std::size_t i = 0; i < match.tips.size(); ++i) {
    const Curve &a = match.model->parts.limbs[i].curve, &b = match.parts.limbs[i].curve;
    if (match.tips[i] >= 0 && !a.empty() && b.empty()) hidden += kHidden;
    if (a.empty() || b.empty()) continue;
    const std::size_t first = theirs.size();
    sample(a, 8, theirs, thick);
    sample(b, 8, ours, thin);
    if (match.model->rings || !match.model->two_sided) continue;
    // As long as the body's limb, and leaving the trunk where it does: directions are compared.
    const double longer = b.length() / a.length() * trunk.length() / match.parts.trunk.length();
    const double from = trunk.at_level(match.model->parts.limbs[i].seam);
    const double to = match.parts.trunk.at_level(match.parts.limbs[i].seam) / match.parts.trunk.length();
    const Vec3 begin = a.points.front() + trunk.at(to * trunk.length()) - trunk.at(from);
    for (std::size_t k = first; k < theirs.size(); ++k) {
      theirs[k] = begin + kLoose * std::clamp(longer, 0.25, 4.0) * (theirs[k] - a.points.front());
      ours[k] = b.points.front() + kLoose * (ours[k] - b.points.front());
    }
    slid += std::pow(to - from / trunk.length(), 2);
    ++limbs;
  }
  if (limbs > 0) hidden += kSlide * std::sqrt(slid / limbs);
  if (!match.model->rings) hidden += kEnds * ends_differ(match) + (is_spine(*match.model) ? kSpine : 0);
  const Similarity fit = fit_similarity(theirs, ours);
  match.scale = fit.scale;
  if (!(match.scale > 0)) {
    match.cost = kNever;
    return;
  }
  match.rotation = fit.rotation;
  if (!match.model->rings) hidden += head_down(match);
  const bool chain = match.tips.size() < 2;
  match.places = chain ? 0 : fit.error;
  const double length_scale = match.parts.trunk.length() / match.model->parts.trunk.length();
  double sum = 0;
  int count = 0;
  for (std::size_t k = 0; k < thick.size(); ++k) {
    if (!(thick[k] > 0) || !(thin[k] > 0)) continue;
    // Level sets shrink on the lid of a tube, at one end or the other.
    if (chain && (k == 0 || k + 1 == thick.size())) continue;
    const double off =
        std::clamp(std::log(thin[k] / (thick[k] * (chain ? length_scale : match.scale))), -1.5, 1.5);
    sum += off * off;
    ++count;
  }
  match.radii = count > 0 ? std::sqrt(sum / count) : 1;
  match.cost = hidden + match.lengths + kAsymmetry * match.asymmetry + match.left_over +
               kPlaces * match.places + thickness_weight(*match.model) * match.radii +
               (chain                ? 7
                : match.model->rings ? 1
                                     : 5) *
                   kUpright * upright(match);
}

const std::vector<Candidate>& Matcher::candidates(const TemplateData& model) {
  const auto [at, fresh] = candidates_.try_emplace(&model);
  if (fresh) at->second = Assignments(body_, model).cheapest();
  return at->second;
}

double Matcher::least_cost(const TemplateData& model) {
  const std::vector<Candidate>& all = candidates(model);
  return all.empty() ? kNever : all[0].cost;
}

Match Matcher::best(const TemplateData& model) {
  Match best;
  best.cost = kNever;
  std::size_t looked_at = 0;
  for (const Candidate& candidate : candidates(model)) {
    if (candidate.cost >= best.cost || (++looked_at > kAtLeast && candidate.cost > kWorthless)) break;
    Match match;
    match.model = &model;
    match.root = candidate.root;
    match.tips = candidate.tips;
    match.lengths = candidate.lengths;
    match.asymmetry = candidate.asymmetry;
    match.left_over = candidate.left_over;
    weigh(match);
    if (match.cost < best.cost) best = std::move(match);
  }
  // Left and right have the same lengths, and not every way to tell them apart was among the cheapest.
  for (bool better = best.cost < kNever; better;) {
    better = false;
    for (std::size_t i = 0; i < best.tips.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        Match match = best;
        std::swap(match.tips[i], match.tips[k]);
        const Candidate other = told(match);
        if (std::abs(other.lengths - best.lengths) > 0.02) continue;
        match.asymmetry = other.asymmetry;
        weigh(match);
        if (match.cost < best.cost - 1e-9) {
          best = std::move(match);
          better = true;
        }
      }
  }
  return best;
}

Candidate Matcher::told(const Match& match) const {
  return Assignments(body_, *match.model).weighed(match);
}

void Matcher::add_minors(Match& match) const {
  std::vector<std::size_t> tips;
  std::vector<int> limb;  // of each of these
  for (std::size_t i = 0; i < match.tips.size(); ++i)
    if (match.tips[i] >= 0) {
      tips.push_back(static_cast<std::size_t>(match.tips[i]));
      limb.push_back(static_cast<int>(i));
    }
  Parts whole = take_apart(body_, match.root, tips, true);
  match.parts.rings = whole.rings;
  match.parts.minors = std::move(whole.minors);
  for (Part& minor : match.parts.minors)
    if (minor.parent >= 0) minor.parent = limb[static_cast<std::size_t>(minor.parent)];
}

}  // namespace sinew::autorig
