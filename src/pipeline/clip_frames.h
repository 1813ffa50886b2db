// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "sinew/player/pose_request.h"

namespace sinew {

// How many frames lie from start to end: start, start + 1/fps, … A number, since it may be too large to count.
double frame_count(double start, double end, double fps);
std::vector<double> frame_times(double start, double end, double fps);

// The poses of a clip at these times: what `bake` and `export` deform. Fails as make_pose.
Result<std::vector<Pose>> poses_at(const Rig& rig, const PoseRequest& request, const Clip& clip,
                                   std::span<const double> times);

}  // namespace sinew
