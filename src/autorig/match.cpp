// SPDX-License-Identifier: Apache-2.0
#include "autorig/match.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autorig/tuning.h"

namespace sinew::autorig {
namespace {

constexpr double kNoMatch = std::numeric_limits<double>::infinity();
constexpr double kSameLengths = 0.02;  // by so much may they differ where two limbs change places

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
  Overlay overlay{match.model, &match.parts, match.tips};
  if (!overlay_features(overlay, match.features)) {
    match.cost = kNoMatch;
    return;
  }
  match.scale = overlay.scale;
  match.rotation = overlay.rotation;
  match.features[kThinHead] = thin_head(*match.model, match.parts);
  match.features[kUpsideDown] = upside_down(*match.model, match.rotation);
  match.features[kOnItsSide] = on_its_side(*match.model, match.rotation);
  match.features[kBackwards] = backwards(*match.model, match.parts, match.rotation);
  match.features[kTurned] = turn_from_template(*match.model, match.parts, match.rotation);
  match.cost = autorig::score(weights_for(*match.model), match.features);
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
  const Tuning& table = tuning(model.rings);
  for (const Candidate& candidate : candidates(model)) {
    if (candidate.cost >= best.cost || (++looked_at > table.at_least && candidate.cost > table.worthless))
      break;
    Match match;
    match.model = &model;
    match.root = candidate.root;
    match.tips = candidate.tips;
    match.features = candidate.features;
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
        const Candidate other = score_assignment(body_, model, match.root, match.tips);
        if (std::abs(other.features[kLengths] - best.features[kLengths]) > kSameLengths) continue;
        match.features[kAsymmetry] = other.features[kAsymmetry];
        score(match);
        if (match.cost < best.cost - 1e-9) {
          best = std::move(match);
          better = true;
        }
      }
  }
  return best;
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
