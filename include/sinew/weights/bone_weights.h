// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/mesh/poly_mesh.h"
#include "sinew/rig/skin_weights.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// What every weight method reads: a surface welded by position and the bones, both in bind space. Triangles
/// have three different corners; they need not be manifold, closed, oriented or free of zero area. Owned
/// elsewhere.
struct BindInput {
  MeshView surface;             ///< n vertices
  std::span<const Bone> bones;  ///< m > 0
  /// Per bone the one above it, -1 at a root (bone_parents); methods that need no hierarchy ignore it.
  std::span<const int> parents = {};
};

/// What every weight method gives. Rows of bound vertices are finite, in [0, 1] and sum to 1; a method that
/// has nothing to say about a vertex (no bone is visible from its island, say) leaves its row 0 and bound[i]
/// false, and the caller fills it.
struct BoneWeights {
  Eigen::MatrixXd values;           ///< n x m, a column a bone
  std::vector<std::uint8_t> bound;  ///< n
  std::size_t clamped = 0;          ///< values that had to be put into [0, 1]
  int iterations = 0;               ///< of an iterative solver; 0: none
};

/// Divides every row by its sum; rows without a positive sum become unbound.
void normalise_rows(BoneWeights& weights);

}  // namespace sinew
