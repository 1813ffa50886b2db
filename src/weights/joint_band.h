// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/volume/handles.h"
#include "sinew/volume/subgrid.h"

namespace sinew::weights_detail {

// Where one joint's rotation makes flesh bend: the cells in which the harmonic weight of what lies below it
// is neither 0 nor 1, as a grid of their own. Elsewhere its weight is 0 or 1 and no cell costs energy.
struct JointBand {
  SubGrid part;
  std::vector<std::uint8_t> fixed;  // per vertex of the part
  Eigen::VectorXd start;            // the harmonic weight there, 0 or 1 where fixed
  Eigen::VectorXd whole;            // the same on the vertices of the whole grid
  bool empty() const { return part.vertices.empty(); }
};

// harmonic: of all bones; below: of bones_below; reached: per grid vertex, whether its part of the body has a
// bone. Harmonic weights within `cut` of 0 or 1 count as that.
JointBand joint_band(const VoxelGrid& grid, const HandleMap& handles, std::span<const std::uint8_t> below,
                     const Eigen::MatrixXd& harmonic, std::span<const std::uint8_t> reached, double cut);

}  // namespace sinew::weights_detail
