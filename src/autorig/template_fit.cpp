// SPDX-License-Identifier: Apache-2.0
#include "autorig/template_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autorig/body_mirrors.h"
#include "autorig/tuning.h"

namespace sinew::autorig {
namespace {

std::vector<Curve> curves_of(const Parts& parts) {
  std::vector<Curve> curves = {parts.trunk};
  for (const Part& limb : parts.limbs)
    if (!limb.curve.empty()) curves.push_back(limb.curve);
  for (const Part& minor : parts.minors) curves.push_back(minor.curve);
  return curves;
}

// The plain tree of the body, for a mesh that no template fits.
Parts all_parts(const BodyMap& body) {
  std::vector<std::size_t> tips;
  for (std::size_t i = 1; i < body.major.size(); ++i)
    if (!body.major[i].middle) tips.push_back(i);
  return take_apart(body, 0, tips);
}

TemplateCost figures_of(const std::string& name, const Match& match) {
  TemplateCost cost{name, match.cost, {}};
  if (match.model == nullptr) return cost;
  for (std::size_t k = 0; k < kFeatureCount; ++k)
    cost.features.push_back({kFeatureNames[k], match.features[k]});
  return cost;
}

// What a template that fits shows of its body.
void describe(Fitted& fitted, FoundSkeleton& found) {
  Matcher(fitted.body).add_minors(fitted.match);
  found.curves = curves_of(fitted.match.parts);
  found.rings = fitted.match.parts.rings;
  found.name = fitted.match.model->name;
}

// A chain must be one: a ball has two ends as well.
bool too_stout(const Match& match) {
  if (match.tips.size() != 1) return false;
  const Tuning& table = tuning(match.model->rings);
  const double least = is_spine(*match.model) ? table.stout_spine : table.stout_trunk;
  return match.parts.trunk.length() < least * match.parts.trunk.middle_radius();
}

// A chain is in any body. A body with left and right has legs for fingers.
double most_cost(const Match& match, const FindOptions& options) {
  if (match.tips.size() == 1) return std::min(options.most_cost, options.most_chain_cost);
  if (match.model != nullptr && !match.model->two_sided)
    return std::min(options.most_cost, options.most_one_sided_cost);
  return std::numeric_limits<double>::infinity();
}

// The template that fits best; `second` is the cost of the next one. They are looked at in the order of what
// they cost at least, and by rings only while they can still come near the best: what is left of `tried` then
// holds the least.
Result<Match> best_match(const BodyMap& body, std::span<const TemplateData* const> templates,
                         const FindOptions& options, double& second, std::vector<TemplateCost>& tried) {
  Matcher matcher(body);
  Match best;
  best.cost = second = std::numeric_limits<double>::infinity();
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < templates.size(); ++k) {
    order.push_back(k);
    tried.push_back({templates[k]->name, matcher.least_cost(*templates[k]), {}});
    if (is_cancelled(options.progress)) return cancelled();
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return tried[a].cost < tried[b].cost; });
  for (const std::size_t k : order) {
    const Tuning& table = tuning(templates[k]->rings);
    if (table.stop_early && tried[k].cost > best.cost + table.surely_worse) {
      second = std::min(second, tried[k].cost);
      break;
    }
    Match match = matcher.best(*templates[k]);
    if (too_stout(match) || (match.tips.size() == 1 && match.cost > options.most_chain_cost))
      match.cost = std::numeric_limits<double>::infinity();
    tried[k] = figures_of(templates[k]->name, match);
    if (!std::isfinite(match.cost)) continue;
    const bool better = match.cost < best.cost && match.cost < most_cost(match, options);
    second = std::min(second, better ? best.cost : match.cost);
    if (better) best = std::move(match);
    if (is_cancelled(options.progress)) return cancelled();
  }
  return best;
}

// Whether no limb is at a tip, and the root is nearer to it than any.
bool is_left_over(const BodyMap& body, const Match& match, std::size_t tip) {
  const auto apart = [&](std::size_t other) {
    return body.apart(static_cast<Eigen::Index>(tip), static_cast<Eigen::Index>(other));
  };
  if (tip == match.root || body.major[tip].middle) return false;
  return std::none_of(match.tips.begin(), match.tips.end(), [&](int other) {
    return other >= 0 && apart(static_cast<std::size_t>(other)) <= apart(match.root);
  });
}

