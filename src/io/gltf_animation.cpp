// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_animation.h"

#include <cmath>

#include "io/gltf_accessor.h"

namespace sinew::gltf {
namespace {

std::optional<ChannelPath> path_of(const std::string& name) {
  if (name == "translation") return ChannelPath::kTranslation;
  if (name == "rotation") return ChannelPath::kRotation;
  if (name == "scale") return ChannelPath::kScale;
  if (name == "weights") return ChannelPath::kKeyWeights;
  return std::nullopt;  // "pointer" and whatever else an extension brings
}

Interpolation interpolation_of(const Json& sampler) {
  const std::string name = string_member(sampler, "interpolation");
  if (name == "STEP") return Interpolation::kStep;
  return name == "CUBICSPLINE" ? Interpolation::kCubicSpline : Interpolation::kLinear;
}

int width_of(ChannelPath path) {
  return path == ChannelPath::kRotation ? 4 : path == ChannelPath::kKeyWeights ? 1 : 3;
}

Result<void> parse_sampler(const GltfDocument& document, const Json& sampler, RawChannel& channel) {
  SINEW_TRY(channel.input, index_member(sampler, "input", document.accessors.size()));
  SINEW_TRY(channel.output, index_member(sampler, "output", document.accessors.size()));
  if (channel.input < 0 || channel.output < 0)
    return bad_input(" lacks input or output: export the file again");
  channel.interpolation = interpolation_of(sampler);
  const Accessor &input = document.accessors[at(channel.input)],
                 &output = document.accessors[at(channel.output)];
  if (input.width() != 1 || input.component != Component::kFloat)
    return bad_input(".input is accessors[" + std::to_string(channel.input) +
                     "], which does not hold times as floats");
  if (output.rows != width_of(channel.path) || output.columns != 1)
    return bad_input(".output is accessors[" + std::to_string(channel.output) + "], which does not hold " +
                     std::to_string(width_of(channel.path)) + " numbers per keyframe");
  const std::uint64_t keys = input.count * (channel.interpolation == Interpolation::kCubicSpline ? 3 : 1);
  const bool fits =
      channel.path == ChannelPath::kKeyWeights ? keys == 0 || output.count % keys == 0 : output.count == keys;
  if (!fits)
    return bad_input(" has " + std::to_string(input.count) + " times and " + std::to_string(output.count) +
                     " values, which do not match: export the file again");
  return {};
}

// nullopt: a channel that moves nothing of ours.
Result<std::optional<RawChannel>> parse_channel(const GltfDocument& document, const Json& channel,
                                                const Json& samplers, const std::string& animation) {
  RawChannel raw;
  const Json* target = object_member(channel, "target");
  if (!target) return bad_input(".target is missing: export the file again");
  auto node = index_member(*target, "node", document.nodes.size());
  if (!node.ok()) return inside(".target", node.error());
  SINEW_TRY(const int sampler, index_member(channel, "sampler", samplers.size()));
  const auto path = path_of(string_member(*target, "path"));
  if (*node < 0 || !path) return std::optional<RawChannel>();
  if (sampler < 0) return bad_input(".sampler is missing: export the file again");
  raw.node = *node;
  raw.path = *path;
  raw.place = item(animation + ".samplers", at(sampler));
  if (auto parsed = parse_sampler(document, samplers[at(sampler)], raw); !parsed.ok())
    return bad_input(" uses sampler " + std::to_string(sampler) + ", which" + parsed.error().message);
  return std::optional<RawChannel>(raw);
}

Result<RawAnimation> parse_animation(const GltfDocument& document, const Json& json, std::size_t index) {
  RawAnimation animation;
  animation.name = animation_name(json, index);
  SINEW_TRY(const Json* channels, object_list(json, "channels"));
  SINEW_TRY(const Json* samplers, object_list(json, "samplers"));
  for (std::size_t c = 0; c < channels->size(); ++c) {
    auto channel = parse_channel(document, (*channels)[c], *samplers, item("animations", index));
    if (!channel.ok()) return inside(item("channels", c), channel.error());
    if (*channel) animation.channels.push_back(**std::move(channel));
  }
  return animation;
}

struct Faults {
  std::size_t times = 0, rotations = 0, numbers = 0;
};

// Keeps the keyframes whose time is finite and above all before it.
void keep_rising(Channel& channel, std::size_t per_key, Faults& faults) {
  std::size_t kept = 0;
  for (std::size_t k = 0; k < channel.times.size(); ++k) {
    const float time = channel.times[k];
    if (!(std::abs(time) <= 1e9f) || (kept > 0 && time <= channel.times[kept - 1])) {
      ++faults.times;
      continue;
    }
    if (kept != k) {
      channel.times[kept] = time;
      std::copy_n(channel.values.begin() + static_cast<std::ptrdiff_t>(k * per_key), per_key,
                  channel.values.begin() + static_cast<std::ptrdiff_t>(kept * per_key));
    }
    ++kept;
  }
  channel.times.resize(kept);
  channel.values.resize(kept * per_key);
}

void mend_values(Channel& channel, std::size_t per_key, Faults& faults) {
  for (float& value : channel.values)
    if (!(std::abs(value) <= kLargest)) {
      value = 0;
      ++faults.numbers;
    }
  if (channel.path != ChannelPath::kRotation) return;
  const std::size_t first = per_key == 12 ? 4 : 0;  // tangents stand around the value
  for (std::size_t k = 0; k < channel.times.size(); ++k) {
    Eigen::Map<Vec4f> rotation(channel.values.data() + k * per_key + first);
    const double norm = rotation.cast<double>().norm();
    if (norm < 1e-6) {
      rotation = Vec4f(0, 0, 0, 1);
      ++faults.rotations;
    } else if (std::abs(norm - 1) > 1e-4) {
      rotation = (rotation.cast<double>() / norm).cast<float>();
    }
  }
}

const KeyGroup* group_of(const GltfDocument& document, int node) {
  const int group = document.node_key_group.empty() ? -1 : document.node_key_group[at(node)];
  return group < 0 ? nullptr : &document.key_groups[at(group)];
}

// nullopt: the channel moves a node that is no joint, or weights of a mesh without keys.
Result<std::optional<Channel>> read_channel(const GltfDocument& document, const RawChannel& raw,
                                            Faults& faults) {
  Channel channel;
  channel.path = raw.path;
  channel.interpolation = raw.interpolation;
  channel.width = width_of(raw.path);
  channel.joint = document.node_joints[at(raw.node)];
  const std::size_t parts = raw.interpolation == Interpolation::kCubicSpline ? 3 : 1;
  const Accessor &input = document.accessors[at(raw.input)], &output = document.accessors[at(raw.output)];
  if (raw.path == ChannelPath::kKeyWeights) {
    const KeyGroup* group = group_of(document, raw.node);
    if (!group || output.count != input.count * parts * group->count) return std::optional<Channel>();
    channel.joint = static_cast<int>(group->first);
    channel.width = static_cast<int>(group->count);
  }
  if (channel.joint < 0 || input.count == 0) return std::optional<Channel>();
  SINEW_TRY(channel.times, read_floats(document, input));
  SINEW_TRY(channel.values, read_floats(document, output));
  const std::size_t per_key = parts * at(channel.width);
  keep_rising(channel, per_key, faults);
  mend_values(channel, per_key, faults);
  if (channel.times.empty()) return std::optional<Channel>();
  return std::optional<Channel>(std::move(channel));
}

Result<void> check_budget(const GltfDocument& document, const std::vector<RawAnimation>& animations) {
  double bytes = 0;
  for (const RawAnimation& animation : animations)
    for (const RawChannel& channel : animation.channels) {
      const Accessor &input = document.accessors[at(channel.input)],
                     &output = document.accessors[at(channel.output)];
      bytes +=
          4.0 * static_cast<double>(input.count) + 4.0 * static_cast<double>(output.count) * output.width();
    }
  if (bytes > memory_budget(document))
    return bad_input("the animations share samplers so often that they would need " +
                     std::to_string(static_cast<std::uint64_t>(bytes / (1 << 20))) +
                     " MiB: bake fewer channels");
  return {};
}

}  // namespace

std::string animation_name(const Json& json, std::size_t index) {
  std::string name = string_member(json, "name");
  return name.empty() ? "clip" + std::to_string(index) : name;
}

Result<std::vector<RawAnimation>> parse_animations(GltfDocument& document) {
  SINEW_TRY(const Json* list, object_list(document.json, "animations"));
  std::vector<RawAnimation> animations;
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto animation = parse_animation(document, (*list)[i], i);
    if (!animation.ok()) return inside(item("animations", i) + ".", animation.error());
    animations.push_back(*std::move(animation));
  }
  SINEW_CHECK(check_budget(document, animations));
  return animations;
}

Result<std::vector<Clip>> read_clips(GltfDocument& document, const std::vector<RawAnimation>& animations) {
  std::vector<Clip> clips;
  Faults faults;
  for (const RawAnimation& animation : animations) {
    Clip clip;
    clip.name = animation.name;
    for (const RawChannel& raw : animation.channels) {
      auto channel = read_channel(document, raw, faults);
      if (!channel.ok()) return inside(raw.place, channel.error());
      if (*channel) clip.channels.push_back(**std::move(channel));
    }
    clips.push_back(std::move(clip));
  }
  const auto note = [&](std::size_t count, const char* what) {
    if (count > 0) document.warnings.push_back("animations hold " + std::to_string(count) + what);
  };
  note(faults.times, " keyframes whose time does not rise or is not finite: left out");
  note(faults.rotations, " rotations without length: read as no rotation");
  note(faults.numbers, " values that are not finite: read as 0");
  return clips;
}

}  // namespace sinew::gltf
