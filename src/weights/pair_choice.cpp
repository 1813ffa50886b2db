// SPDX-License-Identifier: Apache-2.0
#include "weights/pair_choice.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace sinew::weights_detail {
namespace {

// Joints of one place in the tree get one number: children of parents of one place that have as many joints below
// them. So left and right limbs are alike. Joints come in any order.
std::vector<std::size_t> places_in_tree(std::span<const int> parents) {
  std::vector<std::size_t> below(parents.size(), 0), depth(parents.size(), 0), order(parents.size());
  for (std::size_t j = 0; j < parents.size(); ++j)
    for (int above = parents[j]; above >= 0; above = parents[static_cast<std::size_t>(above)]) {
      ++below[static_cast<std::size_t>(above)];
      ++depth[j];
    }
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return depth[a] < depth[b]; });
  std::vector<std::size_t> places(parents.size(), 0);
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
  for (const std::size_t j : order) {
    const std::size_t above = parents[j] >= 0 ? places[static_cast<std::size_t>(parents[j])] + 1 : 0;
    places[j] = known.try_emplace({above, below[j]}, known.size()).first->second;
  }
  return places;
}

}  // namespace

std::vector<std::uint8_t> affordable(std::span<const PairOffer> offers, std::span<const int> parents,
                                     double least, double granted) {
  struct Place {
    double gain = 1, cost = 0;
    bool taken = false;
  };
  const std::vector<std::size_t> places = places_in_tree(parents);
  std::map<std::size_t, Place> sums;
  for (const PairOffer& offer : offers) {
    Place& place = sums[places[offer.child]];
    place.gain = std::max(place.gain, offer.gain);
    place.cost += offer.cost;
  }
  std::vector<Place*> order;
  for (auto& [number, place] : sums) order.push_back(&place);
  std::stable_sort(order.begin(), order.end(),
                   [](const Place* a, const Place* b) { return a->gain > b->gain; });
  for (Place* place : order) {
    place->taken = place->gain > least && place->cost <= granted;
    if (place->taken) granted -= place->cost;
  }
  std::vector<std::uint8_t> taken;
  for (const PairOffer& offer : offers) taken.push_back(sums[places[offer.child]].taken);
  return taken;
}

}  // namespace sinew::weights_detail
