// SPDX-License-Identifier: Apache-2.0
#include "sinew/math/quaternion.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sinew {
namespace {

// A unit vector perpendicular to v (of unit length).
Vec3 any_perpendicular(const Vec3& v) {
  int smallest = 0;
  v.cwiseAbs().minCoeff(&smallest);
  return v.cross(Vec3::Unit(smallest)).normalized();
}

}  // namespace

Quat exp_rotation(const Vec3& vector) {
  const double angle = vector.norm();
  // sin(a/2)/a; the series is exact to the last bit below the bound.
  const double factor = angle < 1e-4 ? 0.5 - angle * angle / 48 : std::sin(angle / 2) / angle;
  Quat q;
  q.w() = std::cos(angle / 2);
  q.vec() = factor * vector;
  return q;
}

Vec3 log_rotation(const Quat& q) {
  const double sine = q.vec().norm(), cosine = std::abs(q.w());
  const double sign = q.w() < 0 ? -1 : 1;
  if (sine < 1e-8) return sign * 2 / std::max(cosine, 1e-300) * q.vec();
  return sign * 2 * std::atan2(sine, cosine) / sine * q.vec();
}

Quat slerp_shortest(const Quat& a, const Quat& b, double t) {
  const double sign = a.dot(b) < 0 ? -1 : 1;
  const Eigen::Vector4d near = sign * b.coeffs();
  // The angle from the chord and its complement keeps its digits at both ends, where acos of the dot product
  // loses them.
  const double angle = 2 * std::atan2((a.coeffs() - near).norm(), (a.coeffs() + near).norm());
  Quat result;
  if (angle < 1e-6)
    result.coeffs() = (1 - t) * a.coeffs() + t * near;
  else
    result.coeffs() = (std::sin((1 - t) * angle) * a.coeffs() + std::sin(t * angle) * near) / std::sin(angle);
  return normalised_or_identity(result);
}

Quat blend_rotations(std::span<const Quat> rotations, std::span<const double> weights) {
  assert(rotations.size() == weights.size());
  if (rotations.empty()) return Quat::Identity();
  const auto pivot =
      static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  Eigen::Vector4d sum = Eigen::Vector4d::Zero();
  for (std::size_t k = 0; k < rotations.size(); ++k) {
    const double sign = rotations[k].dot(rotations[pivot]) < 0 ? -1 : 1;
    sum += sign * weights[k] * rotations[k].coeffs();
  }
  return normalised_or_identity(Quat(sum));
}

Quat normalised_or_identity(const Quat& q) {
  const double largest = q.coeffs().cwiseAbs().maxCoeff();
  if (!(largest > 1e-300) || !q.coeffs().allFinite()) return Quat::Identity();
  Quat result;
  result.coeffs() = (q.coeffs() / largest).normalized();
  return result;
}

Quat least_rotation(const Vec3& from, const Vec3& to) {
  const Vec3 a = from.stableNormalized(), b = to.stableNormalized();
  if (!(a.squaredNorm() > 0.5 && b.squaredNorm() > 0.5)) return Quat::Identity();
  // Twice the half-way vector turns a into b; it vanishes, with its direction, only where they are opposite.
  const Vec3 half = a + b;
  const double length = half.norm();
  Quat q;
  if (length < 1e-8) {
    q.w() = 0;
    q.vec() = any_perpendicular(a);
    return q;
  }
  q.w() = a.dot(half) / length;
  q.vec() = a.cross(half) / length;
  return q.normalized();
}

}  // namespace sinew
