// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <deque>
#include <set>

#include "io/gltf_editor.h"
#include "io/gltf_joint_weights.h"

namespace sinew::gltf {
namespace {

// The joints of the document, maybe renamed, and behind them at most helpers.
bool same_skeleton(const Skeleton& a, const Skeleton& b, bool renamed) {
  if (a.size() < b.size() || b.empty()) return false;
  for (std::size_t j = 0; j < b.size(); ++j)
    if ((!renamed && a[j].name != b[j].name) || a[j].parent != b[j].parent) return false;
  for (std::size_t j = b.size(); j < a.size(); ++j)
    if (!a[j].helper) return false;
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
  editor.joint_nodes.resize(skeleton.size(), -1);
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    int& node = editor.joint_nodes[j];
    if (node < 0 && slots.slots[j] >= 0) {
      node = add_node(editor.builder.json, {{"name", skeleton[j].name}});
      add_child(editor.builder.json, editor.joint_nodes[at(skeleton[j].parent)], node);
      if (skeleton[j].helper) {
        set_transform(editor.builder.json["nodes"][at(node)], skeleton[j].rest_local, std::nullopt,
                      animated[j]);
        mark_helper(editor.builder.json, node);
      }
    } else if (node >= 0 && j < editor.document.skeleton.size()) {
      const Joint& before = editor.document.skeleton[j];
      Json& json = editor.builder.json["nodes"][at(node)];
      const bool moved = !near(skeleton[j].rest_local, before.rest_local);
      if (moved) set_transform(json, skeleton[j].rest_local, skeleton[j].rest_parts, animated[j]);
      // Ends of bones that the file did not tell are found in binding.
      if (const auto& tail = skeleton[j].tail; tail && (moved || !before.tail)) {
        ensure_object(ensure_object(json, "extensions"), "SINEW_rig")["tail"] = {tail->x(), tail->y(),
                                                                                 tail->z()};
        declare_extension(editor.builder.json, "SINEW_rig");
      }
    }
  }
}

void add_new_nodes(Editor& editor) {
  std::vector<int> roots;
  const Pose rest = rest_pose(editor.rig.skeleton);
  editor.joint_nodes = add_joint_nodes(editor.builder, editor.rig.skeleton, rest.local,
                                       needed_joints(editor.rig), animated_joints(editor.rig), roots);
  gather_roots(editor.builder.json, roots);
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
    if (!same || row.size() > 1 || row[0].joint >= editor.document.joint_nodes.size()) return true;
    const int node = editor.document.joint_nodes[row[0].joint];
    if (node >= 0 && node != editor.document.parts[part].node) return true;
  }
  return false;
}

