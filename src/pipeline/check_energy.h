// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "pipeline/compare_arenas.h"
#include "sinew/rig/turn_functions.h"

namespace sinew {

// Per welded vertex (row) and bone (column): the weight of what lies at or below the bone.
Eigen::MatrixXd carried_shares(const Rig& rig, const Surface& surface);

// The border of the range, one turn at a time.
struct RangePose {
  std::string name;   // "bend 60 x"
  Eigen::Index axis;  // of the joint's frame
  double angle;
};
std::vector<RangePose> poses_of_range(const MotionRange& range);
// What the joint of a bone does in such a pose, bind space.
Affine3 turn_of_joint(const Surface& surface, std::size_t bone, const RangePose& pose);

// What a turn of one joint costs the flesh around it.
struct JointEnergy {
  // Elastic energy by the rig's own weights over that of the elastic body: the mean over the poses. None: the
  // joint bends nothing, or no grid resolves its bone.
  std::optional<double> ratio;
  double worst = 0;      // over the poses
  std::size_t pose = 0;  // the worst
  double twist = 0;      // in the last pose, the twist
  bool finite = true;
};

// Per bone of `arenas`, of which those are measured that have an arena.
Result<std::vector<JointEnergy>> joint_energies(const Arenas& arenas, const MotionRange& range,
                                                const Progress* progress);

}  // namespace sinew
