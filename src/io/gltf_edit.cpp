// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_edit.h"

#include <algorithm>

#include "io/gltf_attributes.h"
#include "io/gltf_cages.h"
#include "io/gltf_drivers.h"
#include "io/gltf_editor.h"
#include "io/gltf_flesh.h"
#include "io/gltf_key_info.h"
#include "io/gltf_stack.h"
#include "io/gltf_vrm.h"

namespace sinew::gltf {

Editor::Editor(const Rig& rig_to_write, const GltfDocument& source, const GltfWriteOptions& write_options)
    : rig(rig_to_write),
      document(source),
      options(write_options),
      builder(source),
      joint_nodes(source.joint_nodes) {
  joint_nodes.resize(rig.skeleton.size(), -1);
}

int Editor::mesh_of(int node) const {
  return static_cast<int>(builder.json["nodes"][static_cast<std::size_t>(node)]["mesh"].get<double>());
}

void Editor::set_names() {
  for (std::size_t j = 0; j < joint_nodes.size(); ++j)
    if (joint_nodes[j] >= 0)
      builder.json["nodes"][static_cast<std::size_t>(joint_nodes[j])]["name"] = rig.skeleton[j].name;
}

Json& Editor::mesh_json(int node) {
  return builder.json["meshes"][static_cast<std::size_t>(mesh_of(node))];
}

Json& Editor::primitive_json(std::size_t part) {
  const PartSource& source = document.parts[part];
  return mesh_json(source.node)["primitives"][static_cast<std::size_t>(source.primitive)];
}

ToStored Editor::to_stored(std::size_t part) const {
  return {inverted(rig.parts[part].to_bind).value_or(Affine3::Identity()), document.parts[part].flipped};
}

std::vector<MeshNode> Editor::mesh_nodes() const {
  std::vector<MeshNode> nodes;
  for (std::size_t p = 0; p < document.parts.size(); ++p) {
    if (nodes.empty() || nodes.back().node != document.parts[p].node)
      nodes.push_back({document.parts[p].node, p, p});
    nodes.back().end = p + 1;
  }
  return nodes;
}

void Editor::give_own_meshes() {
  std::vector<int> users(builder.json.contains("meshes") ? builder.json["meshes"].size() : 0, 0);
  for (const Node& node : document.nodes)
    if (node.mesh >= 0) ++users[static_cast<std::size_t>(node.mesh)];
  for (const MeshNode& node : mesh_nodes()) {
    int& count = users[static_cast<std::size_t>(mesh_of(node.node))];
    if (count-- <= 1) continue;
    Json copy = mesh_json(node.node);
    builder.json["meshes"].push_back(std::move(copy));
    builder.json["nodes"][static_cast<std::size_t>(node.node)]["mesh"] = builder.json["meshes"].size() - 1;
  }
}

std::vector<std::size_t> Editor::scenes_with(int node) const {
  while (document.nodes[static_cast<std::size_t>(node)].parent >= 0)
    node = document.nodes[static_cast<std::size_t>(node)].parent;
  std::vector<std::size_t> scenes;
  const auto list = document.json.find("scenes");
  if (list == document.json.end()) return scenes;
  for (std::size_t s = 0; s < list->size(); ++s) {
    const auto nodes = (*list)[s].find("nodes");
    if (nodes == (*list)[s].end()) continue;
    if (std::any_of(nodes->begin(), nodes->end(), [&](const Json& root) { return root == node; }))
      scenes.push_back(s);
  }
  return scenes;
}

void Editor::drop_skins() {
  builder.json.erase("skins");
  if (!builder.json.contains("nodes")) return;
  for (Json& node : builder.json["nodes"]) node.erase("skin");
}

void Editor::replace_geometry() {
  const MeshTables tables(rig.mesh);
  for (std::size_t p = 0; p < rig.parts.size(); ++p) {
    put_vertices(builder, tables, rig.parts[p], to_stored(p), primitive_json(p));
    put_faces(builder, tables, rig.parts[p], to_stored(p).flipped, primitive_json(p));
  }
}

void Editor::replace_keys() {
  key_nodes.clear();
  bool first = true;
  for (const MeshNode& node : mesh_nodes()) {
    const std::span<const MeshPart> parts = std::span(rig.parts).subspan(node.begin, node.end - node.begin);
    const std::vector<std::size_t> keys = keys_of(rig, parts, first);
    first = false;
    std::vector<std::string> names;
    std::vector<double> weights;
    for (const std::size_t k : keys) {
      names.push_back(rig.keys[k].name);
      weights.push_back(rig.keys[k].default_weight);
    }
    for (std::size_t p = node.begin; p < node.end; ++p)
      put_targets(builder, rig, keys, rig.parts[p], to_stored(p), primitive_json(p), options.sparse_keys);
    name_targets(names, weights, mesh_json(node.node));
    builder.json["nodes"][static_cast<std::size_t>(node.node)].erase("weights");
    key_nodes.push_back({node.node, keys});
  }
}

void Editor::replace_attributes() {
  std::vector<VertexAttribute> painted;
  for (const std::string& name : options.attributes)
    if (const VertexAttribute* attribute = rig.attribute(name)) painted.push_back(*attribute);
  for (std::size_t p = 0; p < rig.parts.size(); ++p)
    put_attributes(builder, painted, rig.parts[p], primitive_json(p));
}

void Editor::find_key_nodes() {
  for (const KeyGroup& group : document.key_groups)
    for (const int node : group.nodes) {
      KeyNode keys{node, {}};
      for (std::size_t k = 0; k < group.count; ++k) keys.keys.push_back(group.first + k);
      key_nodes.push_back(std::move(keys));
    }
}

void Editor::set_pose() {
  if (!options.posed) return;
  const std::vector<bool> animated = animated_joints(rig);
  const bool own = joint_nodes.size() == document.joint_nodes.size();
  for (std::size_t j = 0; j < joint_nodes.size(); ++j) {
    if (joint_nodes[j] < 0) continue;
    const Affine3& local = options.posed->local[j];
    const auto node = static_cast<std::size_t>(joint_nodes[j]);
    put_shape(builder.json, builder.json["nodes"][node],
              j < options.posed->bones.size() ? options.posed->bones[j] : BoneShape{});
    if (own && node < document.nodes.size() && local.matrix() == document.nodes[node].local.matrix())
      continue;
    set_transform(builder.json["nodes"][node], local, rig.skeleton[j].rest_parts, animated[j]);
  }
  if (options.posed->key_weights.empty()) return;
  const std::vector<double> weights = key_weights_of(rig, *options.posed);
  for (const KeyNode& node : key_nodes) {
    std::vector<double> own_weights;
    for (const std::size_t k : node.keys) own_weights.push_back(weights[k]);
    if (!own_weights.empty())
      builder.json["nodes"][static_cast<std::size_t>(node.node)]["weights"] = own_weights;
  }
}

Result<void> Editor::check() const {
  const bool touches_parts = options.edit.geometry || options.edit.skin || options.edit.keys ||
                             !options.attributes.empty() || is_plain();
  if (touches_parts && rig.parts.size() != document.parts.size())
    return usage_error(document.path.string() +
                       ": the rig no longer has the parts of this file; write it without the document");
  for (std::size_t p = 0; touches_parts && p < rig.parts.size(); ++p) {
    const Json& primitive =
        document.json["meshes"][static_cast<std::size_t>(document.parts[p].mesh)]["primitives"]
                     [static_cast<std::size_t>(document.parts[p].primitive)];
    const auto accessor = static_cast<std::size_t>(primitive["attributes"]["POSITION"].get<double>());
    if (document.accessors[accessor].count != rig.parts[p].vertex_count)
      return usage_error(document.path.string() +
                         ": the rig no longer has the vertices of this file; write it without the document");
  }
  return {};
}

Result<std::string> write_edited(const Rig& rig, const GltfDocument& document,
                                 const GltfWriteOptions& options) {
  Editor editor(rig, document, options);
  SINEW_CHECK(editor.check());
  const GltfEdit& edit = options.edit;
  if (edit.geometry || edit.skin || edit.keys || !options.attributes.empty() || editor.is_plain())
    editor.give_own_meshes();
  editor.find_key_nodes();
  if (editor.is_plain()) {
    editor.make_plain();
  } else {
    if (edit.geometry) editor.replace_geometry();
    if (edit.skin) editor.replace_skin();
    if (edit.keys) editor.replace_keys();
    if (!options.attributes.empty()) editor.replace_attributes();
    if (edit.keys || edit.skin) put_key_info(editor.builder.json, rig, editor.joint_nodes);
    if (edit.clips)
      editor.replace_clips();
    else if (edit.keys)
      editor.renew_weight_channels();
    if (edit.skin || edit.keys) put_drivers(editor.builder.json, rig, editor.joint_nodes);
    if (edit.pose) editor.set_pose();
    if (edit.stack) put_stack(editor.builder.json, rig.stack);
    if (edit.skin) put_flesh(editor.builder, rig, editor.joint_nodes);
    if (edit.cages) put_cages(editor.builder, rig, editor.joint_nodes);
    if (edit.names) editor.set_names();
  }
  put_certificate(editor.builder.json, options.certificate);
  put_vrm(editor.builder.json, options.vrm, editor.joint_nodes);
  drop_unused(editor.builder, document.json);
  embed_images(editor.builder, document, options.binary);
  return editor.builder.finish(options.binary);
}

}  // namespace sinew::gltf
