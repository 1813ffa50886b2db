// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "io/gltf_editor.h"

namespace sinew::gltf {
namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

bool same_skeleton(const Skeleton& a, const Skeleton& b) {
  if (a.size() != b.size() || a.empty()) return false;
  for (std::size_t j = 0; j < a.size(); ++j)
    if (a[j].name != b[j].name || a[j].parent != b[j].parent) return false;
  return true;
}

bool near(const Affine3& a, const Affine3& b) {
  return (a.matrix() - b.matrix()).cwiseAbs().maxCoeff() <=
         1e-9 * std::max(1.0, a.matrix().cwiseAbs().maxCoeff());
}

// Nodes of the document where the joints are its own; what moved is set, joints that had no node get one.
void reuse_nodes(Editor& editor) {
  const Skeleton& skeleton = editor.rig.skeleton;
  const std::vector<bool> animated = animated_joints(editor.rig);
  const SkinSlots slots = skin_slots(editor.rig);
  editor.joint_nodes = editor.document.joint_nodes;
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    int& node = editor.joint_nodes[j];
    if (node < 0 && slots.slots[j] >= 0) {
      node = add_node(editor.builder.json, {{"name", skeleton[j].name}});
      add_child(editor.builder.json, editor.joint_nodes[at(skeleton[j].parent)], node);
    } else if (node >= 0 && !near(skeleton[j].rest_local, editor.document.skeleton[j].rest_local)) {
      set_transform(editor.builder.json["nodes"][at(node)], skeleton[j].rest_local, animated[j]);
    }
  }
}

void add_new_nodes(Editor& editor) {
  std::vector<int> roots;
  const Pose rest = rest_pose(editor.rig.skeleton);
  editor.joint_nodes = add_joint_nodes(editor.builder, editor.rig.skeleton, rest.local,
                                       needed_joints(editor.rig), animated_joints(editor.rig), roots);
  std::vector<std::size_t> scenes;
  for (const MeshNode& node : editor.mesh_nodes())
    if (scenes.empty()) scenes = editor.scenes_with(node.node);
  if (scenes.empty()) scenes.push_back(0);
  for (const std::size_t scene : scenes)
    for (const int root : roots) add_to_scene(editor.builder.json, scene, root);
}

// A rigid piece hangs with all its weight on the joint of its own node, as the reader made it.
bool is_skinned(const Editor& editor, std::size_t part, bool same) {
  const MeshPart& mesh_part = editor.rig.parts[part];
  if (mesh_part.skinned) return true;
  for (std::size_t i = mesh_part.vertex_begin; i < mesh_part.vertex_begin + mesh_part.vertex_count; ++i) {
    const auto row = editor.rig.weights.row(i);
    if (row.empty()) continue;
    if (!same || row.size() > 1) return true;
    const int node = editor.document.joint_nodes[row[0].joint];
    if (node >= 0 && node != editor.document.parts[part].node) return true;
  }
  return false;
}

// glTF ignores the transform of a skinned node and all above it: one that is new to skinning and carries
// nothing goes to the root of the scene, without a transform.
void move_to_root(Editor& editor, int node) {
  Json& root = editor.builder.json;
  const bool is_joint =
      std::find(editor.joint_nodes.begin(), editor.joint_nodes.end(), node) != editor.joint_nodes.end() &&
      skin_slots(editor.rig)
              .slots[static_cast<std::size_t>(
                  std::find(editor.joint_nodes.begin(), editor.joint_nodes.end(), node) -
                  editor.joint_nodes.begin())] >= 0;
  if (editor.document.nodes[at(node)].has_children || is_joint) return;
  for (const Clip& clip : editor.rig.clips)
    for (const Channel& channel : clip.channels)
      if (channel.path != ChannelPath::kKeyWeights && editor.joint_nodes[at(channel.joint)] == node) return;
  Json& json = root["nodes"][at(node)];
  for (const char* key : {"matrix", "translation", "rotation", "scale"}) json.erase(key);
  const int parent = editor.document.nodes[at(node)].parent;
  if (parent < 0) return;
  Json& above = root["nodes"][at(parent)];
  Json& siblings = above["children"];
  siblings.erase(std::remove(siblings.begin(), siblings.end(), Json(node)), siblings.end());
  if (siblings.empty()) above.erase("children");
  for (const std::size_t scene : editor.scenes_with(node)) add_to_scene(root, scene, node);
}

}  // namespace

void Editor::replace_skin() {
  const bool same = same_skeleton(rig.skeleton, document.skeleton);
  if (same)
    reuse_nodes(*this);
  else
    add_new_nodes(*this);
  const SkinSlots slots = skin_slots(rig);
  builder.json.erase("skins");
  for (Json& node : builder.json["nodes"]) node.erase("skin");
  std::vector<std::pair<Affine3, int>> skins;  // one for every way from stored vertices to bind space
  for (const MeshNode& node : mesh_nodes()) {
    bool any = false;
    for (std::size_t p = node.begin; p < node.end; ++p) any = any || is_skinned(*this, p, same);
    for (std::size_t p = node.begin; p < node.end; ++p) {
      if (any)
        put_weights(builder, rig.weights, rig.parts[p], slots.slots, options.influences, primitive_json(p));
      else
        erase_weights(primitive_json(p));
    }
    if (!any || slots.joints.empty()) continue;
    const Affine3& to_bind = rig.parts[node.begin].to_bind;
    auto found =
        std::find_if(skins.begin(), skins.end(), [&](const auto& skin) { return near(skin.first, to_bind); });
    if (found == skins.end())
      found = skins.insert(skins.end(), {to_bind, add_skin(builder, rig, slots, joint_nodes, to_bind)});
    builder.json["nodes"][at(node.node)]["skin"] = found->second;
    if (document.parts[node.begin].skin < 0) move_to_root(*this, node.node);
  }
  if (skins.empty() && !slots.joints.empty()) add_skin(builder, rig, slots, joint_nodes, Affine3::Identity());
}

}  // namespace sinew::gltf
