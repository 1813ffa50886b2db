// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sinew/rig/handles.h"

namespace sinew {

// What a hand has moved of a rig. Deformers built with it read it in every frame, so that dragging builds
// nothing anew. Changed between frames alone.
struct LiveControls {
  std::vector<std::vector<Vec3>>
      cages;                          // per cage of the rig: its control points, bind space; empty: at rest
  std::vector<HandleTarget> handles;  // point handles that go elsewhere than their joint does
};

}  // namespace sinew
