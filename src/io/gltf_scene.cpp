// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_scene.h"

#include <cmath>
#include <limits>

namespace sinew::gltf {
namespace {

Affine3 parse_matrix(const std::vector<double>& numbers) {
  Affine3 local;
  local.matrix() = Eigen::Map<const Mat4>(numbers.data());
  local.makeAffine();
  return local;
}

Quat parse_rotation(const std::vector<double>& r, std::vector<std::string>& warnings, std::size_t index) {
  if (r.empty()) return Quat::Identity();
  Quat rotation(r[3], r[0], r[1], r[2]);
  const double norm = rotation.norm();
  if (!(norm > 1e-12) || !std::isfinite(norm)) {
    warnings.push_back(item("nodes", index) + ".rotation has no length: read as no rotation");
    return Quat::Identity();
  }
  rotation.coeffs() /= norm;
  return rotation;
}

Result<void> parse_transform(const Json& json, std::vector<std::string>& warnings, std::size_t index,
                             Node& node) {
  SINEW_TRY(const auto matrix, number_list(json, "matrix", 16));
  if (!matrix.empty()) {
    node.local = parse_matrix(matrix);
    return {};
  }
  SINEW_TRY(const auto t, number_list(json, "translation", 3));
  SINEW_TRY(const auto r, number_list(json, "rotation", 4));
  SINEW_TRY(const auto s, number_list(json, "scale", 3));
  Trs parts;
  if (!t.empty()) parts.translation = Vec3(t[0], t[1], t[2]);
  parts.rotation = parse_rotation(r, warnings, index);
  if (!s.empty()) parts.scale = Vec3(s[0], s[1], s[2]);
  node.local = compose(parts);
  node.parts = parts;
  return {};
}

Result<void> parse_node(GltfDocument& document, const Json& json, std::size_t index, std::size_t meshes,
                        std::size_t skins) {
  Node& node = document.nodes[index];
  SINEW_TRY(node.mesh, index_member(json, "mesh", meshes));
  SINEW_TRY(node.skin, index_member(json, "skin", skins));
  SINEW_CHECK(parse_transform(json, document.warnings, index, node));
  SINEW_TRY(const auto children, index_list(json, "children", document.nodes.size()));
  node.has_children = !children.empty();
  for (const int child : children) {
    int& parent = document.nodes[static_cast<std::size_t>(child)].parent;
    if (parent >= 0)
      return bad_input(".children names nodes[" + std::to_string(child) + "], which has nodes[" +
                       std::to_string(parent) + "] as its parent already: a node has one parent");
    parent = static_cast<int>(index);
  }
  return {};
}

// Children of all nodes, in one list.
struct Children {
  std::vector<int> offsets, list;
};
Children children_of(const GltfDocument& document) {
  const std::size_t count = document.nodes.size();
  Children children{std::vector<int>(count + 1, 0), {}};
  for (const Node& node : document.nodes)
    if (node.parent >= 0) ++children.offsets[static_cast<std::size_t>(node.parent) + 1];
  for (std::size_t i = 0; i < count; ++i) children.offsets[i + 1] += children.offsets[i];
  children.list.resize(static_cast<std::size_t>(children.offsets[count]));
  std::vector<int> next(children.offsets.begin(), children.offsets.end() - 1);
  for (std::size_t i = 0; i < count; ++i)
    if (const int parent = document.nodes[i].parent; parent >= 0)
      children.list[static_cast<std::size_t>(next[static_cast<std::size_t>(parent)]++)] = static_cast<int>(i);
  return children;
}

// Depth first, parents before children; nodes of a cycle are left out.
std::vector<int> depth_first(const GltfDocument& document) {
  const Children children = children_of(document);
  std::vector<int> order, stack;
  order.reserve(document.nodes.size());
  for (std::size_t root = 0; root < document.nodes.size(); ++root) {
    if (document.nodes[root].parent >= 0) continue;
    stack.push_back(static_cast<int>(root));
    while (!stack.empty()) {
      const int node = stack.back();
      stack.pop_back();
      order.push_back(node);
      const auto n = static_cast<std::size_t>(node);
      for (int c = children.offsets[n + 1]; c > children.offsets[n]; --c)
        stack.push_back(children.list[static_cast<std::size_t>(c - 1)]);
    }
  }
  return order;
}

Result<void> check_globals(const GltfDocument& document) {
  std::vector<Affine3> globals(document.nodes.size());
  for (const int n : document.node_order) {
    const auto index = static_cast<std::size_t>(n);
    const Node& node = document.nodes[index];
    globals[index] =
        node.parent < 0 ? node.local : globals[static_cast<std::size_t>(node.parent)] * node.local;
    if (magnitude(globals[index]) > kLargest)
      return bad_input(item("nodes", index) +
                       " has a transform in the world that is too large to compute with: check its scale");
  }
  return {};
}

Result<void> check_scenes(const GltfDocument& document) {
  SINEW_TRY(const Json* scenes, object_list(document.json, "scenes"));
  for (std::size_t i = 0; i < scenes->size(); ++i)
    if (auto nodes = index_list((*scenes)[i], "nodes", document.nodes.size()); !nodes.ok())
      return inside(item("scenes", i), nodes.error());
  if (auto scene = index_member(document.json, "scene", scenes->size()); !scene.ok())
    return bad_input(scene.error().message.substr(1));
  return {};
}

}  // namespace

Result<void> parse_nodes(GltfDocument& document) {
  SINEW_TRY(const Json* nodes, object_list(document.json, "nodes"));
  SINEW_TRY(const Json* meshes, object_list(document.json, "meshes"));
  SINEW_TRY(const Json* skins, object_list(document.json, "skins"));
  document.nodes.resize(nodes->size());
  for (std::size_t i = 0; i < nodes->size(); ++i)
    if (auto node = parse_node(document, (*nodes)[i], i, meshes->size(), skins->size()); !node.ok())
      return inside(item("nodes", i), node.error());
  document.node_order = depth_first(document);
  if (document.node_order.size() < document.nodes.size()) {
    std::vector<bool> reached(document.nodes.size());
    for (const int n : document.node_order) reached[static_cast<std::size_t>(n)] = true;
    const auto lost =
        static_cast<std::size_t>(std::find(reached.begin(), reached.end(), false) - reached.begin());
    return bad_input(item("nodes", lost) + " is its own ancestor: break the loop of children");
  }
  SINEW_CHECK(check_scenes(document));
  return check_globals(document);
}

TreeIntervals tree_intervals(const GltfDocument& document) {
  TreeIntervals intervals{std::vector<int>(document.nodes.size()),
                          std::vector<int>(document.nodes.size(), 1)};
  for (std::size_t i = 0; i < document.node_order.size(); ++i)
    intervals.first[static_cast<std::size_t>(document.node_order[i])] = static_cast<int>(i);
  for (std::size_t i = document.node_order.size(); i > 0; --i) {
    const auto node = static_cast<std::size_t>(document.node_order[i - 1]);
    if (const int parent = document.nodes[node].parent; parent >= 0)
      intervals.size[static_cast<std::size_t>(parent)] += intervals.size[node];
  }
  return intervals;
}

bool is_helper(const GltfDocument& document, int node) {
  const Json* extensions =
      object_member(document.json["nodes"][static_cast<std::size_t>(node)], "extensions");
  const Json* ours = extensions ? object_member(*extensions, "SINEW_rig") : nullptr;
  return ours && ours->contains("helper") && (*ours)["helper"] == true;
}

JointNodes joint_nodes(const GltfDocument& document, const std::vector<std::vector<int>>& skin_joints) {
  JointNodes joints;
  std::vector<bool> listed(document.nodes.size()), wanted(document.nodes.size());
  const auto want_with_ancestors = [&](int node) {
    for (; node >= 0 && !wanted[static_cast<std::size_t>(node)];
         node = document.nodes[static_cast<std::size_t>(node)].parent)
      wanted[static_cast<std::size_t>(node)] = true;
  };
  for (const auto& skin : skin_joints)
    for (const int node : skin) {
      if (listed[static_cast<std::size_t>(node)]) continue;
      want_with_ancestors(node);
      if (is_helper(document, node)) continue;
      listed[static_cast<std::size_t>(node)] = true;
      joints.nodes.push_back(node);
    }
  joints.skin_joints = joints.nodes.size();
  bool any_mesh = false;
  for (std::size_t i = 0; i < document.nodes.size(); ++i)
    if (document.nodes[i].mesh >= 0) {
      any_mesh = true;
      want_with_ancestors(static_cast<int>(i));
    }
  const bool all = !any_mesh && skin_joints.empty();
  for (std::size_t i = 0; i < document.nodes.size(); ++i)
    if ((all || wanted[i]) && !listed[i]) joints.nodes.push_back(static_cast<int>(i));
  return joints;
}

double magnitude(const Affine3& transform) {
  double largest = 0;
  for (int c = 0; c < 4; ++c)
    for (int r = 0; r < 3; ++r) {
      const double entry = std::abs(transform(r, c));
      if (!(entry <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::infinity();
      largest = std::max(largest, entry);
    }
  return largest;
}

}  // namespace sinew::gltf
