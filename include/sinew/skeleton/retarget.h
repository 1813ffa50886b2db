// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/skeleton/clip.h"

namespace sinew {

// A clip made for one skeleton, played on another.
struct Retargeted {
  Clip clip;                // rotations of every matched joint, translation of the topmost matched one
  std::size_t matched = 0;  // joints of the target that follow the source
  std::vector<std::string> unmatched;  // joints of the source that nothing follows
};

// Joints are matched by name (exact, then ignoring case, blanks, '_', '-', '.' and a prefix up to ':'). A
// matched bone first turns to the direction that the source's bone has at rest, then moves with it, so that a
// T pose drives an A pose. The root's path is scaled by the ratio of the skeletons' sizes. `fps` keys a
// second. kImpossible where no joint matches.
Result<Retargeted> retarget_clip(const Clip& clip, const Skeleton& source, const Skeleton& target,
                                 double fps = 30);

}  // namespace sinew
