// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/carry_clip.h"

#include <algorithm>
#include <cassert>
#include <cctype>
#include <cmath>
#include <limits>
#include <optional>
#include <unordered_map>

#include "sinew/math/svd.h"

namespace sinew {
namespace {

// "mixamorig:Left_Arm" and "leftarm" are one name.
std::string plain_name(const std::string& name) {
  const std::size_t colon = name.rfind(':');
  std::string plain;
  for (std::size_t k = colon == std::string::npos ? 0 : colon + 1; k < name.size(); ++k)
    if (std::isalnum(static_cast<unsigned char>(name[k])))
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(name[k])));
  return plain;
}

constexpr double kFarthest = 1e30;  // what is not nearer, or no number, is left out

Quat rotation_of(const Affine3& transform) {
  return Quat(rotation_part(transform)).normalized();
}

// Largest side of the box of the joints' heads.
double extent(std::span<const Affine3> globals) {
  Box3 box;
  for (const Affine3& global : globals) box.extend(Vec3(global.translation()));
  return box.isEmpty() ? 0 : box.sizes().maxCoeff();
}

// Which joints of the target follow which of the source.
class Match {
 public:
  Match(const Skeleton& source, const Skeleton& target)
      : target_(target), from_(joints_by_name(source, target)) {}

  int operator[](std::size_t j) const { return from_[j]; }
  std::span<const int> all() const { return from_; }

  // Whether j is matched and nothing above it is: it carries the path through the world.
  bool is_top(std::size_t j) const {
    if (from_[j] < 0) return false;
    for (int parent = target_[j].parent; parent >= 0;
         parent = target_[static_cast<std::size_t>(parent)].parent)
      if (from_[static_cast<std::size_t>(parent)] >= 0) return false;
    return true;
  }

 private:
  const Skeleton& target_;
  std::vector<int> from_;
};

// Local transforms of the target whose matched joints `place` sets, given what is above them.
template <class Place>
std::vector<Affine3> posed_target(const Skeleton& target, const Match& from, const Place& place) {
  std::vector<Affine3> local = rest_pose(target).local, global(target.size());
  for (const std::uint32_t j : target.order()) {
    const int parent = target[j].parent;
    const Affine3 above = parent < 0 ? Affine3::Identity() : global[static_cast<std::size_t>(parent)];
    if (from[j] >= 0) place(j, above, local[j]);
    global[j] = above * local[j];
  }
  return local;
}

// Only the rotation changes: what the rest transform scales it goes on scaling.
void turn_to(const Quat& wanted, const Affine3& above, Affine3& local) {
  const Mat3 scale = rotation_part(local).transpose() * local.linear();
  local.linear() = (rotation_of(above).conjugate() * wanted).toRotationMatrix() * scale;
}

// Only the lengths of the axes change: a joint scales along its own, and holds no shear.
void scale_to(const Mat3& wanted, const Affine3& above, Affine3& local) {
  const Vec3 sizes = (above.linear().inverse() * wanted).colwise().norm();
  if (sizes.allFinite() && sizes.minCoeff() > 0 && sizes.maxCoeff() < kFarthest)
    local.linear() = rotation_part(local) * sizes.asDiagonal();
}

std::vector<Affine3> sampled(const Clip& clip, const Skeleton& skeleton, double time) {
  Pose pose = rest_pose(skeleton);
  sample_clip(clip, skeleton, time, pose);
  return global_transforms(skeleton, pose.local);
}

// The similarity that takes one frame to another.
Affine3 similarity(const Affine3& from, const Affine3& to) {
  const Mat3 linear = to.linear() * from.linear().inverse();
  Affine3 map = Affine3::Identity();
  map.linear() = std::cbrt(std::abs(linear.determinant())) * rotation_part(Affine3(linear));
  map.translation() = to.translation() - map.linear() * from.translation();
  return map;
}

bool moves_joint(const Channel& channel, const Skeleton& skeleton) {
  return channel.path != ChannelPath::kKeyWeights && !channel.times.empty() && channel.joint >= 0 &&
         static_cast<std::size_t>(channel.joint) < skeleton.size();
}

// What each joint of the source does to bind space, done by the joints of the target.
class Carrier {
 public:
  Carrier(const Clip& clip, const Skeleton& source, std::span<const Affine3> bind, const Skeleton& target)
      : clip_(clip), source_(source), target_(target), from_(source, target) {
    const auto rest = global_transforms(source, rest_pose(source).local);
    target_rest_ = global_transforms(target, rest_pose(target).local);
    std::vector<Affine3> bound, world;
    for (std::size_t j = 0; j < source.size(); ++j) {
      inverse_bind_.push_back(bind[j].inverse());
      if (!source[j].deforms) continue;
      bound.push_back(bind[j]);
      world.push_back(rest[j]);
    }
    to_bind_ = common_similarity(bound, world).inverse();
    find_sliding(rest);
    find_scaled();
  }

