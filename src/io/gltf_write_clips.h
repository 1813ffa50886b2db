// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "io/gltf_builder.h"

namespace sinew::gltf {

// A mesh node and the rig's shape keys that its targets are, in order.
struct KeyNode {
  int node = 0;
  std::vector<std::size_t> keys;
};

// Writes channels of clips into animations; equal times become one accessor.
class ClipWriter {
 public:
  ClipWriter(Builder& builder, const Rig& rig) : builder_(builder), rig_(rig) {}

  // Joint channels, as far as joint_nodes has a node for them.
  void add_joint_channels(const Clip& clip, std::span<const int> joint_nodes, Json& animation);
  // Weight channels, sorted out to the targets of each node; keys that no channel moves keep their default.
  void add_weight_channels(const Clip& clip, std::span<const KeyNode> nodes, Json& animation);
  // One channel, as it is.
  void add_channel(int node, const char* path, Interpolation interpolation, std::span<const float> times,
                   std::span<const float> values, const char* type, Json& animation);

 private:
  int times_accessor(std::span<const float> times);
  Builder& builder_;
  const Rig& rig_;
  std::map<std::vector<float>, int> times_;
};

// An animation without channels is not allowed in glTF: true where it has some.
bool has_channels(const Json& animation);

}  // namespace sinew::gltf
