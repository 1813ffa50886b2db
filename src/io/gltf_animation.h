// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_document.h"

namespace sinew::gltf {

// A channel of the file, checked: it moves a node, and its accessors have the right widths and counts.
struct RawChannel {
  int node = 0;
  ChannelPath path = ChannelPath::kTranslation;
  Interpolation interpolation = Interpolation::kLinear;
  int input = 0, output = 0;  // accessors
  std::string place;          // "animations[0].samplers[3]"
};
struct RawAnimation {
  std::string name;
  std::vector<RawChannel> channels;
};
// Its name, or "clip0" and so on by its place where it has none.
std::string animation_name(const Json& json, std::size_t index);
Result<std::vector<RawAnimation>> parse_animations(GltfDocument& document);

// One clip an animation, with the channels of the skeleton's nodes and of shape keys (document.key_groups).
// Times that do not rise are left out, rotations without length become none, numbers that are not finite
// become 0, each with a note.
Result<std::vector<Clip>> read_clips(GltfDocument& document, const std::vector<RawAnimation>& animations);

}  // namespace sinew::gltf
