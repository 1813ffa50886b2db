// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "io/gltf_animation.h"
#include "io/gltf_editor.h"

namespace sinew::gltf {
namespace {

// Whether a channel of the file moves something that the rig's clips speak of.
bool is_ours(const GltfDocument& document, const Json& channel) {
  const Json* target = object_member(channel, "target");
  if (!target || !target->contains("node")) return false;
  const auto node = static_cast<std::size_t>((*target)["node"].get<double>());
  const std::string path = string_member(*target, "path");
  if (path == "weights") return true;
  return document.node_joints[node] >= 0 && (path == "translation" || path == "rotation" || path == "scale");
}

bool is_weights(const Json& channel) {
  const Json* target = object_member(channel, "target");
  return target && string_member(*target, "path") == "weights";
}

// Copies channels of `from` that `wanted` picks, with their samplers, behind those of `to`.
template <class Wanted>
void copy_channels(const Json& from, Wanted wanted, Json& to) {
  if (!has_channels(from)) return;
  for (const Json& channel : from["channels"]) {
    if (!wanted(channel) || !channel.contains("sampler")) continue;
    Json& samplers = ensure_array(to, "samplers");
    samplers.push_back(from["samplers"][static_cast<std::size_t>(channel["sampler"].get<double>())]);
    Json copy = channel;
    copy["sampler"] = samplers.size() - 1;
    ensure_array(to, "channels").push_back(std::move(copy));
  }
}

void put_animations(Builder& builder, Json animations) {
  if (animations.empty())
    builder.json.erase("animations");
  else
    builder.json["animations"] = std::move(animations);
}

}  // namespace

void Editor::replace_clips() {
  const Json before = builder.json.contains("animations") ? builder.json["animations"] : Json::array();
  Json animations = Json::array();
  ClipWriter writer(builder, rig);
  for (std::size_t c = 0; c < rig.clips.size(); ++c) {
    Json animation = {{"name", rig.clips[c].name}};
    writer.add_joint_channels(rig.clips[c], joint_nodes, animation);
    writer.add_weight_channels(rig.clips[c], key_nodes, animation);
    // Its own place first, since names may repeat; where clips were left out, any of that name.
    const auto is_same = [&](std::size_t k) { return animation_name(before[k], k) == rig.clips[c].name; };
    std::size_t old = c;
    if (!(old < before.size() && is_same(old)))
      for (old = 0; old < before.size() && !is_same(old);) ++old;
    if (old < before.size())
      copy_channels(
          before[old], [&](const Json& channel) { return !is_ours(document, channel); }, animation);
    if (has_channels(animation)) animations.push_back(std::move(animation));
  }
  put_animations(builder, std::move(animations));
}

void Editor::move_channels_to_new_joints() {
  if (!builder.json.contains("animations")) return;
  // A mesh that is not skinned, a camera or a light below a joint still moves with it.
  const auto is_something = [](const Json& node) {
    if ((node.contains("mesh") && !node.contains("skin")) || node.contains("camera")) return true;
    const Json* extensions = object_member(node, "extensions");
    return extensions && extensions->size() > extensions->count("SINEW_rig");
  };
  std::vector<bool> carries(document.nodes.size(), false);
  for (auto node = document.node_order.rbegin(); node != document.node_order.rend(); ++node) {
    if (is_something(builder.json["nodes"][at(*node)])) carries[at(*node)] = true;
    const int parent = document.nodes[at(*node)].parent;
    if (parent >= 0 && carries[at(*node)]) carries[at(parent)] = true;
  }
  const auto stays = [&](const Json& channel) {
    const Json* target = object_member(channel, "target");
    if (!target || !target->contains("node") || is_weights(channel)) return true;
    const auto node = static_cast<std::size_t>((*target)["node"].get<double>());
    return document.node_joints[node] < 0 || carries[node];
  };
  const Json all = builder.json["animations"];
  Json animations = Json::array();
  ClipWriter writer(builder, rig);
  for (std::size_t c = 0; c < all.size(); ++c) {
    Json animation = all[c];
    if (has_channels(animation)) {
      animation.erase("channels");
      animation.erase("samplers");
      copy_channels(all[c], stays, animation);
      if (c < rig.clips.size()) writer.add_joint_channels(rig.clips[c], joint_nodes, animation);
      if (!has_channels(animation)) continue;
    }
    animations.push_back(std::move(animation));
  }
  put_animations(builder, std::move(animations));
}

void Editor::renew_weight_channels() {
  if (!builder.json.contains("animations")) return;
  const Json before = builder.json["animations"];
  Json animations = Json::array();
  ClipWriter writer(builder, rig);
  for (std::size_t c = 0; c < before.size(); ++c) {
    Json animation = before[c];
    if (!has_channels(animation) ||
        std::none_of(animation["channels"].begin(), animation["channels"].end(), is_weights)) {
      animations.push_back(std::move(animation));
      continue;
    }
    animation.erase("channels");
    animation.erase("samplers");
    copy_channels(
        before[c], [](const Json& channel) { return !is_weights(channel); }, animation);
    if (c < rig.clips.size()) writer.add_weight_channels(rig.clips[c], key_nodes, animation);
    if (has_channels(animation)) animations.push_back(std::move(animation));
  }
  put_animations(builder, std::move(animations));
}

}  // namespace sinew::gltf
