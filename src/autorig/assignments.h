// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "autorig/features.h"

namespace sinew::autorig {

// A way to give a template's tips partners, by the distances between tips alone.
struct Candidate {
  double cost = 0;
  Features features{};
  std::size_t root = 0;
  std::vector<int> tips;  // as in Match
};

// The cheapest first, no more than are worth a look at curves.
std::vector<Candidate> cheapest_assignments(const BodyMap& body, const TemplateData& model);
// The features of one of them and what these cost.
Candidate score_assignment(const BodyMap& body, const TemplateData& model, std::size_t root,
                           std::span<const int> tips);

}  // namespace sinew::autorig