// glTF ignores the transform of a skinned node and all above it: one that is new to skinning and carries
// nothing goes to the root of the scene, without a transform.
void move_to_root(Editor& editor, int node, std::span<const int> slots) {
  Json& root = editor.builder.json;
  const auto joint =
      std::find(editor.joint_nodes.begin(), editor.joint_nodes.end(), node) - editor.joint_nodes.begin();
  const bool is_joint = at(static_cast<int>(joint)) < slots.size() && slots[at(static_cast<int>(joint))] >= 0;
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

// The skins of a file under edit. Each holds the joints of the trees that its parts hang on, since the joints
// of a skin must have a common root, for one way from stored vertices to bind space.
class SkinTable {
 public:
  SkinTable(Editor& editor, const std::vector<bool>& rigid_parts)
      : editor_(editor), all_(skin_slots(editor.rig, rigid_parts)), roots_(editor.rig.skeleton.size()) {
    for (const std::uint32_t j : editor.rig.skeleton.order()) {
      const int parent = editor.rig.skeleton[j].parent;
      roots_[j] = parent < 0 ? j : roots_[at(parent)];
    }
  }

  struct Entry {
    Affine3 to_bind;
    std::set<std::uint32_t> roots;
    SkinSlots slots;
    int skin = -1;
  };

  const Entry& skin_for(const MeshNode& node) {
    std::set<std::uint32_t> roots;
    for (std::size_t p = node.begin; p < node.end; ++p) add_roots(editor_.rig.parts[p], roots);
    if (roots.empty() && !all_.joints.empty()) roots.insert(roots_[all_.joints[0]]);
    return find(editor_.rig.parts[node.begin].to_bind, roots);
  }

  // Deforming joints of trees that no part hangs on keep a skin too, or they would no longer count as joints.
  void add_leftovers() {
    std::set<std::uint32_t> left;
    for (std::size_t j = 0; j < editor_.rig.skeleton.deforming_count(); ++j) left.insert(roots_[j]);
    for (const Entry& entry : entries_)
      for (const std::uint32_t root : entry.roots) left.erase(root);
    for (const std::uint32_t root : left) find(Affine3::Identity(), {root});
  }

 private:
  void add_roots(const MeshPart& part, std::set<std::uint32_t>& roots) const {
    const SkinWeights& weights = editor_.rig.weights;
    const std::size_t end = weights.offsets[part.vertex_begin + part.vertex_count];
    for (std::size_t e = weights.offsets[part.vertex_begin]; e < end; ++e) {
      const std::uint32_t root = roots_[weights.entries[e].joint];
      if (roots.empty() || !roots.contains(root)) roots.insert(root);
    }
  }

  const Entry& find(const Affine3& to_bind, const std::set<std::uint32_t>& roots) {
    for (const Entry& entry : entries_)
      if (entry.roots == roots && near(entry.to_bind, to_bind)) return entry;
    Entry entry{to_bind, roots, {}, -1};
    entry.slots.slots.assign(roots_.size(), -1);
    for (const std::size_t j : all_.joints) {
      if (!roots.contains(roots_[j])) continue;
      entry.slots.slots[j] = static_cast<int>(entry.slots.joints.size());
      entry.slots.joints.push_back(j);
    }
    if (!entry.slots.joints.empty())
      entry.skin = add_skin(editor_.builder, editor_.rig, entry.slots, editor_.joint_nodes, to_bind);
    entries_.push_back(std::move(entry));
    return entries_.back();
  }

  Editor& editor_;
  SkinSlots all_;
  std::vector<std::uint32_t> roots_;  // per joint
  std::deque<Entry> entries_;
};

}  // namespace

void Editor::replace_skin() {
  const bool same = same_skeleton(rig.skeleton, document.skeleton, options.edit.names);
  if (same)
    reuse_nodes(*this);
  else
    add_new_nodes(*this);
  drop_skins();
  put_endpoint_method(builder.json, rig.endpoint);
  put_joint_deformers(builder.json, rig.joint_weights, joint_nodes);
  std::vector<bool> rigid(rig.parts.size());
  for (const MeshNode& node : mesh_nodes()) {
    bool any = false;
    for (std::size_t p = node.begin; p < node.end; ++p) any = any || is_skinned(*this, p, same);
    for (std::size_t p = node.begin; p < node.end; ++p) rigid[p] = !any;
  }
  SkinTable skins(*this, rigid);
  for (const MeshNode& node : mesh_nodes()) {
    for (std::size_t p = node.begin; p < node.end; ++p) erase_weights(primitive_json(p));
    if (rigid[node.begin]) continue;
    const SkinTable::Entry& entry = skins.skin_for(node);
    if (entry.skin < 0) continue;
    for (std::size_t p = node.begin; p < node.end; ++p)
      put_weights(builder, rig, rig.parts[p], entry.slots.slots, options, primitive_json(p));
    builder.json["nodes"][at(node.node)]["skin"] = entry.skin;
    if (document.parts[node.begin].skin < 0) move_to_root(*this, node.node, entry.slots.slots);
  }
  skins.add_leftovers();
  if (!same && !options.edit.clips) move_channels_to_new_joints();
}

}  // namespace sinew::gltf
