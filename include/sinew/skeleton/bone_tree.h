// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// For every bone of bones_of the bone of the nearest deforming joint above its own; -1 where there is none.
std::vector<int> bone_parents(const Skeleton& skeleton);

/// Bones in an order in which parents come first. `parents` must be free of cycles.
std::vector<std::size_t> bone_order(std::span<const int> parents);

/// Per bone: 1 where it is `bone` itself or below it, so that it moves when that bone's joint turns.
std::vector<std::uint8_t> bones_below(std::span<const int> parents, std::size_t bone);

/// Where a joint's deformation is described: the origin at the joint, z along its bone (of a bone without
/// length: its parent's, else the world's z), x the axis in which the limb bends at rest, that is
/// perpendicular to the parent's bone and its own, or, where they are in line, the world's x or y without its
/// part along z.
struct JointFrame {
  Vec3 origin = Vec3::Zero();
  Mat3 axes = Mat3::Identity();  ///< columns x, y, z; a rotation
};
JointFrame joint_frame(std::span<const Bone> bones, std::span<const int> parents, std::size_t bone);

/// Keeps the bones of the joints that `kept` marks (by joint). A kept bone ends at the heads of the nearest
/// kept bones below it; one with none below keeps the ends that it had.
void keep_bones(std::span<const std::uint8_t> kept, std::vector<Bone>& bones, std::vector<int>& parents);

/// Where the segments of a bone end: bone.ends, or its tail alone. Valid as long as the bone.
std::span<const Vec3> segment_ends(const Bone& bone);

/// Per bone those whose heads' mean is its tail: its children, or the one that leads where their mean tells no
/// direction. Empty where it ends freely.
std::vector<std::vector<std::size_t>> tail_bones(std::span<const Bone> bones, std::span<const int> parents);

/// The point of a bone's segments that is nearest to p: at share t of the way from the head to an end.
struct PointOnBone {
  std::size_t end = 0;  ///< index into segment_ends
  double t = 0;
  Vec3 point = Vec3::Zero();
};
PointOnBone nearest_on_bone(const Bone& bone, const Vec3& p);
double distance_to_bone(const Bone& bone, const Vec3& p);

/// The length of the longest segment.
double reach_of(const Bone& bone);

/// The bone nearest to p; of several that meet in the nearest point the first, whatever rounding says about
/// them. 0 where there is none.
std::size_t nearest_bone(const Vec3& p, std::span<const Bone> bones);

}  // namespace sinew
