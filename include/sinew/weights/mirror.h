// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/mesh/poly_mesh.h"
#include "sinew/rig/skin_weights.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// Options of mirror_weights().
struct MirrorOptions {
  int axis = 0;               ///< the plane is x, y or z = centre
  bool from_positive = true;  ///< the side that is copied
  double tolerance = 1e-4;    ///< of the mesh's diagonal: nearer to the plane a vertex is on it
};

/// The result of mirror_weights().
struct Mirrored {
  SkinWeights weights;
  std::vector<int> partner;            ///< per joint: its mirror image, itself in the middle
  double centre = 0;                   ///< of the plane
  std::size_t copied = 0, middle = 0;  ///< vertices
};

/// Where the plane lies: at the mean of the heads of joints that have a partner by name, else at the middle of
/// the mesh's box.
double mirror_plane(MeshView mesh, const Skeleton& skeleton, std::span<const Affine3> globals, int axis);

/// The joint on the other side, by name (Left/Right, L/R, .l/.r …) and else by place: itself where its head
/// lies on the plane. -1: none.
std::vector<int> mirror_joints(const Skeleton& skeleton, std::span<const Affine3> globals, int axis,
                               double centre, double tolerance);

/// Copies the weights of one side of the mesh to the other, at the mirrored nearest points; vertices on the
/// plane become symmetric. The plane is that of mirror_plane(). kImpossible: a joint that carries weight has no
/// partner.
Result<Mirrored> mirror_weights(MeshView mesh, const SkinWeights& weights, const Skeleton& skeleton,
                                std::span<const Affine3> globals, const MirrorOptions& options = {});

}  // namespace sinew
