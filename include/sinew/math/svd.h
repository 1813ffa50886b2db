// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/math/types.h"

namespace sinew {

/// What needs a singular value decomposition. Each takes a compiler several seconds to instantiate from
/// Eigen's templates, so the library does it here and nowhere else.

/// Falling, none negative. M must be finite.
Vec3 singular_values(const Mat3& M);

/// The rotation of a transform without its scale and shear, U V^T of the decomposition, always proper.
/// polar_decomposition gives the same up to rounding, and the stretch beside it.
Mat3 rotation_part(const Affine3& transform);

/// The rotation by the least angle that takes the direction of `from` into that of `to`; of a zero vector it
/// is no unit quaternion. Differs from least_rotation in rounding, and in the axis where directions are
/// opposite.
Quat shortest_arc(const Vec3& from, const Vec3& to);

}  // namespace sinew
