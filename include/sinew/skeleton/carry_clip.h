// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/skeleton/clip.h"

namespace sinew {

/// A clip of one skeleton for another in the same body.
struct Retargeted {
  Clip clip;  ///< rotations of every matched joint, translation of the topmost one, scale where it is keyed
  std::size_t matched = 0;             ///< joints of the target that follow the source
  std::vector<std::string> unmatched;  ///< joints of the source that nothing follows
};

/// Per joint of `target` the joint of `source` with its name (exact, then ignoring case, blanks, '_', '-', '.'
/// and a prefix up to ':'); -1 where there is none, and for joints that do not deform.
std::vector<int> joints_by_name(const Skeleton& source, const Skeleton& target);

/// Of the similarities that take a frame of `from` to its partner in `to`, the one that brings all nearest to
/// theirs in the sum: the common one where most have one in common, however the others were posed.
Affine3 common_similarity(std::span<const Affine3> from, std::span<const Affine3> to);

/// A clip of a body that gets another skeleton: what a joint of `source` does to the flesh around it, the
/// joint of `target` with its name does. `source_bind` is where the source's joints lie in the body at rest
/// (bind_transforms of the rig), the rest pose of `target` lies in the same body; both need not agree. A world
/// that is turned or scaled against bind space is taken out: by the similarity that most joints have in common
/// between bind pose and rest pose. Exact at every key of the clip, with further keys where two lie over 1 /
/// `fps` apart. Joints keep their lengths but where the clip scales them, each along its own axes: exact for
/// scales that are equal along all three. kImpossible where no joint matches.
Result<Retargeted> carry_clip(const Clip& clip, const Skeleton& source, std::span<const Affine3> source_bind,
                              const Skeleton& target, double fps = 30);

/// How many joints a clip moves, and for how many of them `target` has a joint of that name.
struct MatchedJoints {
  std::size_t moved = 0, matched = 0;
};
MatchedJoints count_matched(const Clip& clip, const Skeleton& source, const Skeleton& target);

}  // namespace sinew
