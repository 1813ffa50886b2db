// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "sinew/volume/handles.h"
#include "sinew/weights/bone_body.h"

namespace sinew {

// What weights on a grid start from: handles hold their vertices, and parts of the body without any handle
// are held at 0 as a whole, since nothing there says what the weights are.
struct HeldGrid {
  std::vector<std::uint8_t> fixed;  // per grid vertex
  Eigen::MatrixXd start;            // grid vertices x handles: 1 at the own vertices, 0 elsewhere
  std::size_t unreached = 0;        // vertices of parts without a handle
};
HeldGrid hold_handles(const VoxelGrid& grid, const HandleMap& handles);

}  // namespace sinew
