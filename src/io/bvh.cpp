// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include "io/bvh_hierarchy.h"
#include "io/text_input.h"
#include "sinew/core/text.h"
#include "sinew/io/skeleton_files.h"

namespace sinew {
namespace {

using io::BvhChannel;
using io::BvhHierarchy;
using io::error_at_line;

constexpr double kDefaultFrameTime = 1.0 / 30;
constexpr std::size_t kMaxFrames = std::size_t{1} << 24;  // times are floats: beyond this they no longer rise

struct Motion {
  std::size_t frames = 0, channels = 0;
  double frame_time = kDefaultFrameTime;
  std::vector<float> values;  // frames x channels
};

class MotionReader {
 public:
  MotionReader(io::WordReader& words, std::string_view name, std::vector<std::string>& warnings)
      : words_(words), name_(name), notes_(warnings) {}

  Result<Motion> read(std::size_t channels) {
    motion_.channels = channels;
    SINEW_CHECK(read_frame_count());
    SINEW_CHECK(read_frame_time());
    if (channels == 0) motion_.frames = 0;
    motion_.values.reserve(motion_.frames * channels);
    for (std::size_t k = 0; k < motion_.frames; ++k) SINEW_CHECK(read_frame(k));
    if (!words_.next().empty())
      notes_.push_back("there is more motion than the " + std::to_string(motion_.frames) +
                       " frames that the file announces");
    return std::move(motion_);
  }

 private:
  Error fail(const std::string& what) const { return error_at_line(name_, words_.line(), what); }

  // "Frames: 12", also "Frames 12" and "Frames:12".
  Result<void> read_frame_count() {
    std::string_view word = words_.next();
    if (!equals_ignoring_case(word.substr(0, 6), "Frames")) return fail("expected 'Frames: N' after MOTION");
    word = after_colon(word.substr(6));
    const auto count = parse_int(word);
    if (!count || *count < 0) return fail("'" + printable(word, 40) + "' is not a number of frames");
    motion_.frames = static_cast<std::size_t>(*count);
    if (motion_.channels == 0) return {};
    if (motion_.frames > kMaxFrames || motion_.frames > words_.remaining() / (2 * motion_.channels) + 1)
      return fail("the file says it has " + std::to_string(motion_.frames) + " frames of " +
                  std::to_string(motion_.channels) + " numbers but is too short for them");
    return {};
  }

  Result<void> read_frame_time() {
    if (!equals_ignoring_case(words_.next(), "Frame")) return fail("expected 'Frame Time: SECONDS'");
    std::string_view word = words_.next();
    if (!equals_ignoring_case(word.substr(0, 4), "Time")) return fail("expected 'Frame Time: SECONDS'");
    word = after_colon(word.substr(4));
    const auto time = parse_double(word);
    if (!time) return fail("'" + printable(word, 40) + "' is not a frame time in seconds");
    motion_.frame_time = *time;
    if (*time >= 1e-6 && *time <= 1e6) return {};
    motion_.frame_time = kDefaultFrameTime;
    if (motion_.frames > 1) notes_.push_back("the frame time makes no sense and was taken as 1/30 s");
    return {};
  }

  // What stands behind an optional colon, in the same word or the next.
  std::string_view after_colon(std::string_view rest) {
    if (!rest.empty() && rest[0] == ':') rest.remove_prefix(1);
    if (rest.empty()) rest = words_.next();
    if (!rest.empty() && rest[0] == ':') rest.remove_prefix(1);
    return rest.empty() ? words_.next() : rest;
  }

  Result<void> read_frame(std::size_t frame) {
    const auto where = [&] {
      return "frame " + std::to_string(frame) + " of " + std::to_string(motion_.frames);
    };
    for (std::size_t c = 0; c < motion_.channels; ++c) {
      const std::string_view word = words_.next();
      const auto value = parse_double(word);
      if (!value || !std::isfinite(static_cast<float>(*value)))
        return io::not_a_number(name_, words_.line(), word, where());
      motion_.values.push_back(static_cast<float>(*value));
    }
    return {};
  }

