// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_write_nodes.h"

#include <algorithm>

#include "sinew/skeleton/joint_parts.h"

namespace sinew::gltf {
namespace {

Json list_of(const Vec3& v) {
  return Json::array({v[0], v[1], v[2]});
}

bool is_near(const Affine3& a, const Affine3& b) {
  const double size = std::max(1e-30, a.matrix().topRows<3>().cwiseAbs().maxCoeff());
  return (a.matrix() - b.matrix()).cwiseAbs().maxCoeff() <= 1e-7 * size;
}

void set_or_erase(Json& node, const char* key, bool needed, Json value) {
  if (needed)
    node[key] = std::move(value);
  else
    node.erase(key);
}

}  // namespace

void set_transform(Json& node, const Affine3& transform, const std::optional<Trs>& stored, bool animated) {
  for (const char* key : {"matrix", "translation", "rotation", "scale"}) node.erase(key);
  const Trs parts = joint_parts(transform, stored);
  if (!animated && !is_near(transform, compose(parts))) {
    Json matrix = Json::array();
    for (int c = 0; c < 4; ++c)
      for (int r = 0; r < 4; ++r) matrix.push_back(transform(r, c));
    node["matrix"] = std::move(matrix);
    return;
  }
  const Quat& q = parts.rotation;
  set_or_erase(node, "translation", parts.translation != Vec3::Zero(), list_of(parts.translation));
  set_or_erase(node, "rotation", q.vec() != Vec3::Zero(), Json::array({q.x(), q.y(), q.z(), q.w()}));
  set_or_erase(node, "scale", parts.scale != Vec3::Ones(), list_of(parts.scale));
}

void mark_helper(Json& root, int node) {
  Json& json = root["nodes"][static_cast<std::size_t>(node)];
  ensure_object(ensure_object(json, "extensions"), "SINEW_rig")["helper"] = true;
  declare_extension(root, "SINEW_rig");
}

int add_node(Json& root, Json node) {
  Json& nodes = ensure_array(root, "nodes");
  nodes.push_back(std::move(node));
  return static_cast<int>(nodes.size() - 1);
}

void add_to_scene(Json& root, std::size_t scene, int node) {
  Json& scenes = ensure_array(root, "scenes");
  if (scenes.empty()) {
    scenes.push_back(Json::object());
    root["scene"] = 0;
  }
  ensure_array(scenes[std::min(scene, scenes.size() - 1)], "nodes").push_back(node);
}

void add_child(Json& root, int parent, int child) {
  ensure_array(root["nodes"][static_cast<std::size_t>(parent)], "children").push_back(child);
}

void put_shape(Json& root, Json& node, const BoneShape& shape) {
  if (!node.contains("extensions") && shape == BoneShape{}) return;
  Json& ours = ensure_object(ensure_object(node, "extensions"), "SINEW_rig");
  ours.erase("twist");
  ours.erase("stretch");
  if (shape.twist_head != 0 || shape.twist_tail != 0) ours["twist"] = {shape.twist_head, shape.twist_tail};
  if (shape.stretch != 1) ours["stretch"] = shape.stretch;
  if (!ours.empty()) return declare_extension(root, "SINEW_rig");
  node["extensions"].erase("SINEW_rig");
  if (node["extensions"].empty()) node.erase("extensions");
}

std::vector<int> add_joint_nodes(Builder& builder, const Skeleton& skeleton, std::span<const Affine3> local,
                                 const std::vector<bool>& wanted, const std::vector<bool>& animated,
                                 std::vector<int>& roots) {
  std::vector<int> nodes(skeleton.size(), -1);
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (!wanted[j]) continue;
    Json node = {{"name", skeleton[j].name}};
    set_transform(node, local[j], skeleton[j].rest_parts, animated[j]);
    if (skeleton[j].tail) {
      node["extensions"]["SINEW_rig"]["tail"] = list_of(*skeleton[j].tail);
      declare_extension(builder.json, "SINEW_rig");
    }
    nodes[j] = add_node(builder.json, std::move(node));
    if (skeleton[j].helper) mark_helper(builder.json, nodes[j]);
  }
  for (std::size_t j = 0; j < skeleton.size(); ++j) {
    if (!wanted[j]) continue;
    if (const int parent = skeleton[j].parent; parent >= 0)
      add_child(builder.json, nodes[static_cast<std::size_t>(parent)], nodes[j]);
    else
      roots.push_back(nodes[j]);
  }
  return nodes;
}

