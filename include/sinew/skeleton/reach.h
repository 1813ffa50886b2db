// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sinew/skeleton/pose.h"

namespace sinew {

/// Options of reach().
struct ReachOptions {
  /// How many joints above the one that reaches may turn. 0: the whole limb, up to below the joint where the
  /// skeleton branches.
  int joints = 0;
  int iterations = 60;
  double tolerance = 1e-9;  ///< of the chain's length: nearer counts as there
};

/// The result of reach().
struct Reached {
  double distance = 0;     ///< from the joint's head to the place, world
  std::size_t turned = 0;  ///< joints of the chain
  int iterations = 0;
};

/// Inverse kinematics: turns the joints above `joint` so that its head comes to `place`, world space. Joints
/// only turn, so that bones keep their lengths, and none turns about its own line to the head. Of the many
/// ways there it takes one near the present pose (damped least squares [buss2005]), so that a hand that moves
/// a little moves the limb a little. A place too far off (or too near) is aimed at: the limb ends all but
/// straight, and does not flutter. Joints that deform nothing are carried along. kUsage: a place that is not
/// finite, a negative number of joints. kImpossible: nothing above the joint can turn, or it is scaled to
/// nothing. The pose is unchanged on failure.
Result<Reached> reach(const Skeleton& skeleton, std::size_t joint, const Vec3& place, Pose& pose,
                      const ReachOptions& options = {});

}  // namespace sinew
