// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/math/types.h"

namespace sinew {

/// Unit quaternions as rotations: q and -q are the same one. Inputs need to be of unit length except where
/// said.

/// The rotation by |vector| radians about `vector`, and its inverse: log gives the shortest rotation vector,
/// at most pi long.
Quat exp_rotation(const Vec3& vector);
Vec3 log_rotation(const Quat& q);

/// From a (t = 0) to b (t = 1) at constant speed, the shorter way round. Accurate for nearly equal rotations;
/// of opposite ones (180 degrees apart) it takes one of the two ways.
Quat slerp_shortest(const Quat& a, const Quat& b, double t);

/// The normalised sum of weight_i * (+-q_i), every sign chosen to agree with the rotation of the largest
/// weight (the first of equals). The identity where there is none or the sum vanishes. Has no constant speed
/// between two rotations: slerp has.
Quat blend_rotations(std::span<const Quat> rotations, std::span<const double> weights);

/// q of unit length; the identity where q is zero or not finite.
Quat normalised_or_identity(const Quat& q);

/// The rotation by the least angle that takes the direction of `from` into that of `to` (any lengths).
/// Opposite directions: half a turn about an axis perpendicular to them. The identity where a vector is zero.
Quat least_rotation(const Vec3& from, const Vec3& to);

}  // namespace sinew
