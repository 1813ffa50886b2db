// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/binding/surface.h"
#include "sinew/pipeline/compare.h"

namespace sinew {

// A pose to compare in, as the frame's matrices.
struct ComparePose {
  std::string name;
  std::vector<Affine3> globals, matrices;  // per joint
};
// Bends and twists of the joints asked for, or of all that cells of this size resolve (a note counts the
// others), then moments of the first clip.
Result<std::vector<ComparePose>> compare_poses(const Rig& rig, const Surface& surface, double cell_size,
                                               const CompareRequest& request,
                                               std::vector<std::string>& warnings);

}  // namespace sinew
