// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/clip.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "sinew/skeleton/joint_parts.h"
#include "skeleton/channel.h"

// Memory that stays, so that playing a clip does not allocate; WebAssembly's objects, which are linked with
// and without threads, cannot have any.
#ifdef __EMSCRIPTEN__
#define SINEW_SCRATCH
#else
#define SINEW_SCRATCH thread_local
#endif

namespace sinew {
namespace {

// What the channels of one joint say at the asked time.
struct Moved {
  bool any = false, translation = false, rotation = false, scale = false;
  Trs parts;
};

void move_joint(const Channel& channel, double time, Moved& moved) {
  double value[4];
  const std::size_t width = channel.path == ChannelPath::kRotation ? 4 : 3;
  if (!sample_channel(channel, time, std::span(value, width))) return;
  const Vec3 vector(value[0], value[1], value[2]);
  moved.any = true;
  if (channel.path == ChannelPath::kTranslation) {
    moved.translation = true;
    moved.parts.translation = vector;
  } else if (channel.path == ChannelPath::kScale) {
    moved.scale = true;
    moved.parts.scale = vector;
  } else {
    moved.rotation = true;
    moved.parts.rotation = Quat(value[3], value[0], value[1], value[2]);
  }
}

void drive_keys(const Channel& channel, double time, std::vector<double>& weights) {
  if (channel.joint < 0 || channel.width <= 0) return;
  const auto begin = static_cast<std::size_t>(channel.joint), width = static_cast<std::size_t>(channel.width);
  SINEW_SCRATCH std::vector<double> value;
  value.assign(width, 0.0);
  if (!sample_channel(channel, time, value)) return;
  if (weights.size() < begin + width) weights.resize(begin + width, 0.0);
  std::copy(value.begin(), value.end(), weights.begin() + static_cast<std::ptrdiff_t>(begin));
}

Affine3 moved_transform(const Joint& joint, const Moved& moved) {
  if (moved.translation && moved.rotation && moved.scale) return compose(moved.parts);
  Affine3 local = joint.rest_local;
  if (moved.translation) local.translation() = moved.parts.translation;
  if (!moved.rotation && !moved.scale) return local;
  const Trs rest = rest_parts_of(joint);
  const Mat3 rotation = (moved.rotation ? moved.parts.rotation : rest.rotation).toRotationMatrix();
  // A new rotation keeps all else of the rest (also shear, which the parts cannot say).
  const Mat3 stretch = moved.scale
                           ? Mat3(moved.parts.scale.asDiagonal())
                           : Mat3(rest.rotation.toRotationMatrix().transpose() * joint.rest_local.linear());
  local.linear() = rotation * stretch;
  return local;
}

}  // namespace

double Clip::duration() const {
  double last = 0;
  for (const Channel& channel : channels)
    for (const float time : channel.times)
      if (std::isfinite(time)) last = std::max(last, static_cast<double>(time));
  return last;
}

void sample_clip(const Clip& clip, const Skeleton& skeleton, double time, Pose& pose) {
  assert(pose.local.size() == skeleton.size());
  SINEW_SCRATCH std::vector<Moved> moved;
  moved.assign(skeleton.size(), {});
  for (const Channel& channel : clip.channels) {
    if (channel.path == ChannelPath::kKeyWeights)
      drive_keys(channel, time, pose.key_weights);
    else if (channel.joint >= 0 && static_cast<std::size_t>(channel.joint) < moved.size())
      move_joint(channel, time, moved[static_cast<std::size_t>(channel.joint)]);
  }
  for (std::size_t j = 0; j < moved.size(); ++j)
    if (moved[j].any) pose.local[j] = moved_transform(skeleton[j], moved[j]);
}

}  // namespace sinew
