// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "autorig/place.h"
#include "autorig/symmetry.h"

namespace sinew::autorig {

// Where a chain of bones along a curve has joints, between its ends: at every bend over 20 degrees
// [bian2018, Sec. 4], and where a stretch between two of them is more than five radii long, which
// would be too stiff, in equal pieces. Arc lengths, rising.
// least_bone: share of the curve up to which a straight stretch is one bone however thin it is. A limb bends where
// it shows bends, else in its middle, as legs, arms and feelers are rigged; a spine (0) bends everywhere.
std::vector<double> chain_joints(const Curve& curve, double least_bone = 0);
constexpr double kLimbBone = 0.5;

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
