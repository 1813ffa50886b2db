// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/math/types.h"

namespace sinew {

/// q = swing * twist: the twist turns about `axis` (of unit length) and comes first, the swing turns about an
/// axis perpendicular to it. Where the swing is half a turn any twist would do; then it is the identity. Both
/// are unit quaternions with w >= 0, for q and -q alike. [kavan2012]
struct SwingTwist {
  Quat swing = Quat::Identity();
  Quat twist = Quat::Identity();
};
SwingTwist swing_twist(const Quat& q, const Vec3& axis);

/// The angle of a twist about `axis`, radians in [-pi, pi].
double twist_angle(const Quat& twist, const Vec3& axis);

/// The twist by `fraction` of its angle (the shorter way round), for any fraction: q^fraction.
Quat twist_power(const Quat& twist, double fraction);

/// The same without trigonometry, for fractions in [0, 1]: the angle is off by less than 0.001 radians at half
/// a turn, much less for smaller ones; exact at 0, 1/2 and 1. The only root is that of the normalisation, so
/// kernels can do it in SIMD.
Quat twist_power_fast(const Quat& twist, double fraction);

}  // namespace sinew
