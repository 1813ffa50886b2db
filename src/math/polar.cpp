// SPDX-License-Identifier: Apache-2.0
#include "sinew/math/polar.h"

#include "sinew/math/rotation_fit.h"

namespace sinew {

Polar polar_decomposition(const Mat3& M) {
  Polar result;
  result.rotation = fit_rotation(M).toRotationMatrix();
  const Mat3 stretch = result.rotation.transpose() * M;
  result.stretch = 0.5 * (stretch + stretch.transpose());
  return result;
}

Affine3 compose(const Trs& parts) {
  Affine3 transform = Affine3::Identity();
  transform.linear() = parts.rotation.toRotationMatrix() * parts.scale.asDiagonal();
  transform.translation() = parts.translation;
  return transform;
}

Trs decompose(const Affine3& transform) {
  // Mirrored back first, the linear part is rotation * positive stretch, and the polar rotation is unique
  // unless singular.
  const Mat3 linear = transform.linear();
  Vec3 mirror = Vec3::Ones();
  if (linear.determinant() < 0) mirror.x() = -1;
  const Polar polar = polar_decomposition(linear * mirror.asDiagonal());
  Trs parts;
  parts.translation = transform.translation();
  parts.rotation = Quat(polar.rotation).normalized();
  parts.scale = polar.stretch.diagonal().cwiseProduct(mirror);
  return parts;
}

}  // namespace sinew
