// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace sinew {

// So many matrices side by side.
struct RotationLanes {
  static constexpr std::size_t kCount = 64;
  alignas(64) float m[9][kCount];  // column-major entries, any size
  alignas(64) float q[4][kCount];  // w, x, y, z, any length
  alignas(64) float good[kCount];  // 1 where q is certified
};

// q and good from m, the same bits on every instruction set.
void fit_lanes(RotationLanes& lanes) noexcept;

}  // namespace sinew
