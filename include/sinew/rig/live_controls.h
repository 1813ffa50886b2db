// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sinew/rig/handles.h"

namespace sinew {

/// What a hand has moved of a rig, a frame's input beside the pose, so that dragging builds nothing anew.
struct LiveControls {
  std::vector<std::vector<Vec3>>
      cages;                          ///< per cage of the rig: its control points, bind space; empty: at rest
  std::vector<HandleTarget> handles;  ///< point handles that go elsewhere than their joint does
};

}  // namespace sinew
