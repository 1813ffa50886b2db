// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "sinew/mesh/winding_number.h"

namespace sinew {

// The winding number of triangles about a point, four triangles at a time; the same bits on every processor.
double winding_number(std::span<const WindingNumber::Node> nodes, const WindingNumber::Pack* packs,
                      const Vec3& point) noexcept;

}  // namespace sinew
