// SPDX-License-Identifier: Apache-2.0
#include "autorig/tuning.h"

#include <initializer_list>
#include <limits>
#include <utility>

namespace sinew::autorig {
namespace {

constexpr Features kSurfaceLimbs = {
    1,     // kLengths
    1,     // kAsymmetry
    0.15,  // kOwnImage
    3,     // kNoImages: 0 on every body that is its own image and has its template
    0.45,  // kExtraLimbs
    0.12,  // kHeadLimbs
    0.05,  // kOddHorn
    0.6,   // kMissingLimbs
    0.3,   // kMissingTail: tails are short, or none
    0.1,   // kHalfPairs
    0.6,   // kPlaces
    0.15,  // kSeamShift
    0.15,  // kHiddenLimbs
    0.08,  // kThickness
    0.08,  // kThinHead
    0.12,  // kUpsideDown
    0.08,  // kOnItsSide
    0.05,  // kBackwards
    0.02,  // kTurned: settles what the shape cannot, a cylinder's lower end, a ball's front
    0,     // kConstant
};

constexpr Features with(Features weights, std::initializer_list<std::pair<Feature, double>> changes) {
  for (const auto& [feature, weight] : changes) weights[feature] = weight;
  return weights;
}

constexpr Tuning kSurface = {
    .limbs = kSurfaceLimbs,
    .spine = with(kSurfaceLimbs, {{kThickness, 0.048}, {kTurned, 0.028}, {kConstant, 0.04}}),
    .rod = with(kSurfaceLimbs, {{kThickness, 0.32}, {kTurned, 0.028}}),
    .major_tip = 0.045,
    .beam = 3000,
    .hopeless = std::numeric_limits<double>::infinity(),
    .partial_lengths = 0.4,
    .partial_missing = 0.03,
    .most_missing = 2,
    .stiffness = 0.15,
    .flexible = true,
    .most_scored = 48,
    .worthless = 0.4,
    .at_least = 4,
    .upright = true,
    .looks_again = true,
    .stop_early = false,
    .surely_worse = 0.1,
    .mediocre = 0.28,
    .stout_trunk = 5,
    .stout_spine = 10,
    .limbs_of_chain = 0.3,
    .most_chain = std::numeric_limits<double>::infinity(),  // that is FindOptions::most_chain_cost
};

// Rings must fit well: nothing may be longer, moved or upside down.
constexpr Features kRingLimbs = with(
    kSurfaceLimbs,
    {{kSeamShift, 0}, {kThinHead, 0}, {kUpsideDown, 0}, {kOnItsSide, 0}, {kBackwards, 0}, {kTurned, 0.004}});

constexpr Tuning rings_of(Tuning table) {
  table.limbs = kRingLimbs;
  table.spine = table.rod = with(kRingLimbs, {{kThickness, 0.24}, {kTurned, 0.028}});
  table.major_tip = 0.055;  // along curves that begin at the middle of what a limb grows on
  table.beam = 96;
  table.hopeless = 0.45;
  table.partial_lengths = 1;
  table.flexible = false;
  table.upright = false;
  table.looks_again = false;
  table.stop_early = true;
  table.mediocre = std::numeric_limits<double>::infinity();
  table.most_chain = 0.05;
  return table;
}

constexpr Tuning kRings = rings_of(kSurface);

}  // namespace

const Tuning& tuning(bool rings) {
  return rings ? kRings : kSurface;
}

const Features& weights_for(const TemplateData& model) {
  const Tuning& table = tuning(model.rings);
  return model.parts.limbs.size() > 1 ? table.limbs : is_spine(model) ? table.spine : table.rod;
}

}  // namespace sinew::autorig