  io::WordReader& words_;
  std::string_view name_;
  std::vector<std::string>& notes_;
  Motion motion_;
};

// The first channel of each joint within a frame.
std::vector<std::size_t> channel_starts(const BvhHierarchy& hierarchy) {
  std::vector<std::size_t> starts;
  std::size_t next = 0;
  for (const auto& channels : hierarchy.channels) {
    starts.push_back(next);
    next += channels.size();
  }
  return starts;
}

// Positions of a root are absolute. Below it files differ: most repeat the offset, some hold what is added to
// it. The first frame tells: its values are nearer to the offsets or nearer to zero.
bool positions_are_added(const BvhHierarchy& hierarchy, const std::vector<std::size_t>& starts,
                         const Motion& motion) {
  double to_offset = 0, to_zero = 0;
  for (std::size_t j = 0; j < hierarchy.joints.size(); ++j) {
    if (hierarchy.joints[j].parent < 0) continue;
    for (std::size_t c = 0; c < hierarchy.channels[j].size(); ++c) {
      const BvhChannel channel = hierarchy.channels[j][c];
      if (!channel.is_position) continue;
      const double value = motion.values[starts[j] + c];
      to_offset += std::abs(value - hierarchy.joints[j].rest_local.translation()[channel.axis]);
      to_zero += std::abs(value);
    }
  }
  return to_zero < to_offset;
}

struct JointKey {
  Vec3 translation;
  Quat rotation = Quat::Identity();
};

// The channels of one joint in one frame. Rotations multiply in the order of the file: the last one turns
// first.
JointKey key_of(const std::vector<BvhChannel>& channels, const float* values, const Vec3& offset,
                bool added) {
  JointKey key{offset, Quat::Identity()};
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const BvhChannel channel = channels[c];
    const double value = values[c];
    if (channel.is_position) {
      key.translation[channel.axis] = added ? offset[channel.axis] + value : value;
    } else {
      key.rotation =
          key.rotation * Quat(Eigen::AngleAxisd(value * std::numbers::pi / 180, Vec3::Unit(channel.axis)));
    }
  }
  key.rotation.normalize();
  return key;
}

void append_rotation(std::vector<float>& values, Quat rotation) {
  // The shorter way from the key before, so that interpolation does not turn the long way round.
  if (values.size() >= 4) {
    const Eigen::Map<const Vec4f> before(values.data() + values.size() - 4);
    if (before.cast<double>().dot(rotation.coeffs()) < 0) rotation.coeffs() = -rotation.coeffs();
  }
  for (int i = 0; i < 4; ++i) values.push_back(static_cast<float>(rotation.coeffs()[i]));
}

Clip clip_of(const BvhHierarchy& hierarchy, const Motion& motion) {
  Clip clip;
  const std::vector<std::size_t> starts = channel_starts(hierarchy);
  const bool added = positions_are_added(hierarchy, starts, motion);
  std::vector<float> times(motion.frames);
  for (std::size_t k = 0; k < motion.frames; ++k)
    times[k] = static_cast<float>(static_cast<double>(k) * motion.frame_time);
  for (std::size_t j = 0; j < hierarchy.joints.size(); ++j) {
    const auto& channels = hierarchy.channels[j];
    bool moves = false, turns = false;
    for (const BvhChannel channel : channels) (channel.is_position ? moves : turns) = true;
    Channel translation{static_cast<int>(j), ChannelPath::kTranslation, Interpolation::kLinear, 3, {}, {}};
    Channel rotation{static_cast<int>(j), ChannelPath::kRotation, Interpolation::kLinear, 4, {}, {}};
    for (std::size_t k = 0; k < motion.frames && (moves || turns); ++k) {
      const JointKey key =
          key_of(channels, motion.values.data() + k * motion.channels + starts[j],
                 hierarchy.joints[j].rest_local.translation(), added && hierarchy.joints[j].parent >= 0);
      for (int axis = 0; axis < 3 && moves; ++axis)
        translation.values.push_back(static_cast<float>(key.translation[axis]));
      if (turns) append_rotation(rotation.values, key.rotation);
    }
    for (Channel* channel : {moves ? &translation : nullptr, turns ? &rotation : nullptr}) {
      if (!channel) continue;
      channel->times = times;
      clip.channels.push_back(std::move(*channel));
    }
  }
  return clip;
}

std::string stem_of(std::string_view name) {
  name = name.substr(name.find_last_of('/') + 1);
  const std::size_t dot = name.find_last_of('.');
  return std::string(dot == 0 ? name : name.substr(0, dot));
}

}  // namespace

Result<SkeletonFile> read_bvh(std::string_view bytes, std::string_view name) {
  std::string storage;
  io::WordReader words(io::as_text(bytes, storage));
  SINEW_TRY(const BvhHierarchy hierarchy, io::read_bvh_hierarchy(words, name));
  SkeletonFile file;
  if (hierarchy.has_motion) {
    std::size_t channels = 0;
    for (const auto& of_joint : hierarchy.channels) channels += of_joint.size();
    SINEW_TRY(const Motion motion, MotionReader(words, name, file.warnings).read(channels));
    if (motion.frames > 0) {
      file.clips.push_back(clip_of(hierarchy, motion));
      file.clips.back().name = stem_of(name);
    }
  } else {
    file.warnings.push_back("the file has no MOTION");
  }
  auto skeleton = Skeleton::create(hierarchy.joints);
  if (!skeleton.ok()) return io::error_in(name, skeleton.error().message);
  file.skeleton = *std::move(skeleton);
  return file;
}

}  // namespace sinew
