// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sinew/binding/bind.h"
#include "sinew/pipeline/auto_rig.h"

namespace sinew {

/// What became of a search for the skeleton of a rig's mesh.
struct SkeletonFor {
  FoundSkeleton found;     ///< where nothing fits, `skeleton` is empty and `problem` says why
  bool stretched = false;  ///< a template that was named and does not fit was stretched into the mesh's box
  bool given = false;      ///< the rig has a skeleton now
};

/// Finds a skeleton for the rig's mesh by the template that is named, or by the one that fits best, and gives
/// it to the rig, whose old skeleton, weights and clips go. Where nothing fits and no template was named, the
/// rig stays as it is. kBadInput: no mesh. Other errors as of auto_skeleton.
Result<SkeletonFor> find_skeleton_for(Rig& rig, const SkeletonRequest& request);

/// A joint where a user put it.
struct JointPlace {
  std::string name;
  int parent = -1;
  Vec3 head;                 ///< world space, in the rig's own pose
  std::optional<Vec3> tail;  ///< the same; nullopt: as bones_of says
};

/// Puts the rig's joints there; weights go, since they were made for other places. Where these are the rig's
/// own joints, all of them or those that deform, by name and parent, each is moved alone, its children stay
/// where they are, and it keeps its axes, its tail where none is given, and the clips and keys that name it;
/// joints that do not deform stay. Else they become the rig's skeleton, with axes parallel to the world's, and
/// clips go too. kBadInput: places that are not finite, parents that do not exist, a cycle.
Result<void> place_joints(Rig& rig, std::span<const JointPlace> places);

/// What `rig` makes beside the weights, so that every deformer finds what it needs: endpoint weights and joint
/// weights by these methods.
inline constexpr const char* kRigEndpoint = "projection";
inline constexpr const char* kRigJointWeights = "elastic";

/// A built-in character's skeleton, stretched from its own mesh's box into `box`. kUsage: no such template.
Result<Skeleton> fit_template(const std::string& name, const Box3& box);

}  // namespace sinew
