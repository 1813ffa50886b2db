// SPDX-License-Identifier: Apache-2.0
// Writing a rig that came from no glTF file: joints first, then one node a mesh, all at the root of the
// scene.
#include <algorithm>

#include "io/gltf_attributes.h"
#include "io/gltf_cages.h"
#include "io/gltf_drivers.h"
#include "io/gltf_edges.h"
#include "io/gltf_edit.h"
#include "io/gltf_flesh.h"
#include "io/gltf_joint_weights.h"
#include "io/gltf_key_info.h"
#include "io/gltf_looks.h"
#include "io/gltf_stack.h"
#include "io/gltf_vrm.h"
#include "io/gltf_write_keys.h"
#include "io/gltf_write_nodes.h"
#include "sinew/io/gltf.h"
#include "sinew/rig/local_origin.h"

namespace sinew {
namespace {

using namespace gltf;

bool is_weighted(const Rig& rig, const MeshPart& part) {
  return rig.weights.vertex_count() > 0 &&
         rig.weights.offsets[part.vertex_begin] < rig.weights.offsets[part.vertex_begin + part.vertex_count];
}

// Parts that can share a node: in a row, and all with weights or all without.
std::vector<std::vector<MeshPart>> node_groups(const Rig& rig, bool plain) {
  std::vector<std::vector<MeshPart>> groups;
  bool last = false;
  for (const MeshPart& part : parts_of(rig)) {
    if (part.vertex_count == 0) continue;
    const bool weighted = !plain && is_weighted(rig, part);
    if (groups.empty() || weighted != last) groups.emplace_back();
    groups.back().push_back(part);
    last = weighted;
  }
  return groups;
}

// For parts without a material of their own, behind those that have one.
int add_material(Json& root) {
  Json& materials = ensure_array(root, "materials");
  for (std::size_t m = 0; m < materials.size(); ++m)
    if (materials[m]["name"] == "plain") return static_cast<int>(m);
  materials.push_back(material_json({"plain"}));
  return static_cast<int>(materials.size() - 1);
}

struct Writer {
  const Rig& rig;
  const GltfWriteOptions& options;
  bool plain;
  Builder builder;
  std::vector<int> joint_nodes, mesh_nodes;
  Vec3 origin = Vec3::Zero();  // what is stored is counted from here, and nodes carry the rest
  SkinSlots slots;
  int skin = -1;
  std::vector<KeyNode> key_nodes;

  void add_skeleton() {
    if (plain || rig.skeleton.empty()) return;
    const Pose pose = options.edit.pose && options.posed ? *options.posed : rest_pose(rig.skeleton);
    std::vector<int> roots;
    joint_nodes =
        add_joint_nodes(builder, rig.skeleton, pose.local, needed_joints(rig), animated_joints(rig), roots);
    for (std::size_t j = 0; j < pose.bones.size(); ++j)
      if (joint_nodes[j] >= 0)
        put_shape(builder.json, builder.json["nodes"][static_cast<std::size_t>(joint_nodes[j])],
                  pose.bones[j]);
    gather_roots(builder.json, roots);
    for (const int root : roots) add_to_scene(builder.json, 0, root);
    put_endpoint_method(builder.json, rig.endpoint);
    put_joint_deformers(builder.json, rig.joint_weights, joint_nodes);
    slots = skin_slots(rig);
    if (!slots.joints.empty())
      skin = add_skin(builder, rig, slots, joint_nodes, Affine3(Eigen::Translation3d(origin)));
  }

  ToStored to_stored() const { return {Affine3(Eigen::Translation3d(-origin)), false}; }

  // The looks' materials come first, in their order.
  int material_of(const MeshPart& part) {
    if (!options.looks) return add_material(builder.json);
    const std::vector<MeshPart> parts = parts_of(rig);
    for (std::size_t p = 0; p < parts.size() && p < options.looks->part_materials.size(); ++p)
      if (parts[p].vertex_begin == part.vertex_begin && parts[p].face_begin == part.face_begin &&
          options.looks->part_materials[p] >= 0)
        return options.looks->part_materials[p];
    return add_material(builder.json);
  }

