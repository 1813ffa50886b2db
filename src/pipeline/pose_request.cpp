// SPDX-License-Identifier: Apache-2.0
#include "sinew/pipeline/pose_request.h"

#include <fmt/format.h>

#include <algorithm>

#include "sinew/core/text.h"

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
  return usage_error(fmt::format(
      "there is no joint '{}'; the file has {}", printable(name),
      list_names(skeleton.joints(), [](const Joint& j) -> const std::string& { return j.name; })));
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
  Pose pose = rest_pose(rig.skeleton);
  if (request.clip) {
    SINEW_TRY(const std::size_t clip, find_clip(rig, *request.clip));
    pose.key_weights = key_weights_of(rig, pose);
    sample_clip(rig.clips[clip], rig.skeleton, request.time, pose);
    pose.key_weights.resize(rig.keys.size());
  }
  for (const PoseRequest::Turn& turn : request.turns) {
    SINEW_TRY(const std::size_t joint, find_joint(rig.skeleton, turn.joint));
    turn_joint(rig.skeleton, joint, turn.degrees, pose);
  }
  if (!request.keys.empty()) pose.key_weights = key_weights_of(rig, pose);
  for (const PoseRequest::KeyWeight& wanted : request.keys) {
    const auto key = std::find_if(rig.keys.begin(), rig.keys.end(),
                                  [&](const ShapeKey& k) { return k.name == wanted.key; });
    if (key == rig.keys.end())
      return usage_error(
          fmt::format("there is no key '{}'; the file has {}", printable(wanted.key),
                      list_names(rig.keys, [](const ShapeKey& k) -> const std::string& { return k.name; })));
    pose.key_weights[static_cast<std::size_t>(key - rig.keys.begin())] = wanted.weight;
  }
  return pose;
}

}  // namespace sinew
