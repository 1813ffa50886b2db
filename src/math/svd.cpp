// SPDX-License-Identifier: Apache-2.0
#include "sinew/math/svd.h"

#include <Eigen/SVD>

namespace sinew {

Vec3 singular_values(const Mat3& M) {
  return Eigen::JacobiSVD<Mat3>(M).singularValues();
}

Mat3 rotation_part(const Affine3& transform) {
  return transform.rotation();
}

Quat shortest_arc(const Vec3& from, const Vec3& to) {
  return Quat::FromTwoVectors(from, to);
}

}  // namespace sinew
