// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_skin.h"
#include "io/gltf_write_keys.h"
#include "io/gltf_write_nodes.h"

namespace sinew::gltf {

// A node that carries parts [begin, end).
struct MeshNode {
  int node = 0;
  std::size_t begin = 0, end = 0;
};

// A copy of a document under edit. One method an edit; write_edited runs them in order.
struct Editor {
  Editor(const Rig& rig, const GltfDocument& document, const GltfWriteOptions& options);

  const Rig& rig;
  const GltfDocument& document;
  const GltfWriteOptions& options;
  Builder builder;
  std::vector<int> joint_nodes;  // per joint of the rig
  std::vector<KeyNode> key_nodes;

  bool is_plain() const { return options.without_skin || options.baked != nullptr; }
  // kUsage where the rig and the document do not belong together.
  Result<void> check() const;

  int mesh_of(int node) const;
  Json& mesh_json(int node);
  Json& primitive_json(std::size_t part);
  ToStored to_stored(std::size_t part) const;
  std::vector<MeshNode> mesh_nodes() const;
  std::vector<std::size_t> scenes_with(int node) const;

  // A mesh under several nodes becomes one for each: what we write differs between them.
  void give_own_meshes();
  void find_key_nodes();
  void drop_skins();

  void replace_geometry();
  void replace_skin();
  void replace_keys();
  void replace_attributes();
  void replace_clips();
  // Channels of the old joints that carry nothing else go, those of the rig's clips come; clips without any
  // go.
  void move_channels_to_new_joints();
  void renew_weight_channels();
  void set_pose();
  void set_names();
  // The deformed mesh alone: nodes at the scene root, no skins, no clips, no targets but the baked ones.
  void make_plain();
};

}  // namespace sinew::gltf
