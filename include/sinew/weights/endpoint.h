// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/weights/bone_weights.h"

namespace sinew {

/// How endpoint weights are computed.
enum class EndpointMethod {
  kProjection,       ///< where the foot of the perpendicular on the bone lies
  kInverseDistance,  ///< from point weights at the joints: by distance alone,
  kHeat,             ///< by heat on the surface,
  kBbw,              ///< bounded biharmonic in the solid voxel grid
};

/// Options of endpoint_weights().
struct EndpointOptions {
  EndpointMethod method = EndpointMethod::kProjection;
  int voxels = 0;  ///< kBbw: cells along the longest side; 0: chosen by mesh and joints
  const Progress* progress = nullptr;
};

/// The result of endpoint_weights().
struct EndpointFields {
  Eigen::MatrixXd values;  ///< n x m in [0, 1], a column a bone: 0 belongs to its head, 1 to its tail
  std::size_t filled = 0;  ///< vertices that no joint reached by this method: projected instead
};

/// Endpoint weights of every vertex for every bone [jacobson2011], whatever its weights. Point methods place a
/// handle on every joint where bones begin or end, and make e = ((1 - q_head) + q_tail) / 2 of the handles'
/// weights q: 0 at the head and 1 at the tail where q interpolates. Fails as the method does that makes q.
Result<EndpointFields> endpoint_weights(const BindInput& input, const EndpointOptions& options = {});

/// The same for one point and bone, by projection: clamp((p - a).(b - a) / |b - a|^2, 0, 1); 0 for a bone
/// without length.
double endpoint_by_projection(const Bone& bone, const Vec3& p);

}  // namespace sinew
