// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/math/types.h"

namespace sinew {

/// Keys that poses switch on [lewis2000]: in the pose of an example its key has weight 1 and the keys of the
/// other examples 0, and between them the weights go over into each other. The file's own pose is an example
/// without a key, unless another lies there.
struct PoseSpace {
  struct Driver {
    std::size_t index = 0;  ///< a joint, or for channels a shape key, whose weight is the channel
    double influence = 1;   ///< above 0: how much it counts in the distance between poses
  };
  struct Example {
    std::size_t key = 0;           ///< the shape key that has weight 1 here
    std::vector<Quat> rotations;   ///< per driving joint: from its rest to this pose, in its parent's space
    std::vector<double> channels;  ///< per driving channel
  };

  std::string name;
  std::vector<Driver> joints, channels;
  double radius = 0;  ///< radians over which an example fades; 0: by the distances between the examples
  std::vector<Example> examples;
};

}  // namespace sinew