// Horns stand higher than a head, which only shows once the legs are known.
void look_between(Fitted& fitted, std::vector<TemplateCost>& tried) {
  const Match& match = fitted.match;
  if (!tuning(fitted.body.graph.rings).looks_again || !std::isfinite(match.cost) || !match.model->two_sided)
    return;
  const TipPairs sides = sides_of(match);
  const std::size_t before = fitted.body.major.size();
  if (sides.pairs.size() < 2) return;
  add_middle_tips(fitted.body, sides);
  // The root's tip may be a horn; the other one is nearer to it than to any limb.
  for (std::size_t tip = 0; tip < before; ++tip)
    if (is_left_over(fitted.body, match, tip)) add_middle_tips(fitted.body, sides, {{match.root, tip}});
  if (fitted.body.major.size() == before) return;
  Match other = Matcher(fitted.body).best(*match.model);
  if (!(other.cost < match.cost)) return;
  for (TemplateCost& one : tried)
    if (one.name == other.model->name) one = figures_of(one.name, other);
  fitted.match = std::move(other);
}

// A broad head has no tip of its own, and where tips alone do not tell what is left and right, the mesh does.
Result<void> look_on_plane(std::span<const TemplateData* const> templates, const FindOptions& options,
                           Fitted& fitted, std::vector<TemplateCost>& tried) {
  if (fitted.match.cost < tuning(false).mediocre || templates.empty() || fitted.body.mirrors.empty())
    return {};
  BodyMap body = fitted.body;
  add_tips_on(body, body.mirrors.front());
  if (body.major.size() == fitted.body.major.size()) return {};
  std::vector<TemplateCost> costs;
  double second = 0;
  SINEW_TRY(Match match, best_match(body, templates, options, second, costs));
  if (!(match.cost < fitted.match.cost)) return {};
  fitted.body = std::move(body);
  fitted.match = std::move(match);
  fitted.second = second;
  tried = std::move(costs);
  return {};
}

}  // namespace

Result<Fitted> fit_templates(BodyMap body, std::span<const TemplateData* const> templates,
                             const FindOptions& options, const FindMirrors& find_mirrors,
                             FoundSkeleton& found) {
  Fitted fitted;
  fitted.body = std::move(body);
  if (fitted.body.major.size() < 2)
    return impossible("the mesh has no two ends between which a skeleton could lie");
  const bool sides =
      std::any_of(templates.begin(), templates.end(), [](const auto* one) { return one->two_sided; });
  if (sides && tuning(fitted.body.graph.rings).looks_again) fitted.body.mirrors = find_mirrors(fitted.body);
  SINEW_TRY(fitted.match, best_match(fitted.body, templates, options, fitted.second, found.tried));
  look_between(fitted, found.tried);
  SINEW_CHECK(look_on_plane(templates, options, fitted, found.tried));
  fitted.most = std::min(options.most_cost, most_cost(fitted.match, options));
  if (!fitted.fits()) {
    const Parts parts = all_parts(fitted.body);
    found.curves = curves_of(parts);
    found.rings = parts.rings;
    found.problem = "no template fits this body";
    return fitted;
  }
  describe(fitted, found);
  return fitted;
}

Result<bool> fit_chain(std::span<const TemplateData* const> templates, FindOptions options, Fitted& fitted,
                       FoundSkeleton& found) {
  std::vector<const TemplateData*> chains;
  for (const TemplateData* one : templates)
    if (is_spine(*one)) chains.push_back(one);
  if (chains.empty() || !tuning(fitted.body.graph.rings).looks_again || fitted.body.major.size() < 2)
    return false;
  options.most_chain_cost = std::max(options.most_chain_cost, 2 * (1 - kSure) * options.most_cost);
  std::vector<TemplateCost> tried;
  double second = 0;
  SINEW_TRY(Match match, best_match(fitted.body, chains, options, second, tried));
  if (!std::isfinite(match.cost) || match.features[kExtraLimbs] > tuning(false).limbs_of_chain) return false;
  fitted.match = std::move(match);
  fitted.most = std::min(options.most_cost, most_cost(fitted.match, options));
  describe(fitted, found);
  return fitted.fits();
}

}  // namespace sinew::autorig
