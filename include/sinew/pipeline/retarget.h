// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/core/progress.h"
#include "sinew/rig/rig.h"
#include "sinew/skeleton/clip.h"

namespace sinew {

struct RetargetRequest {
  double fps = 30;        ///< keys a second
  bool keep_feet = true;  ///< on the ground where the source's are
  const Progress* progress = nullptr;
};

/// A clip made for one rig, for another.
struct RetargetedClip {
  Clip
      clip;  ///< rotations of the joints that follow, the path of the hips; feet that hang apart have paths too
  std::size_t frames = 0;
  std::size_t matched = 0;             ///< joints of the target that follow
  std::vector<std::string> unmatched;  ///< joints of the source that nothing follows
  bool humanoid = false;               ///< matched as humanoids; else by equal names alone
  std::size_t contacts = 0;  ///< how often a foot of the source stands; where there is none, the slides are 0
  double foot_slide = 0;     ///< how far a foot slides in a contact, in the mean, over the target's height
  double worst_slide = 0;    ///< the same in the worst contact
  double mean_degrees = 0;   ///< between bones of the target and of the source, over limbs and frames
  std::string worst_joint;   ///< the joint whose bone is off most, in the mean over frames
  double worst_degrees = 0;
};

/// Plays a clip of `source` on `target`, whatever their proportions, rest poses, axes and facing. Humanoids are
/// matched joint by joint (skeleton/humanoid.h), spines and necks of different numbers of joints by their
/// share of the way; other skeletons by equal names. Bones first turn to the direction that the source's have
/// at rest, then move with them; the path of the pelvis is scaled by the length of the legs; feet that stand
/// are held in place by two-bone inverse kinematics, and the hips lowered where legs are too short for it.
/// Rest poses are the bind poses where there is a skin. kImpossible: fewer than ten joints of a humanoid match,
/// or none of another body; the sentence lists them. O(frames * joints).
Result<RetargetedClip> retarget(const Clip& clip, const Rig& source, const Rig& target,
                                const RetargetRequest& request = {});

/// The same for clips of `source`, by name or index; no names: all of them. kBadInput: it has none.
Result<std::vector<RetargetedClip>> retarget_clips(const Rig& source, std::span<const std::string> names,
                                                   const Rig& target, const RetargetRequest& request = {});

/// Adds a clip; one whose name the rig has already gets a number behind it. Returns its index.
std::size_t add_clip(Rig& rig, Clip clip);

}  // namespace sinew
