// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "autorig/body_map.h"
#include "autorig/limb_cut.h"

namespace sinew::autorig {

// A stretch of a body without forks: from a tip, or from where others meet, inwards to where it meets others.
struct Branch {
  int parent = -1;                    // the branch that it and others become; -1: it ends at the source
  int tip = -1;                       // index into the tips; -1: it begins where others meet
  double seam = 0;                    // distance from the source at which it ends
  std::vector<std::uint32_t> points;  // the farthest first; what has no tip belongs to what it joins
};

// The branches of some tips as seen from where distances begin; parents behind their children, and the last
// one holds the source. Unlike cut_limbs it keeps forks that lie behind one another apart: an arm that carries
// fingers is a branch. A tip that lies on the way from another one has none.
std::vector<Branch> branch_tree(const JoinTree& tree, std::span<const double> distance,
                                std::span<const std::uint32_t> tips);

// The curve of a branch, from the side of the root outwards; to a tip where it ends at one.
Curve branch_curve(const BodyMap& body, std::size_t root, const Branch& branch,
                   std::span<const std::uint32_t> tips);

// The curve of a limb measured from its own tip, up to where its rings widen, which may lie in the `trunk` that it grows
// on; empty where they widen all the way.
Curve curve_from_tip(const BodyMap& body, std::size_t root, const Branch& limb, const Branch& trunk,
                     std::span<const std::uint32_t> tips);

}  // namespace sinew::autorig