  Json make_primitive(const MeshTables& tables, const MeshPart& part, std::span<const std::size_t> keys) {
    Json primitive = {{"material", material_of(part)}};
    put_vertices(builder, tables, part, to_stored(), primitive);
    put_texcoords(builder, tables.mesh, part, primitive);
    if (options.looks && !options.looks->colours.empty())
      primitive["attributes"]["COLOR_0"] =
          builder.add_vectors(std::span(options.looks->colours).subspan(part.vertex_begin, part.vertex_count),
                              kVertexTarget, false);
    put_faces(builder, tables, part, false, primitive);
    if (part.face_count == 0) primitive["mode"] = 0;
    if (!plain) put_attributes(builder, rig.attributes, part, primitive);
    if (!plain && is_weighted(rig, part)) put_weights(builder, rig, part, slots.slots, options, primitive);
    if (options.baked) put_baked_targets(builder, *options.baked, part, primitive);
    if (!plain) put_targets(builder, rig, keys, part, {}, primitive, options.sparse_keys);
    return primitive;
  }

  void add_mesh(const MeshTables& tables, std::span<const MeshPart> parts) {
    const auto keys = plain ? std::vector<std::size_t>() : keys_of(rig, parts, mesh_nodes.empty());
    Json mesh = {{"primitives", Json::array()}};
    std::string name;
    for (const MeshPart& part : parts) {
      mesh["primitives"].push_back(make_primitive(tables, part, keys));
      if (name.empty()) name = part.name;
    }
    if (name.empty()) name = "mesh";
    mesh["name"] = name;
    if (options.baked) name_baked_targets(*options.baked, mesh);
    if (!plain) name_keys(keys, mesh);
    Json& meshes = ensure_array(builder.json, "meshes");
    meshes.push_back(std::move(mesh));
    Json node = {{"name", name}, {"mesh", meshes.size() - 1}};
    if (!plain && skin >= 0 && is_weighted(rig, parts[0]))
      node["skin"] = skin;  // its joints carry it
    else if (!origin.isZero(0))
      node["translation"] = {origin.x(), origin.y(), origin.z()};
    mesh_nodes.push_back(add_node(builder.json, std::move(node)));
    add_to_scene(builder.json, 0, mesh_nodes.back());
    if (!keys.empty()) key_nodes.push_back({mesh_nodes.back(), keys});
  }

  void name_keys(std::span<const std::size_t> keys, Json& mesh) {
    const auto weights =
        options.edit.pose && options.posed ? key_weights_of(rig, *options.posed) : key_weights_of(rig, {});
    std::vector<std::string> names;
    std::vector<double> values;
    for (const std::size_t k : keys) {
      names.push_back(rig.keys[k].name);
      values.push_back(weights[k]);
    }
    name_targets(names, values, mesh);
  }

