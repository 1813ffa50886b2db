// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/binding/islands.h"
#include "sinew/core/progress.h"
#include "sinew/core/result.h"
#include "sinew/core/settings.h"
#include "sinew/rig/rig.h"

namespace sinew {

/// What to do: the parameters of make_joint_weights().
struct JointWeightsRequest {
  /// Method of swing and twist weights: elastic, elastic-dqs, lsq or lsq-nonnegative; or skin: sums of the
  /// rig's own weights.
  std::string method = "elastic";
  int influences = 4;      ///< maximum influences per vertex
  int voxels = 0;          ///< cells along the longest side of the solid voxel grid; 0: chosen by the mesh
  Settings settings = {};  ///< of elastic weights: one-weight, swing-samples, twist-samples, twist-weights
  IslandRequest islands = {};  ///< as in BindRequest
  const Progress* progress = nullptr;
};

/// What make_joint_weights() did.
struct JointWeightsReport {
  double seconds = 0;
  double pruning_error = 0;  ///< largest sum of deformer weights that `influences` cut from a vertex
  std::size_t voxels = 0;    ///< grid vertices
  std::size_t clamped = 0;   ///< values clamped to [0, 1]
  int iterations = 0;        ///< largest number of iterations of a joint
  std::vector<std::string> warnings;
};

/// Computes rig.joint_weights, d, s and t of [kavan2012, Alg. 1], for the joints in bind space. Islands that
/// follow the body take its joint weights where they touch it. Blends are kept. Cost: a second for `skin`,
/// several for `elastic` on a body with fingers.
/// @param rig      must have skin weights; unchanged on failure
/// @param request  method, influences, resolution
/// @return kUsage: unknown method. kImpossible: nothing deforms, or no skin weights. kBadInput: no usable
///         triangle.
Result<JointWeightsReport> make_joint_weights(Rig& rig, const JointWeightsRequest& request = {});
/// The same on an existing surface and solid voxel grid.
class BindingContext;
Result<JointWeightsReport> make_joint_weights(Rig& rig, BindingContext& context,
                                              const JointWeightsRequest& request);

}  // namespace sinew