  const Match& from() const { return from_; }
  // Whether its place is keyed: it carries the whole, or leaves its place at the joint above, as feet do that
  // were led by inverse kinematics.
  bool travels(std::size_t j) const {
    return from_.is_top(j) || (from_[j] >= 0 && slides_[static_cast<std::size_t>(from_[j])]);
  }

  // Whether its size is keyed: the clip scales it or a joint above it.
  bool grows(std::size_t j) const { return from_[j] >= 0 && scaled_[static_cast<std::size_t>(from_[j])]; }

  std::vector<Affine3> at(double time) const {
    const std::vector<Affine3> moved = sampled(clip_, source_, time);
    return posed_target(target_, from_, [&](std::size_t j, const Affine3& above, Affine3& local) {
      const auto s = static_cast<std::size_t>(from_[j]);
      const Affine3 motion = to_bind_ * moved[s] * inverse_bind_[s];
      if (!motion.matrix().allFinite()) return;
      turn_to(rotation_of(motion) * rotation_of(target_rest_[j]), above, local);
      if (grows(j)) scale_to(motion.linear() * target_rest_[j].linear(), above, local);
      if (!travels(j)) return;
      const Vec3 place = above.inverse() * Vec3(motion * Vec3(target_rest_[j].translation()));
      if (place.cwiseAbs().maxCoeff() < kFarthest) local.translation() = place;
    });
  }

 private:
  void find_sliding(std::span<const Affine3> rest) {
    slides_.assign(source_.size(), false);
    for (const Channel& channel : clip_.channels) {
      if (channel.path != ChannelPath::kTranslation || !moves_joint(channel, source_)) continue;
      Vec3f low = Vec3f::Constant(std::numeric_limits<float>::infinity()), high = -low;
      for (std::size_t k = 0; k + 2 < channel.values.size(); k += 3) {
        const Vec3f value(channel.values[k], channel.values[k + 1], channel.values[k + 2]);
        low = low.cwiseMin(value);
        high = high.cwiseMax(value);
      }
      const int above = source_[static_cast<std::size_t>(channel.joint)].parent;
      const double unit =
          above < 0 ? 1 : std::cbrt(std::abs(rest[static_cast<std::size_t>(above)].linear().determinant()));
      if (unit * static_cast<double>((high - low).norm()) > 0.01 * extent(rest))
        slides_[static_cast<std::size_t>(channel.joint)] = true;
    }
  }

  void find_scaled() {
    scaled_.assign(source_.size(), false);
    for (const Channel& channel : clip_.channels)
      if (channel.path == ChannelPath::kScale && moves_joint(channel, source_))
        scaled_[static_cast<std::size_t>(channel.joint)] = true;
    for (const std::uint32_t j : source_.order())
      if (const int parent = source_[j].parent; parent >= 0 && scaled_[static_cast<std::size_t>(parent)])
        scaled_[j] = true;
  }

  const Clip& clip_;
  const Skeleton& source_;
  const Skeleton& target_;
  Match from_;
  std::vector<bool> slides_, scaled_;  // per joint of the source
  std::vector<Affine3> inverse_bind_, target_rest_;
  Affine3 to_bind_;
};

Channel make_channel(std::size_t joint, ChannelPath path, const std::vector<float>& times) {
  Channel channel;
  channel.joint = static_cast<int>(joint);
  channel.path = path;
  channel.width = path == ChannelPath::kRotation ? 4 : 3;
  channel.times = times;
  return channel;
}

void add_key(Channel& channel, const Affine3& transform) {
  if (channel.path == ChannelPath::kTranslation) {
    for (int k = 0; k < 3; ++k) channel.values.push_back(static_cast<float>(transform.translation()[k]));
    return;
  }
  if (channel.path == ChannelPath::kScale) {
    for (int k = 0; k < 3; ++k)
      channel.values.push_back(static_cast<float>(transform.linear().col(k).norm()));
    return;
  }
  const Quat turn = rotation_of(transform);
  for (const double part : {turn.x(), turn.y(), turn.z(), turn.w()})
    channel.values.push_back(static_cast<float>(part));
}