void gather_roots(Json& root, std::vector<int>& roots) {
  if (roots.size() < 2) return;
  const int above = add_node(root, {{"name", "armature"}, {"children", roots}});
  roots.assign(1, above);
}

std::vector<bool> animated_joints(const Rig& rig) {
  std::vector<bool> animated(rig.skeleton.size());
  for (const Clip& clip : rig.clips)
    for (const Channel& channel : clip.channels)
      if (channel.path != ChannelPath::kKeyWeights && channel.joint >= 0 &&
          static_cast<std::size_t>(channel.joint) < animated.size())
        animated[static_cast<std::size_t>(channel.joint)] = true;
  return animated;
}

std::vector<bool> needed_joints(const Rig& rig) {
  std::vector<bool> needed = animated_joints(rig);
  const bool any = rig.skeleton.deforming_count() > 0;
  for (std::size_t j = 0; j < needed.size(); ++j) needed[j] = needed[j] || rig.skeleton[j].deforms || !any;
  for (const Influence& influence : rig.weights.entries) needed[influence.joint] = true;
  const auto order = rig.skeleton.order();
  for (std::size_t k = order.size(); k-- > 0;)
    if (const int parent = rig.skeleton[order[k]].parent; parent >= 0 && needed[order[k]])
      needed[static_cast<std::size_t>(parent)] = true;
  return needed;
}

SkinSlots skin_slots(const Rig& rig, const std::vector<bool>& rigid_parts) {
  std::vector<bool> used(rig.skeleton.size());
  for (std::size_t j = 0; j < used.size(); ++j) used[j] = rig.skeleton[j].deforms;
  std::vector<bool> rigid(rig.weights.vertex_count());
  for (std::size_t p = 0; p < rigid_parts.size(); ++p)
    if (rigid_parts[p])
      std::fill_n(rigid.begin() + static_cast<std::ptrdiff_t>(rig.parts[p].vertex_begin),
                  rig.parts[p].vertex_count, true);
  for (std::size_t i = 0; i < rigid.size(); ++i)
    for (const Influence& influence : rig.weights.row(i))
      if (!rigid[i]) used[influence.joint] = true;
  SkinSlots slots;
  slots.slots.assign(rig.skeleton.size(), -1);
  for (std::size_t j = 0; j < used.size(); ++j) {
    if (!used[j]) continue;
    slots.slots[j] = static_cast<int>(slots.joints.size());
    slots.joints.push_back(j);
  }
  return slots;
}

int add_skin(Builder& builder, const Rig& rig, const SkinSlots& slots, std::span<const int> joint_nodes,
             const Affine3& to_bind) {
  std::vector<float> matrices;
  Json joints = Json::array();
  for (const std::size_t j : slots.joints) {
    joints.push_back(joint_nodes[j]);
    const Affine3 inverse_bind = rig.inverse_bind[j] * to_bind;
    for (int c = 0; c < 4; ++c)
      for (int r = 0; r < 4; ++r)
        matrices.push_back(r == 3 ? (c == 3 ? 1.0f : 0.0f) : static_cast<float>(inverse_bind(r, c)));
  }
  const int accessor = builder.add_floats(matrices, "MAT4", kNoTarget, false);
  Json& skins = ensure_array(builder.json, "skins");
  skins.push_back({{"inverseBindMatrices", accessor}, {"joints", std::move(joints)}});
  return static_cast<int>(skins.size() - 1);
}

}  // namespace sinew::gltf
