// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/volume/trilinear.h"
#include "sinew/weights/bbw.h"

namespace sinew {

/// Which joints take part in deformer weights: one a bone, in the order of the bones, at the bone's head. The
/// ends of a bone are its own joint and the joints of the bones that begin where it ends, its children (all of
/// them, where the skeleton branches: each leaves the bone rigid). A leaf's tail is no joint; its only end is
/// its own. A joint that moves everything, a lone root with children, has nothing to blend between and takes
/// no part.
struct BoneEnds {
  std::vector<std::vector<std::uint32_t>> of_bone;  ///< per bone: its own number, then its children's
};
BoneEnds bone_ends(const Skeleton& skeleton, std::span<const Bone> bones);

/// Deformer weights d at the vertices of a grid [kavan2012, Sec. 3.3]: bounded biharmonic weights of the
/// joints as points, then 0 on the vertices of a bone for all joints but its ends, and rows divided by their
/// sums. In between, the rule of the bones goes over smoothly: each joint's weight is multiplied by the sum of
/// the harmonic weights of the bones that it ends. Without that, the small lobes that biharmonic weights have
/// far from their handles (2 % of the hips at the knee) move the flesh by as much of a large motion.
struct GridDeformerWeights {
  Eigen::MatrixXd values;           ///< grid vertices x bones (joints): in [0, 1], rows sum to 1
  std::vector<int> bone_of_vertex;  ///< the bone that a grid vertex is rigid with, or -1
  std::size_t outside = 0;          ///< joints outside the body, which hold its nearest cell
  std::vector<std::size_t> merged;  ///< joints whose cell is also others', which hold one vertex of it each
  std::size_t filled =
      0;  ///< vertices that no joint reaches, or none of their bone's ends: the nearest joint
  int iterations = 0;
  double residual = 0;
};
Result<GridDeformerWeights> grid_deformer_weights(const VoxelGrid& grid, const Skeleton& skeleton,
                                                  std::span<const Bone> bones,
                                                  const BbwOptions& options = {});

/// The same carried to a surface. The grid comes along for deformers that are evaluated on it.
struct DeformerWeights {
  VoxelGrid grid;
  GridDeformerWeights on_grid;
  TrilinearWeights transfer;  ///< T, from the grid to the surface
  BoneWeights weights;        ///< on the surface; every row is bound
};
Result<DeformerWeights> deformer_weights(const BindInput& input, const Skeleton& skeleton,
                                         const BbwOptions& options = {});

}  // namespace sinew
