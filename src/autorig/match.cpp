// SPDX-License-Identifier: Apache-2.0
#include "autorig/match.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autorig/similarity.h"

namespace sinew::autorig {
namespace {

constexpr double kNoMatch = std::numeric_limits<double>::infinity();
constexpr double kPlaces = 0.6, kRadii = 0.08;
constexpr double kHiddenLimb = 0.15;  // a limb that ends before it leaves the trunk
constexpr double kSlide = 0.15;       // limbs that leave the trunk elsewhere, in terms of its length
constexpr double kLoose = 0.5;        // how much of a limb's direction counts: limbs move
constexpr double kEnds = 0.08;        // a head thinner than the tail, as a logarithm
constexpr double kHeadDown = 0.12;
constexpr double kSpine = 0.04;      // what a chain for every thickness costs beside one that fits
constexpr double kUpright = 0.004;   // settles what the shape cannot: a cylinder's lower end, a ball's front
constexpr double kWorthless = 0.4;   // what costs more by the lengths alone is looked at only if it is one of
constexpr std::size_t kAtLeast = 4;  // these

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
    if (match.model->mirror_limbs[i] != static_cast<int>(i) || match.parts.limbs[i].curve.points.size() < 3)
      continue;
    const double off = head_over_tail(match.parts, i) - head_over_tail(match.model->parts, i);
    return std::isfinite(off) ? std::clamp(-off, 0.0, 3.0) : 0;
  }
  return 0;
}

}  // namespace

const Parts& Matcher::parts_of(std::size_t root, std::vector<std::size_t> tips) {
  const auto key = std::make_pair(root, std::move(tips));
  const auto found = cache_.find(key);
  if (found != cache_.end()) return found->second;
  return cache_.emplace(key, take_apart(body_, key.first, key.second, false)).first->second;
}

void Matcher::score(Match& match) {
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
  std::vector<Vec3> of_template, of_body;
  std::vector<double> thick, thin;
  const Curve& trunk = match.model->parts.trunk;
  double penalty = 0;  // limbs that end before they leave the trunk
  double slid = 0;
  int limbs = 0;
  sample(trunk, 12, of_template, thick);
  sample(match.parts.trunk, 12, of_body, thin);
  for (std::size_t i = 0; i < match.tips.size(); ++i) {
    const Curve &a = match.model->parts.limbs[i].curve, &b = match.parts.limbs[i].curve;
    if (match.tips[i] >= 0 && !a.empty() && b.empty()) penalty += kHiddenLimb;
    if (a.empty() || b.empty()) continue;
    const std::size_t first = of_template.size();
    sample(a, 8, of_template, thick);
    sample(b, 8, of_body, thin);
    if (match.model->rings || !match.model->two_sided) continue;
    // As long as the body's limb, and leaving the trunk where it does: directions are compared.
    const double longer = b.length() / a.length() * trunk.length() / match.parts.trunk.length();
    const double from = trunk.at_level(match.model->parts.limbs[i].seam);
    const double to = match.parts.trunk.at_level(match.parts.limbs[i].seam) / match.parts.trunk.length();
    const Vec3 begin = a.points.front() + trunk.at(to * trunk.length()) - trunk.at(from);
    for (std::size_t k = first; k < of_template.size(); ++k) {
      of_template[k] = begin + kLoose * std::clamp(longer, 0.25, 4.0) * (of_template[k] - a.points.front());
      of_body[k] = b.points.front() + kLoose * (of_body[k] - b.points.front());
    }
    slid += std::pow(to - from / trunk.length(), 2);
    ++limbs;
  }
  if (limbs > 0) penalty += kSlide * std::sqrt(slid / limbs);
  if (!match.model->rings) penalty += kEnds * ends_differ(match) + (is_spine(*match.model) ? kSpine : 0);
  const Similarity fit = fit_similarity(of_template, of_body);
  match.scale = fit.scale;
  if (!(match.scale > 0)) {
    match.cost = kNoMatch;
    return;
  }
  match.rotation = fit.rotation;
  if (!match.model->rings) penalty += head_down(match);
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
  match.cost = penalty + match.lengths + kAsymmetry * match.asymmetry + match.left_over +
               kPlaces * match.places + thickness_weight(*match.model) * match.radii +
               (chain                ? 7
                : match.model->rings ? 1
                                     : 5) *
                   kUpright * upright(match);
}

const std::vector<Candidate>& Matcher::candidates(const TemplateData& model) {
  const auto [at, fresh] = candidates_.try_emplace(&model);
  if (fresh) at->second = cheapest_assignments(body_, model);
  return at->second;
}

double Matcher::least_cost(const TemplateData& model) {
  const std::vector<Candidate>& all = candidates(model);
  return all.empty() ? kNoMatch : all[0].cost;
}

Match Matcher::best(const TemplateData& model) {
  Match best;
  best.cost = kNoMatch;
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
    score(match);
    if (match.cost < best.cost) best = std::move(match);
  }
  // Left and right have the same lengths, and not every way to tell them apart was among the cheapest.
  for (bool better = best.cost < kNoMatch; better;) {
    better = false;
    for (std::size_t i = 0; i < best.tips.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        Match match = best;
        std::swap(match.tips[i], match.tips[k]);
        const Candidate other = told(match);
        if (std::abs(other.lengths - best.lengths) > 0.02) continue;
        match.asymmetry = other.asymmetry;
        score(match);
        if (match.cost < best.cost - 1e-9) {
          best = std::move(match);
          better = true;
        }
      }
  }
  return best;
}

Candidate Matcher::told(const Match& match) const {
  return weighed_assignment(body_, *match.model, match.root, match.tips);
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
