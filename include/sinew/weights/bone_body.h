// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/volume/handles.h"
#include "sinew/volume/voxelize.h"
#include "sinew/weights/bone_weights.h"

namespace sinew {

// The voxel body of a surface, as fine as weights need it. `voxels`: cells along the longest side; 0: chosen
// by mesh and bones.
Result<VoxelBody> make_voxel_body(const BindInput& input, int voxels, const Progress* progress);

// The same, and the vertices that its bones hold: what weights, joint weights and the elastic body stand on.
struct BoneBody {
  VoxelBody body;
  HandleMap handles;
};
Result<BoneBody> make_bone_body(const BindInput& input, int voxels, const Progress* progress);

// What a user should know about how mesh and bones fit the grid.
struct BodyFigures {
  std::size_t grid_vertices = 0, bones_outside = 0, bones_merged = 0;
  bool sheet = false;  // the mesh encloses nothing: the cells that it passes through are the body
};
BodyFigures body_figures(const BoneBody& bones);

// Weights on the grid's vertices carried to the surface, rows normalised.
BoneWeights carry_to_surface(const BoneBody& bones, const BindInput& input, const Eigen::MatrixXd& values);

}  // namespace sinew
