// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/deform/deformer.h"
#include "sinew/rig/handles.h"

namespace sinew {

/// How the transforms of point handles are blended.
enum class PointsForm {
  kArap,            ///< proximal vertices follow the handles, the rest is as rigid as possible [luo2015]
  kLinear,          ///< all vertices by linear blending of the handles' transforms
  kDualQuaternion,  ///< the same by dual quaternions
};

/// Options of build_points().
struct PointsOptions {
  std::vector<HandleTarget> targets =
      {};  ///< handles that go elsewhere, where the frame's controls name none
  PointsForm form = PointsForm::kArap;
  int iterations = 6;
  /// Vertices that hang on the handles: no farther from one than this many times the distance of its nearest
  /// vertex; at a joint whose bone begins there, of the nearest in each direction round the joint.
  double radius = 1.25;
  double weight = 2;  ///< or with at least this much weight of one handle; above 1: none
};

/// Point handles [luo2015]. A handle moves as its joint does, or as `targets` say, and blends by the weights
/// of rig.points. Rigid bending comes from the energy that holds vertices between the handles. Every frame
/// begins at the linear blend. kImpossible: the rig has no handles. kUsage: a handle that is not there.
Result<std::unique_ptr<Deformer>> build_points(const Rig& rig, const PointsOptions& options = {});

/// The vertices that follow the handles by themselves.
std::vector<std::uint32_t> proximal_vertices(const Rig& rig, const PointsOptions& options = {});

}  // namespace sinew
