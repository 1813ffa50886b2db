// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/rig/rig.h"

namespace sinew {

/// What became of a rest pose.
struct TPose {
  double degrees = 0;  ///< the largest rotation of an arm joint
  double rms = 0;      ///< of the frames of all clips, against the rig before; over the mesh's diagonal
};

/// Brings a humanoid with linear blend skinning into a T pose: arms and hands point to the sides, at right angles
/// to the body. Mesh, normals and shape keys are skinned there, and the T pose becomes bind and rest pose. Clips
/// move the joints as before; where several joints share a vertex its position differs, by `rms` in the mean.
/// Drivers go: they were made for the old rest pose. kImpossible: no humanoid. Cost: linear.
Result<TPose> make_t_pose(Rig& rig);

}  // namespace sinew
