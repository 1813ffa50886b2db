// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/core/result.h"
#include "weights/flesh_body.h"
#include "weights/pair_energy.h"

namespace sinew::weights_detail {

// Fields for joints and their parents that turn together, for those pairs that need them most.
Result<std::vector<GridPair>> solve_pairs(const Body& whole, const FittedJoints& joints,
                                          std::span<const FleshFigures> figures);

}  // namespace sinew::weights_detail
