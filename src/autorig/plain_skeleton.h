// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autorig/place.h"
#include "autorig/symmetry.h"

namespace sinew::autorig {

// A skeleton that no template says anything about.
struct PlainSkeleton {
  TemplateData model;  // names, parents and images of the joints alone
  std::vector<PlacedJoint> placed;
  std::vector<Curve> curves;
  std::size_t rings = 0;
};

// The curve skeleton of a body with joints at its seams and bends; bones end at its tips. The root is where the
// body is thickest of all places where limbs meet. Joints are called by what they belong to (Trunk, Stem, Limb;
// Left and Right where there is a `mirror`) and count from the root outwards; limbs are numbered by their
// length. With a mirror, limbs that are each other's image get joints in the same places; a body without a tip on
// the plane gets one.
PlainSkeleton plain_skeleton(BodyMap& body, const std::optional<Mirror>& mirror);

}  // namespace sinew::autorig
