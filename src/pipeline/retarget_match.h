// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/rig/rig.h"
#include "sinew/skeleton/humanoid.h"

namespace sinew {

// A skeleton in its bind pose, in the world of its file.
struct RestBody {
  const Skeleton* skeleton = nullptr;
  std::vector<Affine3> local, global;
  std::vector<Quat> turns;  // the rotations of `global`
  std::optional<Humanoid> human;
  double height = 0;  // of the box of its joints, along the humanoid's up, else its longest side

  Vec3 head(int joint) const { return global[static_cast<std::size_t>(joint)].translation(); }
};
RestBody rest_body(const Rig& rig);

// Per joint the one that it hangs on though it is placed apart from it, else -1: a foot that controls lead hangs
// on the leg all the same.
std::vector<int> detached_joints(const RestBody& body);

// A joint of the target that moves as one of the source does, or between two.
struct Follower {
  std::size_t joint = 0;
  std::size_t source = 0, towards = 0;
  double share = 0;               // of the way from `source` to `towards`
  Quat align = Quat::Identity();  // from its own rest pose to the source's, target world
};

// The bones that are compared: joint to joint in both.
struct ComparedBone {
  int target_from, target_to, source_from, source_to;
};

struct BodyMatch {
  Quat to_target = Quat::Identity();  // from the source's world
  double scale = 1;
  std::vector<Follower> followers;  // each joint once
  std::vector<ComparedBone> bones;
};

// Humanoid to humanoid; both must be.
BodyMatch match_humans(const RestBody& source, const RestBody& target);
// By equal names.
BodyMatch match_names(const RestBody& source, const RestBody& target);

}  // namespace sinew
