// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autorig/place.h"

namespace sinew::autorig {

// Of a chain of many joints whose head has several ends (jaws, a tongue): it begins at a much thicker one than the longest.
void take_thickest_head(const BodyMap& body, Match& match);

// Of a chain of many joints, a snake or a fish: its curve goes straight on past fins, which it would lean to.
void straighten_between_fins(const BodyMap& body, Match& match);

// Chains of bones for the limbs that a template has no joints for and that are long: fins, wings, trunks, horns,
// jaws. Adds them to `model`, a copy of the match's, and to `placed`; they hang on the joint that is nearest.
// Two of them that are as far from all tips as each other are images and are called Left and Right; where the
// template has no sides, its own joints then lie in the middle.
void add_extra_limbs(const BodyMap& body, const Match& match, TemplateData& model,
                     std::vector<PlacedJoint>& placed);

}  // namespace sinew::autorig