// The motion at `times`, as channels of the joints that follow.
template <class Motion>
Result<Retargeted> with_keys(const Clip& clip, const Skeleton& source, const Motion& motion,
                             const std::vector<float>& times) {
  Retargeted result;
  result.clip.name = clip.name;
  std::vector<bool> used(source.size(), false);
  const Match& from = motion.from();
  for (std::size_t j = 0; j < from.all().size(); ++j) {
    if (from[j] < 0) continue;
    used[static_cast<std::size_t>(from[j])] = true;
    ++result.matched;
    if (motion.travels(j)) result.clip.channels.push_back(make_channel(j, ChannelPath::kTranslation, times));
    result.clip.channels.push_back(make_channel(j, ChannelPath::kRotation, times));
    if (motion.grows(j)) result.clip.channels.push_back(make_channel(j, ChannelPath::kScale, times));
  }
  if (result.matched == 0)
    return impossible(
        "no joint of the motion has the name of a joint of the rig; rename the joints of one of them");
  for (std::size_t j = 0; j < source.size(); ++j)
    if (!used[j]) result.unmatched.push_back(source[j].name);
  for (const float time : times) {
    const std::vector<Affine3> local = motion.at(time);
    for (Channel& channel : result.clip.channels)
      add_key(channel, local[static_cast<std::size_t>(channel.joint)]);
  }
  return result;
}

// Every key of a clip's joints, and more where two lie over `step` apart.
std::vector<float> key_times(const Clip& clip, const Skeleton& skeleton, double step) {
  std::vector<float> keys;
  for (const Channel& channel : clip.channels)
    if (moves_joint(channel, skeleton)) keys.insert(keys.end(), channel.times.begin(), channel.times.end());
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  std::vector<float> times;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    times.push_back(keys[k]);
    if (k + 1 == keys.size()) break;
    const double gap = static_cast<double>(keys[k + 1]) - keys[k];
    const int parts = static_cast<int>(std::ceil(gap / step - 1e-3));
    for (int part = 1; part < parts; ++part) {
      const auto time = static_cast<float>(keys[k] + gap * part / parts);
      if (time > times.back() && time < keys[k + 1]) times.push_back(time);
    }
  }
  return times;
}

}  // namespace

std::vector<int> joints_by_name(const Skeleton& source, const Skeleton& target) {
  std::unordered_map<std::string, int> exact, plain;
  for (std::size_t j = 0; j < source.size(); ++j) {
    exact.emplace(source[j].name, static_cast<int>(j));
    plain.emplace(plain_name(source[j].name), static_cast<int>(j));
  }
  std::vector<int> from(target.size(), -1);
  for (std::size_t j = 0; j < target.size(); ++j) {
    if (!target[j].deforms) continue;
    if (const auto found = exact.find(target[j].name); found != exact.end())
      from[j] = found->second;
    else if (const auto near = plain.find(plain_name(target[j].name)); near != plain.end())
      from[j] = near->second;
  }
  return from;
}

Affine3 common_similarity(std::span<const Affine3> from, std::span<const Affine3> to) {
  Affine3 best = Affine3::Identity();
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < from.size(); ++k) {
    const Affine3 map = similarity(from[k], to[k]);
    if (!map.matrix().allFinite() || !(std::abs(map.linear().determinant()) > 0)) continue;
    double apart = 0;
    for (std::size_t j = 0; j < from.size(); ++j)
      apart += (map * from[j].translation() - to[j].translation()).norm();
    if (!(apart < least)) continue;
    least = apart;
    best = map;
  }
  return best;
}

Result<Retargeted> carry_clip(const Clip& clip, const Skeleton& source, std::span<const Affine3> source_bind,
                              const Skeleton& target, double fps) {
  assert(source_bind.size() == source.size());
  constexpr double kMostSteps = 10000;  // of a clip that lasts for hours
  const double step = std::max(1 / fps, clip.duration() / kMostSteps);
  return with_keys(clip, source, Carrier(clip, source, source_bind, target), key_times(clip, source, step));
}

MatchedJoints count_matched(const Clip& clip, const Skeleton& source, const Skeleton& target) {
  std::vector<bool> matched(source.size(), false), moved(source.size(), false);
  const Match from(source, target);
  for (const int j : from.all())
    if (j >= 0) matched[static_cast<std::size_t>(j)] = true;
  for (const Channel& channel : clip.channels)
    if (moves_joint(channel, source)) moved[static_cast<std::size_t>(channel.joint)] = true;
  MatchedJoints count;
  for (std::size_t j = 0; j < source.size(); ++j) {
    count.moved += moved[j];
    count.matched += moved[j] && matched[j];
  }
  return count;
}

}  // namespace sinew
