// SPDX-License-Identifier: Apache-2.0
#include "sinew/player/pose_request.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "sinew/core/text.h"
#include "sinew/rig/key_names.h"
#include "sinew/skeleton/drag.h"
#include "sinew/skeleton/joint_hint.h"

namespace sinew {
namespace {

constexpr std::size_t kNamesShown = 12;

// "a, b, c and 9 more": what the user could have meant.
template <class Items, class Name>
std::string list_names(const Items& items, Name&& name) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& item : items) {
    if (shown == kNamesShown) return text + fmt::format(" and {} more", items.size() - shown);
    text += (shown++ ? ", " : "") + printable(name(item), 40);
  }
  return text.empty() ? "none" : text;
}

Result<std::size_t> find_joint(const Skeleton& skeleton, const std::string& name) {
  if (const auto joint = skeleton.find(name)) return *joint;
  const std::string hint = joint_hint(skeleton, name);
  if (!hint.empty()) return usage_error(fmt::format("there is no joint '{}'{}", printable(name), hint));
  return usage_error(fmt::format(
      "there is no joint '{}'; the file has {}", printable(name),
      list_names(skeleton.joints(), [](const Joint& j) -> const std::string& { return j.name; })));
}

// The degrees of rotate_joint that bend and twist a bone.
Result<Vec3> turn_of_bone(const Rig& rig, std::size_t joint, double bend, double twist) {
  const std::vector<Affine3> globals = global_transforms(rig.skeleton, rest_pose(rig.skeleton).local);
  Vec3 along = Vec3::Zero();
  if (joint < rig.skeleton.deforming_count()) {
    const Bone bone = bones_of(rig.skeleton, globals)[joint];
    along = (bone.tail - bone.head).normalized();
  }
  if (!(along.norm() > 0.5))
    return usage_error(fmt::format("'{}' has no bone to bend or twist about: give X,Y,Z",
                                   printable(rig.skeleton[joint].name)));
  constexpr double kAlong = 0.99;  // of a bone that points to the front or the back already
  const Vec3 front = std::abs(along.z()) > kAlong ? Vec3::UnitY() : Vec3::UnitZ();
  const double radians = std::numbers::pi / 180;
  const Quat turn = Eigen::AngleAxisd(bend * radians, along.cross(front).normalized()) *
                    Eigen::AngleAxisd(twist * radians, along);
  return Vec3(turn.toRotationMatrix().eulerAngles(2, 1, 0).reverse() / radians);
}

// Stretches move the joints at the end of the bone along it, so that the file plays everywhere; deformers
// that stretch bones see it in the joints.
Result<void> shape_bones(const Rig& rig, const PoseRequest& request, Pose& pose) {
  if (request.stretches.empty() && request.twists.empty()) return {};
  pose.bones.resize(rig.skeleton.size());
  const std::vector<Affine3> bind = bind_transforms(rig);
  const auto bone_of = [&](const std::string& name) -> Result<std::size_t> {
    SINEW_TRY(const std::size_t joint, find_joint(rig.skeleton, name));
    if (joint >= rig.skeleton.deforming_count())
      return usage_error(fmt::format("'{}' has no bone: it deforms nothing", printable(name)));
    return joint;
  };
  for (const PoseRequest::Stretch& stretch : request.stretches) {
    SINEW_TRY(const std::size_t joint, bone_of(stretch.bone));
    if (!(stretch.factor > 0 && stretch.factor <= 1e6))
      return parameter_error("stretch", fmt::format("of {} must lie above 0", printable(stretch.bone)));
    SINEW_CHECK(stretch_bone(rig.skeleton, bind, joint, stretch.factor, pose));
  }
  for (const PoseRequest::Twist& twist : request.twists) {
    SINEW_TRY(const std::size_t joint, bone_of(twist.bone));
    pose.bones[joint].twist_head = twist.head * std::numbers::pi / 180;
    pose.bones[joint].twist_tail = twist.tail * std::numbers::pi / 180;
  }
  return {};
}

// Whether a clip holds what drivers would say.
bool moves_driven(const Rig& rig, const Clip& clip) {
  return std::any_of(clip.channels.begin(), clip.channels.end(), [&](const Channel& channel) {
    return channel.path == ChannelPath::kKeyWeights ||
           (channel.joint >= 0 && rig.skeleton[static_cast<std::size_t>(channel.joint)].helper);
  });
}

// What the request says on top of a pose, which is that of a clip or at rest. Helper joints and corrective
// morphs follow their drivers, unless the pose is that of a clip which has them.
Result<Pose> change_pose(const Rig& rig, const PoseRequest& request, const Clip* clip, Pose pose) {
  for (const PoseRequest::Turn& turn : request.turns) {
    SINEW_TRY(const std::size_t joint, find_joint(rig.skeleton, turn.joint));
    if (turn.bend != 0 || turn.twist != 0) {
      SINEW_TRY(const Vec3 about_bone, turn_of_bone(rig, joint, turn.bend, turn.twist));
      rotate_joint(rig.skeleton, joint, about_bone, pose);
    }
    rotate_joint(rig.skeleton, joint, turn.degrees, pose);
  }
  SINEW_CHECK(shape_bones(rig, request, pose));
  if (!(clip && moves_driven(rig, *clip) && request.turns.empty())) run_drivers(rig, pose);
  if (!request.keys.empty()) pose.key_weights = key_weights_of(rig, pose);
  for (const PoseRequest::KeyWeight& wanted : request.keys) {
    const std::vector<std::size_t> keys = keys_named(rig, wanted.key);
    if (keys.empty())
      return usage_error(
          fmt::format("there is no key '{}'; the file has {}", printable(wanted.key),
                      list_names(rig.keys, [](const ShapeKey& k) -> const std::string& { return k.name; })));
    for (const std::size_t key : keys) pose.key_weights[key] = wanted.weight;
  }
  return pose;
}

}  // namespace

Result<std::size_t> find_clip(const Rig& rig, const std::string& name) {
  for (std::size_t c = 0; c < rig.clips.size(); ++c)
    if (rig.clips[c].name == name) return c;
  if (const auto index = parse_int(name);
      index && *index >= 0 && static_cast<std::size_t>(*index) < rig.clips.size())
    return static_cast<std::size_t>(*index);
  for (std::size_t c = 0; c < rig.clips.size(); ++c)
    if (equals_ignoring_case(rig.clips[c].name, name)) return c;
  return usage_error(
      fmt::format("there is no clip '{}'; the file has {}", printable(name),
                  list_names(rig.clips, [](const Clip& c) -> const std::string& { return c.name; })));
}

Result<Pose> make_pose(const Rig& rig, const PoseRequest& request) {
  if (!request.clip) return change_pose(rig, request, nullptr, rest_pose(rig.skeleton));
  SINEW_TRY(const std::size_t clip, find_clip(rig, *request.clip));
  return make_pose(rig, request, rig.clips[clip], request.time);
}

Result<Pose> make_pose(const Rig& rig, const PoseRequest& request, const Clip& clip, double time) {
  Pose pose = rest_pose(rig.skeleton);
  pose.key_weights = key_weights_of(rig, pose);
  sample_clip(clip, rig.skeleton, time, pose);
  pose.key_weights.resize(rig.keys.size());
  return change_pose(rig, request, &clip, std::move(pose));
}

}  // namespace sinew
