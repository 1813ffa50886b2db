// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/skeleton/clip.h"

namespace sinew {

/// A clip made for one skeleton, played on another.
struct Retargeted {
  Clip clip;                ///< rotations of every matched joint, translation of the topmost matched one
  std::size_t matched = 0;  ///< joints of the target that follow the source
  std::vector<std::string> unmatched;  ///< joints of the source that nothing follows
};

/// Joints are matched by name (exact, then ignoring case, blanks, '_', '-', '.' and a prefix up to ':'). A
/// matched bone first turns to the direction that the source's bone has at rest, then moves with it, so that a
/// T pose drives an A pose. The root's path is scaled by the ratio of the skeletons' sizes. `fps` keys a
/// second. kImpossible where no joint matches.
Result<Retargeted> retarget_clip(const Clip& clip, const Skeleton& source, const Skeleton& target,
                                 double fps = 30);

/// A clip of a body that gets another skeleton: what a joint of `source` does to the flesh around it, the
/// joint of `target` with its name does. `source_bind` is where the source's joints lie in the body at rest
/// (bind_transforms of the rig), the rest pose of `target` lies in the same body; both need not agree. A world
/// that is turned or scaled against bind space is taken out: by the similarity that most joints have in common
/// between bind pose and rest pose. Exact at every key of the clip, with further keys where two lie over 1 /
/// `fps` apart. Joints keep their lengths; scale is left out. kImpossible where no joint matches.
Result<Retargeted> carry_clip(const Clip& clip, const Skeleton& source, std::span<const Affine3> source_bind,
                              const Skeleton& target, double fps = 30);

/// How many joints a clip moves, and for how many of them `target` has a joint of that name.
struct MatchedJoints {
  std::size_t moved = 0, matched = 0;
};
MatchedJoints count_matched(const Clip& clip, const Skeleton& source, const Skeleton& target);

}  // namespace sinew
