// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sinew/math/types.h"

namespace sinew {

// Where a vertex is to go, world space: a handle of as-rigid-as-possible.
struct VertexTarget {
  std::uint32_t vertex = 0;
  Vec3 position = Vec3::Zero();
};

// Where a point handle is to go, world space.
struct HandleTarget {
  std::uint32_t handle = 0;
  Vec3 position = Vec3::Zero();
  Quat rotation = Quat::Identity();
};

}  // namespace sinew
