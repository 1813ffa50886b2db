// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "autorig/template_data.h"

namespace sinew::autorig {

// A way to give a template's tips partners, by the distances between tips alone.
struct Candidate {
  double cost = 0, lengths = 0, asymmetry = 0, left_over = 0;
  std::size_t root = 0;
  std::vector<int> tips;
};

// What a tip that no limb of the template stands for adds to the cost: how far it sticks out of the tree that
// `seen` tips span.
double cost_of_extra_tip(const BodyMap& body, std::size_t tip, std::span<const std::size_t> seen);

// The cheapest first, no more than are worth a look at curves.
std::vector<Candidate> cheapest_assignments(const BodyMap& body, const TemplateData& model);
// What one of them costs. `tips` as in Match.
Candidate weighed_assignment(const BodyMap& body, const TemplateData& model, std::size_t root,
                             std::span<const int> tips);

// What the figure of asymmetry counts.
constexpr double kAsymmetry = 1;

}  // namespace sinew::autorig
