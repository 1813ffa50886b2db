// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "autorig/body_map.h"
#include "autorig/symmetry.h"

namespace sinew::autorig {

// Which tips are each other's image, told by the distances between tips alone, which hardly depend on the
// pose.
struct TipPairs {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;  // left and right, or the other way round
  std::vector<std::size_t> middle;                         // their own image
  double error = 0;  // root mean square of what distances differ by, relative to the diameter
};
// The way to pair the most tips, at least two pairs; no pairs where there is none. `middle` tips of the body
// are left out.
TipPairs find_tip_pairs(const BodyMap& body);

// Adds a point as a tip that is marked `middle`.
void add_tip(BodyMap& body, std::uint32_t point);

// Where ears or horns stand higher than the head, or it is broad, the head has no tip of its own. It is then
// the farthest point of the line that is as far from every left tip as from its right one. Adds at most two
// such points behind the other tips; they are marked `middle`, and only a root can be there. `horns` are
// pairs of tips between which it is looked for; from afar a horn is as far from left as from right as well.
void add_middle_tips(BodyMap& body, const TipPairs& sides,
                     const std::vector<std::pair<std::size_t, std::size_t>>& horns = {});

// As add_middle_tips, by the plane that makes the body its own image: the points of it that are farthest from the tips beside
// it, of which the nearest two do not count.
void add_tips_on(BodyMap& body, const Mirror& mirror);

// From one arm of a stout toy its other arm is the only tip: the point farthest from the first two, of its head or its
// feet, sees the others. Its number among the tips.
std::size_t add_tip_between(BodyMap& body);

}  // namespace sinew::autorig
