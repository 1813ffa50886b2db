// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "autorig/assignments.h"

namespace sinew::autorig {

// A template laid over a body: which tip is which, and how well that fits.
struct Match {
  const TemplateData* model = nullptr;
  std::size_t root = 0;   // major tip of the body
  std::vector<int> tips;  // per limb of the template: a major tip of the body, -1: the body has none
  Parts parts;            // of the body; limbs in the template's order, those it lacks are empty
  Features features{};    // what differs
  double cost = 0;
  Mat3 rotation = Mat3::Identity();  // from template to body
  double scale = 1;
};

// The best way to lay one template over the body; cost is infinite where there is none.
class Matcher {
 public:
  explicit Matcher(const BodyMap& body) : body_(body) {}
  Match best(const TemplateData& model);
  // No less than this will it cost, by the distances between tips alone: a small part of the work of best().
  double least_cost(const TemplateData& model);
  // Looks for the body's fingers, toes and ears, too.
  void add_minors(Match& match) const;

 private:
  const std::vector<Candidate>& candidates(const TemplateData& model);
  const Parts& parts_of(std::size_t root, std::vector<std::size_t> tips);
  void score(Match& match);
  const BodyMap& body_;
  std::map<const TemplateData*, std::vector<Candidate>> candidates_;
  std::map<std::pair<std::size_t, std::vector<std::size_t>>, Parts> cache_;
};

}  // namespace sinew::autorig
