// SPDX-License-Identifier: Apache-2.0
#include "sinew/skeleton/retarget.h"

#include <algorithm>
#include <cctype>
#include <cmath>
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

// Source joint of every target joint; -1 where none has its name.
std::vector<int> match_joints(const Skeleton& source, const Skeleton& target) {
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

Quat rotation_of(const Affine3& transform) {
  return Quat(rotation_part(transform)).normalized();
}

// Largest side of the box of the joints' heads.
double extent(std::span<const Affine3> globals) {
  Box3 box;
  for (const Affine3& global : globals) box.extend(Vec3(global.translation()));
  return box.isEmpty() ? 0 : box.sizes().maxCoeff();
}

// Direction of each joint's bone; nullopt for bones without length.
std::vector<std::optional<Vec3>> bone_directions(const Skeleton& skeleton, std::span<const Affine3> globals) {
  std::vector<std::optional<Vec3>> directions(skeleton.size());
  for (const Bone& bone : bones_of(skeleton, globals)) {
    const Vec3 along = bone.tail - bone.head;
    if (along.norm() > 0) directions[bone.joint] = along.normalized();
  }
  return directions;
}

class Retargeter {
 public:
  Retargeter(const Clip& clip, const Skeleton& source, const Skeleton& target)
      : clip_(clip), source_(source), target_(target), from_(match_joints(source, target)) {
    source_rest_ = global_transforms(source, rest_pose(source).local);
    target_rest_ = global_transforms(target, rest_pose(target).local);
    const double size = extent(source_rest_);
    scale_ = size > 0 ? extent(target_rest_) / size : 1;
    align_.assign(target.size(), Quat::Identity());
    const auto source_directions = bone_directions(source, source_rest_);
    const auto target_directions = bone_directions(target, target_rest_);
    for (std::size_t j = 0; j < target.size(); ++j) {
      // The topmost joint keeps its direction: hips point wherever the rigger liked.
      if (from_[j] < 0 || is_top(j) || !target_directions[j]) continue;
      if (const auto& to = source_directions[static_cast<std::size_t>(from_[j])])
        align_[j] = shortest_arc(*target_directions[j], *to);
    }
  }

  const std::vector<int>& from() const { return from_; }
  std::size_t matched() const {
    return static_cast<std::size_t>(std::count_if(from_.begin(), from_.end(), [](int j) { return j >= 0; }));
  }

  // Whether j is matched and nothing above it is: it carries the path through the world.
  bool is_top(std::size_t j) const {
    if (from_[j] < 0) return false;
    for (int parent = target_[j].parent; parent >= 0;
         parent = target_[static_cast<std::size_t>(parent)].parent)
      if (from_[static_cast<std::size_t>(parent)] >= 0) return false;
    return true;
  }

  // Local transforms of the target at a time of the source's clip.
  std::vector<Affine3> at(double time) const {
    Pose pose = rest_pose(source_);
    sample_clip(clip_, source_, time, pose);
    const std::vector<Affine3> moved = global_transforms(source_, pose.local);
    std::vector<Affine3> local = rest_pose(target_).local, global(target_.size());
    for (const std::uint32_t j : target_.order()) {
      const int parent = target_[j].parent;
      const Affine3 above = parent < 0 ? Affine3::Identity() : global[static_cast<std::size_t>(parent)];
      if (from_[j] >= 0) place(j, above, moved, local[j]);
      global[j] = above * local[j];
    }
    return local;
  }

 private:
  void place(std::size_t j, const Affine3& above, std::span<const Affine3> moved, Affine3& local) const {
    const auto s = static_cast<std::size_t>(from_[j]);
    const Quat motion = rotation_of(moved[s]) * rotation_of(source_rest_[s]).conjugate();
    const Quat wanted = motion * align_[j] * rotation_of(target_rest_[j]);
    // Only the rotation changes: what the rest transform scales it goes on scaling.
    const Mat3 scale = rotation_part(local).transpose() * local.linear();
    local.linear() = (rotation_of(above).conjugate() * wanted).toRotationMatrix() * scale;
    if (!is_top(j) || above.linear().determinant() == 0) return;
    const Vec3 step = scale_ * (moved[s].translation() - source_rest_[s].translation());
    local.translation() = above.inverse() * Vec3(target_rest_[j].translation() + step);
  }

  const Clip& clip_;
  const Skeleton& source_;
  const Skeleton& target_;
  std::vector<int> from_;
  std::vector<Affine3> source_rest_, target_rest_;
  std::vector<Quat> align_;
  double scale_ = 1;
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
  const Quat turn = rotation_of(transform);
  for (const double part : {turn.x(), turn.y(), turn.z(), turn.w()})
    channel.values.push_back(static_cast<float>(part));
}

}  // namespace

Result<Retargeted> retarget_clip(const Clip& clip, const Skeleton& source, const Skeleton& target,
                                 double fps) {
  const Retargeter retargeter(clip, source, target);
  Retargeted result;
  result.clip.name = clip.name;
  result.matched = retargeter.matched();
  if (result.matched == 0)
    return impossible(
        "no joint of the motion has the name of a joint of the rig; rename the joints of one of them");
  std::vector<bool> used(source.size(), false);
  for (const int j : retargeter.from())
    if (j >= 0) used[static_cast<std::size_t>(j)] = true;
  for (std::size_t j = 0; j < source.size(); ++j)
    if (!used[j]) result.unmatched.push_back(source[j].name);

  const int frames = std::max(1, static_cast<int>(std::lround(clip.duration() * fps)) + 1);
  std::vector<float> times;
  for (int k = 0; k < frames; ++k) times.push_back(static_cast<float>(k / fps));
  for (std::size_t j = 0; j < target.size(); ++j) {
    if (retargeter.from()[j] < 0) continue;
    if (retargeter.is_top(j))
      result.clip.channels.push_back(make_channel(j, ChannelPath::kTranslation, times));
    result.clip.channels.push_back(make_channel(j, ChannelPath::kRotation, times));
  }
  for (const float time : times) {
    const std::vector<Affine3> local = retargeter.at(time);
    for (Channel& channel : result.clip.channels)
      add_key(channel, local[static_cast<std::size_t>(channel.joint)]);
  }
  return result;
}

}  // namespace sinew
