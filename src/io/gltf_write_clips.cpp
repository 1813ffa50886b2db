// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_write_clips.h"

#include <algorithm>

namespace sinew::gltf {
namespace {

const char* interpolation_name(Interpolation interpolation) {
  switch (interpolation) {
    case Interpolation::kStep:
      return "STEP";
    case Interpolation::kCubicSpline:
      return "CUBICSPLINE";
    case Interpolation::kLinear:
      return "LINEAR";
  }
  return "LINEAR";
}

const char* path_name(ChannelPath path) {
  switch (path) {
    case ChannelPath::kRotation:
      return "rotation";
    case ChannelPath::kScale:
      return "scale";
    case ChannelPath::kKeyWeights:
      return "weights";
    case ChannelPath::kTranslation:
      return "translation";
  }
  return "translation";
}

// glTF allows one weight channel a node: the first one that moves any of the node's keys.
const Channel* channel_for(const Clip& clip, const KeyNode& node) {
  for (const Channel& channel : clip.channels) {
    if (channel.path != ChannelPath::kKeyWeights) continue;
    const auto first = static_cast<std::size_t>(channel.joint),
               end = first + static_cast<std::size_t>(channel.width);
    if (std::any_of(node.keys.begin(), node.keys.end(), [&](std::size_t k) { return k >= first && k < end; }))
      return &channel;
  }
  return nullptr;
}

// The channel's values rearranged to the keys of the node.
std::vector<float> values_for(const Rig& rig, const Channel& channel, const KeyNode& node) {
  const std::size_t parts = channel.interpolation == Interpolation::kCubicSpline ? 3 : 1;
  const auto width = static_cast<std::size_t>(channel.width), first = static_cast<std::size_t>(channel.joint);
  std::vector<float> values;
  values.reserve(channel.times.size() * parts * node.keys.size());
  for (std::size_t t = 0; t < channel.times.size(); ++t)
    for (std::size_t part = 0; part < parts; ++part)
      for (const std::size_t key : node.keys) {
        const bool moved = key >= first && key < first + width;
        const bool is_value = parts == 1 || part == 1;
        values.push_back(moved      ? channel.values[(t * parts + part) * width + key - first]
                         : is_value ? static_cast<float>(rig.keys[key].default_weight)
                                    : 0.0f);
      }
  return values;
}

}  // namespace

bool has_channels(const Json& animation) {
  return animation.contains("channels") && !animation["channels"].empty();
}

int ClipWriter::times_accessor(std::span<const float> times) {
  const auto [found, fresh] = times_.try_emplace(std::vector<float>(times.begin(), times.end()), 0);
  if (fresh) found->second = builder_.add_floats(times, "SCALAR", kNoTarget, true);
  return found->second;
}

void ClipWriter::add_channel(int node, const char* path, Interpolation interpolation,
                             std::span<const float> times, std::span<const float> values, const char* type,
                             Json& animation) {
  Json& samplers = ensure_array(animation, "samplers");
  samplers.push_back({{"input", times_accessor(times)},
                      {"output", builder_.add_floats(values, type, kNoTarget, false)},
                      {"interpolation", interpolation_name(interpolation)}});
  ensure_array(animation, "channels")
      .push_back({{"sampler", samplers.size() - 1}, {"target", {{"node", node}, {"path", path}}}});
}

void ClipWriter::add_joint_channels(const Clip& clip, std::span<const int> joint_nodes, Json& animation) {
  for (const Channel& channel : clip.channels) {
    if (channel.path == ChannelPath::kKeyWeights || channel.joint < 0 || channel.times.empty()) continue;
    const int node = joint_nodes[static_cast<std::size_t>(channel.joint)];
    if (node < 0) continue;
    const char* type = channel.path == ChannelPath::kRotation ? "VEC4" : "VEC3";
    const std::span<const float> values = channel.values;
    if (channel.interpolation == Interpolation::kCubicSpline &&
        channel.times.size() == 1)  // glTF wants two keys
      add_channel(node, path_name(channel.path), Interpolation::kStep, channel.times,
                  values.subspan(type_width(type), type_width(type)), type, animation);
    else
      add_channel(node, path_name(channel.path), channel.interpolation, channel.times, values, type,
                  animation);
  }
}

void ClipWriter::add_weight_channels(const Clip& clip, std::span<const KeyNode> nodes, Json& animation) {
  for (const KeyNode& node : nodes)
    if (const Channel* channel = channel_for(clip, node))
      add_channel(node.node, "weights", channel->interpolation, channel->times,
                  values_for(rig_, *channel, node), "SCALAR", animation);
}

}  // namespace sinew::gltf
