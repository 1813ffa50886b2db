// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sinew/math/types.h"

namespace sinew {

/// A rigid transform as real + eps * dual: real is the rotation, dual = 1/2 translation * real. Of unit length
/// where real is and real . dual = 0; (real, dual) and its negative are the same transform.
struct DualQuat {
  Quat real = Quat::Identity();
  Quat dual = Quat(0, 0, 0, 0);
};

/// rotation must be of unit length.
DualQuat dual_quaternion(const Quat& rotation, const Vec3& translation);
/// The linear part must be a proper rotation.
DualQuat dual_quaternion(const Affine3& rigid);
/// q must be of unit length, here and below.
Affine3 rigid_transform(const DualQuat& q);

DualQuat operator*(const DualQuat& a, const DualQuat& b);  ///< b first, as with matrices
DualQuat inverse(const DualQuat& q);
Vec3 transform_point(const DualQuat& q, const Vec3& point);
Vec3 transform_vector(const DualQuat& q, const Vec3& vector);  ///< rotates only

/// Of unit length, the transform nearest along the line through q: the part of dual along real is taken out.
/// The identity where real is zero.
DualQuat normalised(const DualQuat& q);

/// The normalised sum of weight_i * (+-q_i), every sign chosen so that the rotation agrees with that of the
/// largest weight (the first of equals): past 180 degrees between two bones it goes the other way round.
/// [kavan2007]
DualQuat blend_rigid(std::span<const DualQuat> transforms, std::span<const double> weights);

}  // namespace sinew
