// SPDX-License-Identifier: Apache-2.0
#include "io/gltf_cages.h"
#include "io/gltf_editor.h"
#include "io/gltf_flesh.h"
#include "io/gltf_joint_weights.h"
#include "io/gltf_key_info.h"
#include "io/gltf_stack.h"
#include "sinew/rig/local_origin.h"

namespace sinew::gltf {

void Editor::make_plain() {
  const PolyMesh mesh = plain_mesh(rig, options.baked);
  const MeshTables tables(mesh);
  const Vec3 origin = place_near(mesh.positions);  // far from the origin nodes carry what floats cannot
  builder.json.erase("animations");
  drop_skins();
  put_endpoint_method(builder.json, {});
  put_joint_deformers(builder.json, {}, {});
  put_stack(builder.json, {});
  put_key_info(builder.json, {}, {});
  put_cages(builder, {}, {});
  put_flesh(builder, {}, {});
  std::vector<int> moved;
  for (const MeshNode& node : mesh_nodes()) {
    for (std::size_t p = node.begin; p < node.end; ++p) {
      Json& primitive = primitive_json(p);
      erase_weights(primitive);
      primitive.erase("targets");
      put_vertices(builder, tables, rig.parts[p], {Affine3(Eigen::Translation3d(-origin)), false}, primitive);
      put_faces(builder, tables, rig.parts[p], false, primitive);
      if (options.baked) put_baked_targets(builder, *options.baked, rig.parts[p], primitive);
    }
    if (options.baked)
      name_baked_targets(*options.baked, mesh_json(node.node));
    else
      name_targets({}, {}, mesh_json(node.node));
    // The mesh moves to a node of its own: the old one may carry children that need its transform.
    Json& old = builder.json["nodes"][static_cast<std::size_t>(node.node)];
    Json fresh = {{"name", rig.parts[node.begin].name}, {"mesh", mesh_of(node.node)}};
    if (!origin.isZero(0)) fresh["translation"] = {origin.x(), origin.y(), origin.z()};
    old.erase("mesh");
    old.erase("weights");
    moved.push_back(add_node(builder.json, std::move(fresh)));
    for (const std::size_t scene : scenes_with(node.node)) add_to_scene(builder.json, scene, moved.back());
  }
  if (options.baked) put_baked_clip(builder, rig, *options.baked, moved);
}

}  // namespace sinew::gltf
