// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sinew/rig/rig.h"

namespace sinew {

/// A pose as a user asks for it, with names.
struct PoseRequest {
  struct Turn {
    std::string joint;
    Vec3 degrees = Vec3::Zero();  ///< about the world axes of the rest pose, x, then y, then z
    /// Before that, about the bone at rest: first `twist` about it, head to tail, then `bend` about the axis
    /// across it that brings its end to the front, +z (of a bone along z: up, +y). Degrees; a joint without a
    /// bone of some length has no such axes: kUsage.
    double bend = 0, twist = 0;
  };
  struct KeyWeight {
    std::string key;
    double weight;
  };
  struct Stretch {
    std::string bone;
    double factor;  ///< of its length, above 0; what lies beyond the bone is carried along
  };
  struct Twist {
    std::string bone;
    double head, tail;  ///< degrees about the bone, any number of turns
  };
  std::vector<Turn> turns = {};
  std::vector<Stretch> stretches = {};
  std::vector<Twist> twists = {};
  std::vector<KeyWeight> keys = {};
  std::optional<std::string> clip = {};  ///< a name, or digits: an index
  double time = 0;                       ///< seconds into the clip, clamped
};

/// The clip of that name, or number; kUsage naming those there are.
Result<std::size_t> find_clip(const Rig& rig, const std::string& name);

/// The same for a clip that is known and a time, whatever the request says of them: the frames of `bake`.
Result<Pose> make_pose(const Rig& rig, const PoseRequest& request, const Clip& clip, double time);

/// The file's own pose, then the clip, the turns, the stretches and twists, the drivers (rig/drivers.h), the
/// keys. Drivers do not run in a pose of a clip that has keys for what they move. kUsage for names the rig does
/// not have.
Result<Pose> make_pose(const Rig& rig, const PoseRequest& request);

}  // namespace sinew