  void add_clips() {
    if (options.baked) return put_baked_clip(builder, rig, *options.baked, mesh_nodes);
    if (plain) return;
    ClipWriter writer(builder, rig);
    for (const Clip& clip : rig.clips) {
      Json animation = {{"name", clip.name}};
      if (!joint_nodes.empty()) writer.add_joint_channels(clip, joint_nodes, animation);
      writer.add_weight_channels(clip, key_nodes, animation);
      if (has_channels(animation)) ensure_array(builder.json, "animations").push_back(std::move(animation));
    }
  }
};

// Far from the origin floats have no digits left for the shape. Where some parts have weights and others do
// not, joints and mesh nodes would move bind space differently: those stay where they are.
Vec3 stored_origin(const Rig& rig, const PolyMesh& mesh, bool plain) {
  const std::vector<MeshPart> parts = parts_of(rig);
  const auto weighted = [&](const MeshPart& part) { return is_weighted(rig, part); };
  const bool alike =
      std::all_of(parts.begin(), parts.end(), weighted) || std::none_of(parts.begin(), parts.end(), weighted);
  return plain || alike ? place_near(mesh.positions) : Vec3(Vec3::Zero());
}

Result<std::string> write_new(const Rig& rig, const GltfWriteOptions& options) {
  const bool is_plain = options.without_skin || options.baked != nullptr;
  const PolyMesh plain = is_plain ? plain_mesh(rig, options.baked) : PolyMesh();
  const PolyMesh& mesh = is_plain ? plain : rig.mesh;
  Writer writer{rig, options, is_plain, {}, {}, {}, stored_origin(rig, mesh, is_plain), {}, -1, {}};
  if (options.looks) put_looks(writer.builder, *options.looks);
  writer.add_skeleton();
  const MeshTables tables(mesh);
  for (const auto& parts : node_groups(rig, writer.plain)) writer.add_mesh(tables, parts);
  writer.add_clips();
  if (!writer.plain) put_stack(writer.builder.json, rig.stack);
  if (!writer.plain) put_edges(writer.builder.json, rig);
  if (!writer.plain) put_key_info(writer.builder.json, rig, writer.joint_nodes);
  if (!writer.plain) put_drivers(writer.builder.json, rig, writer.joint_nodes);
  put_certificate(writer.builder.json, options.certificate);
  put_vrm(writer.builder.json, options.vrm, writer.joint_nodes);
  const bool moved = writer.skin >= 0 && !writer.origin.isZero(0);
  if (!writer.plain)
    put_cages(writer.builder, moved ? moved_to(rig, {writer.origin, Vec3::Zero()}) : rig, writer.joint_nodes);
  if (!writer.plain) put_flesh(writer.builder, rig, writer.joint_nodes);
  return writer.builder.finish(options.binary);
}

Result<void> check_call(const Rig& rig, const GltfWriteOptions& options) {
  if (options.influences < 1) return usage_error("a vertex needs at least one influence");
  if (options.edit.pose && options.posed && options.posed->local.size() != rig.skeleton.size())
    return usage_error("the pose has another number of joints than the rig");
  if (!options.baked) return {};
  if (options.baked->positions.empty() || !(options.baked->fps > 0))
    return usage_error("there are no frames to write");
  const auto fits = [&](const std::vector<std::vector<Vec3f>>& frames) {
    return std::all_of(frames.begin(), frames.end(),
                       [&](const auto& f) { return f.size() == rig.mesh.vertex_count(); });
  };
  if (!fits(options.baked->positions) || !fits(options.baked->normals))
    return usage_error("the frames have another number of vertices than the rig");
  if (!options.baked->normals.empty() && options.baked->normals.size() != options.baked->positions.size())
    return usage_error("there are normals for some frames only");
  return {};
}

}  // namespace

Result<std::string> write_gltf(const Rig& rig, const GltfDocument* document,
                               const GltfWriteOptions& options) {
  SINEW_CHECK(check_call(rig, options));
  GltfWriteOptions write = options;
  // What the file has in their places must not be copied.
  if (document && document->mended_geometry) {
    write.edit.geometry = true;
    write.edit.keys |= !rig.keys.empty();
  }
  const bool mended_skin = document && (document->summary.invalid > 0 ||
                                        !document->summary.off_rows.empty() || document->mended_binds);
  if (mended_skin && !write.keep_invalid && !write.edit.skin) {
    write.edit.skin = true;
    write.influences = std::max(write.influences, static_cast<int>(document->summary.influences));
  }
  SINEW_TRY(std::string bytes, document ? write_edited(rig, *document, write) : write_new(rig, write));
  // Numbers that are fine one by one may be too large together; the reader's own rules tell.
  const auto again = read_gltf_alone(bytes, "the new file");
  if (!again) return impossible("what would be written could not be read again: " + again.error().message);
  if (again->document->mended_geometry)
    return impossible(
        "what would be written could not be read again: it has coordinates beyond 1e15; scale the mesh down");
  return bytes;
}

}  // namespace sinew
