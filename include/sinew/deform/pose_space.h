// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sinew/core/result.h"
#include "sinew/rig/rig.h"
#include "sinew/solve/rbf.h"

namespace sinew {

/// Poses nearer than this to each other, in every joint, are one.
inline constexpr double kSamePoseDegrees = 1;

/// The rotation of a joint in a pose from its rest, in its parent's space.
Quat pose_rotation(const Skeleton& skeleton, std::size_t joint, const Affine3& local);

/// The pose spaces of a rig [lewis2000; vanlommel2008, Sec. 5.2]: key weights by radial basis functions over
/// joint rotations and channels. Rotations are compared as matrices, twice the sine of half the angle between
/// them, so that there is no wrap-around; a channel's 1 counts like a radian; influences multiply the squares.
/// In the pose of an example its key has weight 1 and the others 0; at rest all have 0. Keys of the same name
/// have the same weight.
class PoseSpaces {
 public:
  PoseSpaces() = default;
  /// kBadInput: joints, keys or sizes that do not fit the rig. Examples within a degree of each other share
  /// their pose, each with its part of the weight, and merged() says so.
  static Result<PoseSpaces> build(const Rig& rig);

  bool empty() const { return spaces_.empty(); }
  std::span<const std::string> merged() const { return merged_; }  // a sentence each

  /// Memory of one evaluation.
  struct Scratch {
    std::vector<double> point, values;
  };
  Scratch make_scratch() const;
  /// Adds every space's weights. local: per joint. key_weights: per key; channels are read before any is added
  /// to. Never allocates.
  void add_weights(const Skeleton& skeleton, std::span<const Affine3> local, std::span<double> key_weights,
                   Scratch& scratch) const noexcept;

 private:
  struct Space {
    std::vector<PoseSpace::Driver> joints, channels;
    std::vector<std::size_t> keys;                 ///< outputs of the basis
    std::vector<std::vector<std::size_t>> driven;  ///< per output: the keys of that name
    RadialBasis basis;
  };
  std::vector<Space> spaces_;
  std::vector<std::string> merged_;
};

}  // namespace sinew
