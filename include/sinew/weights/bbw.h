// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/volume/handles.h"
#include "sinew/weights/bone_body.h"

namespace sinew {

/// Options of grid_bbw().
struct BbwOptions {
  int voxels = 0;           ///< cells along the longest side; 0: chosen by mesh and bones
  double tolerance = 1e-4;  ///< relative distance of the energy to its minimum at which the solver stops
  int max_iterations = 300;
  bool refine = true;  ///< groups of short bones (fingers) on finer grids of their own
  const Progress* progress = nullptr;
};

/// Bounded biharmonic weights at the vertices of a grid [jacobson2011bbw, kavan2012]: for each handle the w
/// that minimises 1/2 w' L M^-1 L w with 0 <= w <= 1, 1 at its own vertices and 0 at the other handles'. One
/// hierarchy for all handles. Bounds hold exactly; rows are not normalised.
struct GridBbw {
  Eigen::MatrixXd values;  ///< grid vertices x handles
  int iterations = 0;
  double residual = 0;  ///< estimated (energy - minimum) / energy of the worst handle
  std::vector<double> history;
};
Result<GridBbw> grid_bbw(const VoxelGrid& grid, const HandleMap& handles, const BbwOptions& options = {});

/// The same for bones, carried to the surface and normalised.
struct BbwWeights : BodyFigures {
  BoneWeights weights;
  double residual = 0;
};
Result<BbwWeights> bbw_weights(const BindInput& input, const BbwOptions& options = {});
/// The same in a body that is there already.
Result<BbwWeights> bbw_weights(const BindInput& input, const BoneBody& bones, const BbwOptions& options = {});

}  // namespace sinew
