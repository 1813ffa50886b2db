// SPDX-License-Identifier: Apache-2.0
#include "sinew/math/swing_twist.h"

#include <cmath>

#include "sinew/math/quaternion.h"

namespace sinew {
namespace {

Quat upper(const Quat& q) {
  return q.w() < 0 ? Quat(-q.coeffs()) : q;
}

}  // namespace

SwingTwist swing_twist(const Quat& q, const Vec3& axis) {
  const double along = q.vec().dot(axis);
  const double length = std::hypot(q.w(), along);
  SwingTwist result;
  // Below the bound the twist's direction is rounding noise of a half-turn swing.
  if (length < 1e-12) {
    result.swing = upper(q);
    return result;
  }
  result.twist.w() = q.w() / length;
  result.twist.vec() = along / length * axis;
  result.twist = upper(result.twist);
  result.swing = upper(q * result.twist.conjugate());
  return result;
}

double twist_angle(const Quat& twist, const Vec3& axis) {
  const Quat q = upper(twist);
  return 2 * std::atan2(q.vec().dot(axis), q.w());
}

Quat twist_power(const Quat& twist, double fraction) {
  return exp_rotation(fraction * log_rotation(twist));
}

Quat twist_power_fast(const Quat& twist, double fraction) {
  const Quat q = upper(twist);
  // Along the chord from the identity to q the angle runs too slowly at the ends. The correction is odd about
  // the middle and zero at both ends; its two coefficients, quadratics in cos(angle / 2), are a minimax fit
  // of ours.
  const double w = q.w(), h = fraction - 0.5;
  const double a = 0.85030 + w * (-1.09424 + w * 0.25989);
  const double b = 1.03854 + w * (-2.53102 + w * 1.56698);
  const double u = fraction + fraction * h * (fraction - 1) * (a + b * h * h);
  Quat result;
  result.w() = 1 - u + u * w;
  result.vec() = u * q.vec();
  result.coeffs() /= result.norm();
  return result;
}

}  // namespace sinew
