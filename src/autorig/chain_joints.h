// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sinew/autorig/curve.h"

namespace sinew::autorig {

// Where a chain of bones along a curve has joints, between its ends: at every bend over 20 degrees
// [bian2018, Sec. 4], and where a stretch between two of them is more than five radii long, which
// would be too stiff, in equal pieces. Arc lengths, rising.
// least_bone: share of the curve up to which a straight stretch is one bone however thin it is. A limb bends where
// it shows bends, else in its middle, as legs, arms and feelers are rigged; a spine (0) bends everywhere.
std::vector<double> chain_joints(const Curve& curve, double least_bone = 0);
constexpr double kLimbBone = 0.5;
constexpr double kSlenderBone = 5;  // radii: a thigh is about so long

}  // namespace sinew::autorig
