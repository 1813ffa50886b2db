// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>

#include "sinew/rig/rig.h"

namespace sinew {

// The centre about which a vertex turns: the mean of the heads of those influencing joints whose nearest
// deforming ancestor influences it as well, weighted by the product of both weights. nullopt without such a
// pair. heads: per joint.
std::optional<Vec3> centre_of_row(const Skeleton& skeleton, std::span<const Vec3> heads,
                                  std::span<const Influence> row);

}  // namespace sinew
