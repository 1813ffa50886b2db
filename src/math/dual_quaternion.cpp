// SPDX-License-Identifier: Apache-2.0
#include "sinew/math/dual_quaternion.h"

#include <algorithm>
#include <cassert>

namespace sinew {

DualQuat dual_quaternion(const Quat& rotation, const Vec3& translation) {
  const Vec3 half = translation / 2;
  return {rotation, Quat(0, half.x(), half.y(), half.z()) * rotation};
}

DualQuat dual_quaternion(const Affine3& rigid) {
  return dual_quaternion(Quat(Mat3(rigid.linear())).normalized(), rigid.translation());
}

namespace {

Vec3 translation_of(const DualQuat& q) {
  return 2 * (q.dual * q.real.conjugate()).vec();
}

}  // namespace

Affine3 rigid_transform(const DualQuat& q) {
  Affine3 result = Affine3::Identity();
  result.linear() = q.real.toRotationMatrix();
  result.translation() = translation_of(q);
  return result;
}

DualQuat operator*(const DualQuat& a, const DualQuat& b) {
  DualQuat product;
  product.real = a.real * b.real;
  product.dual.coeffs() = (a.real * b.dual).coeffs() + (a.dual * b.real).coeffs();
  return product;
}

DualQuat inverse(const DualQuat& q) {
  return {q.real.conjugate(), q.dual.conjugate()};
}

Vec3 transform_point(const DualQuat& q, const Vec3& point) {
  return q.real * point + translation_of(q);
}

Vec3 transform_vector(const DualQuat& q, const Vec3& vector) {
  return q.real * vector;
}

DualQuat normalised(const DualQuat& q) {
  const double length = q.real.norm();
  if (!(length > 0)) return {};
  DualQuat result;
  result.real.coeffs() = q.real.coeffs() / length;
  const Eigen::Vector4d dual = q.dual.coeffs() / length;
  result.dual.coeffs() = dual - dual.dot(result.real.coeffs()) * result.real.coeffs();
  return result;
}

DualQuat blend_rigid(std::span<const DualQuat> transforms, std::span<const double> weights) {
  assert(transforms.size() == weights.size());
  if (transforms.empty()) return {};
  const auto pivot =
      static_cast<std::size_t>(std::max_element(weights.begin(), weights.end()) - weights.begin());
  DualQuat sum{Quat(0, 0, 0, 0), Quat(0, 0, 0, 0)};
  for (std::size_t k = 0; k < transforms.size(); ++k) {
    const double sign = transforms[k].real.dot(transforms[pivot].real) < 0 ? -1 : 1;
    sum.real.coeffs() += sign * weights[k] * transforms[k].real.coeffs();
    sum.dual.coeffs() += sign * weights[k] * transforms[k].dual.coeffs();
  }
  return normalised(sum);
}

}  // namespace sinew
