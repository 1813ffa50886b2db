// SPDX-License-Identifier: Apache-2.0
#include "sinew/math/polar.h"

#include <Eigen/SVD>

namespace sinew {

Polar polar_decomposition(const Mat3& M) {
  const Eigen::JacobiSVD<Mat3> svd(M, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Vec3 signs = Vec3::Ones();
  if (svd.matrixU().determinant() * svd.matrixV().determinant() < 0) signs.z() = -1;
  Polar result;
  result.rotation = svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose();
  result.stretch =
      svd.matrixV() * signs.cwiseProduct(svd.singularValues()).asDiagonal() * svd.matrixV().transpose();
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
