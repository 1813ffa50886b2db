// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_builder.h"

namespace sinew::gltf {

// From rig.mesh back to the vertices that a primitive stores.
struct ToStored {
  Affine3 transform = Affine3::Identity();
  bool flipped = false;
};

// What every part of a mesh needs, made once.
struct MeshTables {
  explicit MeshTables(const PolyMesh& mesh);
  const PolyMesh& mesh;
  TriangleView view;            // empty where all faces are triangles already
  std::vector<Vec3f> computed;  // normals, where the mesh has none
  std::span<const Vec3f> normals;
};

// Parts of the rig; one that covers all where it lists none.
std::vector<MeshPart> parts_of(const Rig& rig);

// Replaces POSITION and NORMAL of the primitive; TANGENT goes, since nothing keeps it true. `positions` are
// those of the part.
void put_vertices(Builder& builder, const MeshTables& tables, const MeshPart& part, const ToStored& to_stored,
                  Json& primitive);
void put_texcoords(Builder& builder, const PolyMesh& mesh, const MeshPart& part, Json& primitive);
// Replaces indices and polygons; leaves the primitive alone where the part has no faces.
void put_faces(Builder& builder, const MeshTables& tables, const MeshPart& part, bool flipped,
               Json& primitive);

// Replaces JOINTS_n, WEIGHTS_n and _SINEW_ENDPOINT_n. slots[j] is the place of joint j in the skin, or -1.
void put_weights(Builder& builder, const Rig& rig, const MeshPart& part, std::span<const int> slots,
                 const GltfWriteOptions& options, Json& primitive);
void erase_weights(Json& primitive);
// Puts a property into the document's SINEW_rig, or takes it out where `value` is null.
void put_own_property(Json& root, const char* key, Json value);
// Says in the document's SINEW_rig what made the endpoint weights, or takes that out where there are none.
void put_endpoint_method(Json& root, const EndpointWeights& endpoint);

// Appends one target with the deltas of the part's vertices; normals only where given.
void put_target(Builder& builder, std::span<const Vec3f> deltas, std::span<const Vec3f> normal_deltas,
                const MeshPart& part, const ToStored& to_stored, Json& primitive, bool sparse = false);

}  // namespace sinew::gltf
