// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/math/dual_quaternion.h"
#include "sinew/rig/skin_weights.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// A skeleton in several shapes of one mesh, and the way from each shape to the next along it: joints turn as
/// rotations, each relative to its parent, so that bones that are as long in both shapes are so on the way.
/// The joints' poses are fitted to where the vertices go: each turns as its vertices do, and lies where it and
/// its parent agree best over all shapes.
class SkeletonLead {
 public:
  /// heads: of the joints, in shape `reference`. weights: a row for each vertex, over the joints; what has an
  /// empty row stays. shapes: the same vertices each. kBadInput where sizes differ or a number is not finite.
  static Result<SkeletonLead> build(const Skeleton& skeleton, std::span<const Vec3> heads,
                                    SkinWeights weights, std::span<const std::span<const Vec3>> shapes,
                                    std::size_t reference = 0);

  std::size_t joint_count() const { return parents_.size(); }
  /// Where the joints lie in a shape.
  std::span<const Vec3> places(std::size_t shape) const { return poses_[shape].places; }

  /// The rigid motion of every vertex from shape `first` to a share of the way to the next, 0 ... 1, by the
  /// blend of its joints' dual quaternions; the identity at 0. out: one for each vertex. Continuous in the
  /// share, also where joints turn by more than 180 degrees in all.
  void frames(std::size_t first, double share, std::span<DualQuat> out) const;

 private:
  struct JointPose {
    std::vector<Quat> turns;   ///< from the reference
    std::vector<Vec3> places;  ///< of the heads
  };
  JointPose between(std::size_t first, double share) const;

  std::vector<std::uint32_t> order_;
  std::vector<int> parents_;
  SkinWeights weights_;
  std::vector<JointPose> poses_;
};

}  // namespace sinew
