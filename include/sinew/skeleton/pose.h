// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// Local transforms of all joints, and key weights.
struct Pose {
  std::vector<Affine3> local;       ///< per joint, relative to its parent
  std::vector<double> key_weights;  ///< per shape key; empty: the keys' own defaults
  std::vector<BoneShape> bones;     ///< per joint; empty: none stretched or twisted
};

Pose rest_pose(const Skeleton& skeleton);

/// globals[j] = globals[parent] * local[j]. Sizes: skeleton.size(). Never allocates.
void forward_kinematics(const Skeleton& skeleton, std::span<const Affine3> local,
                        std::span<Affine3> globals) noexcept;
std::vector<Affine3> global_transforms(const Skeleton& skeleton, std::span<const Affine3> local);

/// Turns a joint on top of what the pose has, about the world axes of the rest pose through its head: first x,
/// then y, then z, in degrees; its children are carried along.
void rotate_joint(const Skeleton& skeleton, std::size_t joint, const Vec3& degrees, Pose& pose);

}  // namespace sinew
