// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/volume/handles.h"
#include "sinew/weights/bone_body.h"

namespace sinew {

/// Options of grid_harmonic().
struct HarmonicVolumeOptions {
  int voxels = 0;           ///< cells along the longest side; 0: chosen by mesh and bones
  double tolerance = 1e-8;  ///< of the solver, relative
  const Progress* progress = nullptr;
};

/// Harmonic weights at the vertices of a grid [vanlommel2008, Sec. 7.2]: 1 at the own handle's vertices, 0 at
/// the other handles', no flux through the surface, and Laplace's equation between. All values lie in [0, 1]
/// exactly; rows sum to 1 up to the tolerance, and are 0 in parts of the body without a handle.
struct GridHarmonic {
  Eigen::MatrixXd values;  ///< grid vertices x handles
  int iterations = 0;
  double residual = 0;
};
Result<GridHarmonic> grid_harmonic(const VoxelGrid& grid, const HandleMap& handles,
                                   const HarmonicVolumeOptions& options = {});

/// The same for bones, carried to the surface and normalised.
struct HarmonicVolumeWeights : BodyFigures {
  BoneWeights weights;
  double residual = 0;
};
Result<HarmonicVolumeWeights> harmonic_volume_weights(const BindInput& input,
                                                      const HarmonicVolumeOptions& options = {});
/// The same in a body that is there already.
Result<HarmonicVolumeWeights> harmonic_volume_weights(const BindInput& input, const BoneBody& bones,
                                                      const HarmonicVolumeOptions& options = {});

}  // namespace sinew
