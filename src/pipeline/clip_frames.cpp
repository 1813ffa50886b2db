// SPDX-License-Identifier: Apache-2.0
#include "pipeline/clip_frames.h"

#include <cmath>

namespace sinew {

double frame_count(double start, double end, double fps) {
  return std::floor((end - start) * fps + 1e-6) + 1;
}

std::vector<double> frame_times(double start, double end, double fps) {
  std::vector<double> times(static_cast<std::size_t>(frame_count(start, end, fps)));
  for (std::size_t k = 0; k < times.size(); ++k) times[k] = start + static_cast<double>(k) / fps;
  return times;
}

Result<std::vector<Pose>> poses_at(const Rig& rig, const PoseRequest& request, const Clip& clip,
                                   std::span<const double> times) {
  std::vector<Pose> poses;
  poses.reserve(times.size());
  for (const double time : times) {
    SINEW_TRY(Pose pose, make_pose(rig, request, clip, time));
    poses.push_back(std::move(pose));
  }
  return poses;
}

}  // namespace sinew
