// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/core/result.h"
#include "sinew/core/settings.h"
#include "sinew/rig/rig.h"

namespace sinew {

struct JointWeightsRequest {
  /// What makes swing and twist: elastic, elastic-dqs, lsq or lsq-nonnegative, or skin: sums of the rig's own
  /// weights.
  std::string method = "elastic";
  int influences = 4;      ///< joints a vertex keeps at most
  int voxels = 0;          ///< cells along the longest side of the voxel body; 0: chosen by the mesh
  Settings settings = {};  ///< of elastic weights: one-weight, swing-samples, twist-samples, twist-weights
  bool follow = true;      ///< as of BindRequest: islands that move with the body under them
  std::vector<std::size_t> linked = {};
  const Progress* progress = nullptr;
};

struct JointWeightsReport {
  double seconds = 0;
  double pruning_error = 0;  ///< largest sum of shares that `influences` cut from a vertex
  std::size_t voxels = 0;    ///< grid vertices
  std::size_t clamped = 0;   ///< values put into [0, 1]
  int iterations = 0;        ///< most steps of a joint
  std::vector<std::string> warnings;
};

/// Gives rig.joint_weights, d, s and t of [kavan2012]'s algorithm 1, for the joints in bind space. The rig
/// must have skin weights. Islands that follow the body take its joint weights where they touch it. Blends are
/// kept. kUsage: unknown method. kImpossible: nothing deforms, or no skin weights. kBadInput: no usable
/// triangle. The rig is unchanged on failure.
Result<JointWeightsReport> make_joint_weights(Rig& rig, const JointWeightsRequest& request = {});
/// The same on a surface and a voxel body that are there already.
class BindingContext;
Result<JointWeightsReport> make_joint_weights(Rig& rig, BindingContext& context,
                                              const JointWeightsRequest& request);

}  // namespace sinew
