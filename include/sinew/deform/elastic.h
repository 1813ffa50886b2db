// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"
#include "sinew/volume/elastic.h"

namespace sinew {

/// What the elastic deformer stands on.
struct ElasticSetup {
  VoxelGrid grid;
  std::vector<int> joint_of_vertex;  ///< per grid vertex: the joint that it is rigid with, or -1: free
  SkinWeights start;                 ///< per grid vertex: linear blend weights of a first guess
  std::vector<float> stiffness;      ///< per cell, or empty: 1
  ElasticOptions options = {};
};

/// The elastic reference as a deformer [kavan2012, Sec. 3.1]: every frame the grid's vertices settle where
/// their corotational energy is least while those of the bones follow the pose; the mesh goes along by
/// trilinear interpolation, shape keys turned with their cell; vertices outside the body follow the nearest
/// point of it, or, where it is farther than a cell, their skin weights. It starts from the frame before or
/// from linear blending, whichever has less energy. Unlike the others it allocates while it runs, and takes as
/// long as a solve does. kImpossible: a part of the body has no bone. kBadInput: sizes that do not fit.
Result<std::unique_ptr<Deformer>> build_elastic(const Rig& rig, ElasticSetup setup);

}  // namespace sinew
