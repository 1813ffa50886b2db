// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_document.h"
#include "io/gltf_skin.h"

namespace sinew::gltf {

// What was found in the weights of all skinned primitives.
struct WeightReport {
  std::size_t normalised = 0, not_numbers = 0, negative = 0, unweighted = 0, influences = 0;
  double max_row_error = 0;  // of the sums as stored, over rows that have any weight
};

// JOINTS_n and WEIGHTS_n of a primitive: accessors of equal count, n rising from 0.
struct WeightSets {
  std::vector<int> joints, weights;
};
// Empty where the primitive has none. kBadInput where they do not fit the primitive's vertices.
Result<WeightSets> find_weight_sets(GltfDocument& document, const Json& attributes, std::uint64_t vertices,
                                    const std::string& place);

// Appends one row per vertex: joints of the rig, merged, largest first, sum 1 or empty. Weights that are NaN
// or negative count as 0; an index out of range is refused unless its weight is 0. Messages start with a
// blank.
Result<void> append_rows(const GltfDocument& document, const WeightSets& sets, const BoundSkin& skin,
                         SkinWeights& weights, WeightReport& report);

// Appends `count` rows that hang on one joint.
void append_rigid_rows(std::uint32_t joint, std::size_t count, SkinWeights& weights);

}  // namespace sinew::gltf
