// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/joint_parts.h"

namespace sinew {

Trs joint_parts(const Affine3& local, const std::optional<Trs>& stored) {
  if (!stored) return decompose(local);
  Trs parts = *stored;
  parts.translation = local.translation();
  const Mat3 linear = local.linear();
  if ((compose(parts).linear() - linear).norm() <= 1e-7 * linear.norm()) return parts;
  // Mirrored back along the same axes, what is left is the rotation of someone who thinks in these parts.
  const Vec3 mirror = (stored->scale.array() < 0).select(-Vec3::Ones(), Vec3::Ones());
  Affine3 unmirrored = local;
  unmirrored.linear() = linear * mirror.asDiagonal();
  if (!(unmirrored.linear().determinant() > 0)) return decompose(local);
  parts = decompose(unmirrored);
  parts.scale = parts.scale.cwiseProduct(mirror);
  return parts;
}

Trs rest_parts_of(const Joint& joint) {
  return joint_parts(joint.rest_local, joint.rest_parts);
}

}  // namespace sinew
