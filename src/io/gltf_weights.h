// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "io/gltf_document.h"
#include "io/gltf_skin.h"

namespace sinew::gltf {

// What was found in the weights of all skinned primitives.
struct WeightReport {
  std::size_t normalised = 0, not_numbers = 0, negative = 0, unweighted = 0, influences = 0;
  std::size_t odd_endpoints = 0;  // endpoint weights that are no numbers or lie outside [0, 1]
  std::size_t borrowed = 0;       // vertices that take the weights of another, their own being no numbers
  double max_row_error = 0;       // of the sums as stored, over rows that have any weight
  std::vector<std::uint32_t> off_rows,
      lost_rows;  // vertices that were normalised; of which no weight is a number
};

// JOINTS_n and WEIGHTS_n of a primitive: accessors of equal count, n rising from 0; _SINEW_ENDPOINT_n beside
// them, or -1.
struct WeightSets {
  std::vector<int> joints, weights, endpoints;
  std::vector<int> twists;  // _SINEW_ENDPOINT_TWIST_n, or -1

  bool has_endpoints() const { return has_any(endpoints); }
  bool has_twists() const { return has_endpoints() && has_any(twists); }
  static bool has_any(const std::vector<int>& list) {
    return std::any_of(list.begin(), list.end(), [](int index) { return index >= 0; });
  }
};
// Empty where the primitive has none. kBadInput where they do not fit the primitive's vertices.
Result<WeightSets> find_weight_sets(GltfDocument& document, const Json& attributes, std::uint64_t vertices,
                                    const std::string& place);

// Appends one row per vertex: joints of the rig, merged, largest first, sum 1 or empty. Weights that are NaN
// or negative count as 0; a vertex that loses all its weights so takes those of the nearest of `positions`
// that has any. An index out of range is refused unless its weight is 0. Messages start with a blank.
Result<void> append_rows(const GltfDocument& document, const WeightSets& sets, const BoundSkin& skin,
                         std::span<const Vec3> positions, SkinWeights& weights, WeightReport& report);

// The endpoint weights of the rows that append_rows has just made, from vertex `first` on; fills `values`
// with zeros up to there. What is no number counts as 0, what lies outside [0, 1] is put into it.
// `list` is sets.endpoints or sets.twists.
Result<void> append_endpoints(const GltfDocument& document, const WeightSets& sets,
                              const std::vector<int>& list, const BoundSkin& skin, const SkinWeights& weights,
                              std::size_t first, std::vector<float>& values, WeightReport& report);

// Appends `count` rows that hang on one joint.
void append_rigid_rows(std::uint32_t joint, std::size_t count, SkinWeights& weights);

}  // namespace sinew::gltf
