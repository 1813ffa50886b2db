// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "sinew/math/polar.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// The parts of a joint's transform. Those `stored` where their rotation and scale make its linear part (also
/// with a zero scale, which the matrix alone cannot undo); else decompose(), mirrored along the axes that
/// `stored` mirrors where that fits. The translation is always that of `local`.
Trs joint_parts(const Affine3& local, const std::optional<Trs>& stored);

/// The parts of the rest transform.
Trs rest_parts_of(const Joint& joint);

}  // namespace sinew
