// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sinew/skeleton/pose.h"

namespace sinew {

/// The animated property.
enum class ChannelPath { kTranslation, kRotation, kScale, kKeyWeights };
/// Interpolation between keyframes, as in glTF.
enum class Interpolation { kStep, kLinear, kCubicSpline };

/// One animated property. Rotations are quaternions x, y, z, w. `values` holds `width` numbers a keyframe (3,
/// 4, 3, or the number of shape keys), three times as many for cubic splines (in-tangent, value, out-tangent).
struct Channel {
  int joint = -1;  ///< for kKeyWeights: the first shape key that the channel drives
  ChannelPath path = ChannelPath::kTranslation;
  Interpolation interpolation = Interpolation::kLinear;
  int width = 3;
  std::vector<float> times;  ///< seconds, rising
  std::vector<float> values;
};

/// An animation clip.
struct Clip {
  std::string name;
  std::vector<Channel> channels;
  double duration() const;  ///< the last key of any channel
};

/// The pose at `time` seconds (clamped to the clip) on top of `pose`: joints without a channel stay as they
/// are. A joint's untouched parts (say its scale) come from its rest transform. Key weights beyond
/// pose.key_weights are appended (zeros before the first driven one): fill it with the keys' defaults first.
/// Never gives a NaN: a channel without a whole key, with a width or joint that cannot be, or with a value
/// that is not finite or a zero quaternion at that time is left out.
void sample_clip(const Clip& clip, const Skeleton& skeleton, double time, Pose& pose);

}  // namespace sinew
