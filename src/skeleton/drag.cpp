// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/drag.h"

#include <Eigen/LU>
#include <algorithm>
#include <cassert>
#include <cmath>

#include "sinew/math/quaternion.h"
#include "sinew/skeleton/bone_tree.h"
#include "sinew/skeleton/joint_turns.h"

namespace sinew {
namespace {

constexpr double kMost = 1e6, kLeast = 1e-6;  // of a factor

// The bone at rest, in its joint's own space; zero where there is none.
Vec3 rest_span(const Skeleton& skeleton, std::span<const Affine3> bind, std::size_t joint) {
  const Bone bone = bones_of(skeleton, bind)[joint];
  const Vec3 along = bind[joint].linear().inverse() * (bone.tail - bone.head);
  return along.allFinite() ? along : Vec3(Vec3::Zero());
}

// The bone that ends at this joint and at no other; -1 where there is none.
int bone_ending_at(const Skeleton& skeleton, std::size_t joint) {
  const std::vector<int> parents = bone_parents(skeleton);
  if (joint >= parents.size() || parents[joint] < 0) return -1;
  return std::count(parents.begin(), parents.end(), parents[joint]) == 1 ? parents[joint] : -1;
}

void move_children(const Skeleton& skeleton, std::size_t joint, const Vec3& by, Pose& pose) {
  for (const std::uint32_t child : skeleton.children(joint)) pose.local[child].translation() += by;
}

// Turns the bone towards the place and stretches it until its end is there.
Result<void> drag_end(const Skeleton& skeleton, std::span<const Affine3> bind, std::size_t bone,
                      std::size_t joint, const Vec3& place, Pose& pose) {
  std::vector<Affine3> globals = global_transforms(skeleton, pose.local);
  const Vec3 head = globals[bone].translation(), end = globals[joint].translation();
  SINEW_CHECK(rotate_joint(skeleton, bone, least_rotation(end - head, place - head), pose));
  globals = global_transforms(skeleton, pose.local);
  const Mat3 to_own = globals[bone].linear().inverse();
  const Vec3 span = to_own * (place - head);
  const Vec3 by = span - to_own * (globals[joint].translation() - head);
  if (by.allFinite()) move_children(skeleton, bone, by, pose);
  const double length = rest_span(skeleton, bind, bone).norm();
  pose.bones.resize(skeleton.size());
  if (length > 0 && span.allFinite())
    pose.bones[bone].stretch = std::clamp(span.norm() / length, kLeast, kMost);
  return {};
}

}  // namespace

Result<void> stretch_bone(const Skeleton& skeleton, std::span<const Affine3> bind, std::size_t joint,
                          double factor, Pose& pose) {
  assert(bind.size() == skeleton.size() && pose.local.size() == skeleton.size());
  if (joint >= skeleton.deforming_count()) return usage_error("this joint has no bone: it deforms nothing");
  if (!(factor > 0 && factor <= kMost)) return usage_error("the factor must lie above 0");
  const Vec3 along = rest_span(skeleton, bind, joint);
  if (along.isZero()) return impossible("'" + skeleton[joint].name + "' has no length to stretch");
  pose.bones.resize(skeleton.size());
  move_children(skeleton, joint, (factor - pose.bones[joint].stretch) * along, pose);
  pose.bones[joint].stretch = factor;
  return {};
}

Result<void> drag_joint(const Skeleton& skeleton, std::span<const Affine3> bind, std::size_t joint,
                        const Vec3& place, Pose& pose) {
  assert(bind.size() == skeleton.size() && pose.local.size() == skeleton.size() && joint < skeleton.size());
  if (!place.allFinite()) return usage_error("a joint's position must be three finite numbers");
  Pose dragged = pose;
  if (const int bone = bone_ending_at(skeleton, joint); bone >= 0)
    SINEW_CHECK(drag_end(skeleton, bind, static_cast<std::size_t>(bone), joint, place, dragged));
  SINEW_CHECK(place_joint(skeleton, joint, place, dragged));
  pose = std::move(dragged);
  return {};
}

}  // namespace sinew
