// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "sinew/mesh/poly_mesh.h"
#include "sinew/rig/cage.h"
#include "sinew/rig/drivers.h"
#include "sinew/rig/flesh.h"
#include "sinew/rig/handles.h"
#include "sinew/rig/joint_weights.h"
#include "sinew/rig/pose_space.h"
#include "sinew/rig/skin_weights.h"
#include "sinew/rig/stack.h"
#include "sinew/skeleton/clip.h"
#include "sinew/skeleton/pose.h"
#include "sinew/skeleton/skeleton.h"

namespace sinew {

/// A run of vertices and faces that came from one primitive of one mesh node; a file without nodes is one
/// part.
struct MeshPart {
  std::string name;
  std::size_t vertex_begin = 0, vertex_count = 0;
  std::size_t face_begin = 0, face_count = 0;
  bool skinned = false;                   ///< false: a rigid piece of one node, or static
  Affine3 to_bind = Affine3::Identity();  ///< from stored vertices to rig.mesh
};

/// A shape key: offsets of the rest positions (and normals) at weight 1. Other weights are interpolated in
/// object, tangent or differential space, as the step `keys` of the stack is set.
struct ShapeKey {
  std::string name;
  std::vector<Vec3f> deltas;         ///< per vertex
  std::vector<Vec3f> normal_deltas;  ///< per vertex, or empty
  double default_weight = 0;
  /// Its triangles only stretch, or only rotate: evaluated on gradients (deform/differential_keys.h).
  bool without_rotation = false, without_scale = false;
  std::string mask = {};  ///< where it acts, as the masks of a stack; empty: everywhere
};

/// Position of a vertex along each of its bones, for deformers that stretch and twist bones: 0 moves with the
/// bone's head, 1 with its tail.
struct EndpointWeights {
  std::string method;         ///< a name of endpoint_names(), or "painted"; empty: there are none
  std::vector<float> values;  ///< one per entry of Rig::weights, in [0, 1]; or empty
  std::vector<float> twist;   ///< separate ones for twist; empty: as `values`

  bool empty() const { return values.empty(); }
  float for_twist(std::size_t entry) const { return twist.empty() ? values[entry] : twist[entry]; }
};

/// A character: mesh, skeleton, weights and the data of deformers. The mesh is in bind space, where the
/// joints have the transforms inverse_bind[j]^-1; the file's own pose is skeleton rest_local. A posed vertex
/// is sum_j w_j * global_j(pose) * inverse_bind[j] * (p + sum_k key_weight_k * delta_k); a vertex with an
/// empty row stays.
struct Rig {
  PolyMesh mesh;
  std::vector<MeshPart> parts;  ///< cover the mesh in order
  Skeleton skeleton;
  std::vector<Affine3> inverse_bind;  ///< per joint
  SkinWeights weights;                ///< per vertex; vertices of rigid parts have weight 1 for their node
  EndpointWeights endpoint;           ///< empty, or as long as weights.entries
  JointWeights joint_weights;         ///< empty, or per vertex
  Flesh flesh;                        ///< empty, or per vertex
  std::vector<ShapeKey> keys;
  std::vector<Clip> clips;
  std::vector<VertexAttribute> attributes;  ///< painted values, by name
  Stack stack;                              ///< empty: the default one
  std::vector<Cage> cages;
  PointHandles points;
  /// Edges without a face: springs through the interior, for deformers that solve for a shape.
  std::vector<std::array<std::uint32_t, 2>> loose_edges;
  std::vector<PoseSpace> pose_spaces;
  Drivers drivers;  ///< of helper joints and corrective keys, for poses without a clip

  const VertexAttribute* attribute(std::string_view name) const;  ///< null if there is none
};

/// Global transforms of the joints in bind space (inverse_bind^-1; where that is singular, the rest pose's).
std::vector<Affine3> bind_transforms(const Rig& rig);

/// matrices[j] = globals[j] * inverse_bind[j]: from bind space to the pose, one per joint. Never allocates.
void skinning_matrices(const Rig& rig, std::span<const Affine3> globals,
                       std::span<Affine3> matrices) noexcept;

/// Key weights of the pose, or the keys' defaults if it has none; rig.keys.size() numbers.
std::vector<double> key_weights_of(const Rig& rig, const Pose& pose);

/// Endpoint weights for new rows of the same vertices: a joint that a row keeps also keeps its value; the
/// others are NaN, to be filled by the caller. `before` and `after` have the same number of rows.
std::vector<float> carry_endpoints(const SkinWeights& before, std::span<const float> values,
                                   const SkinWeights& after);

/// kBadInput with a message if sizes, indices or numbers are inconsistent. Every reader calls it before it
/// returns. Cost: linear.
Result<void> validate(const Rig& rig);

}  // namespace sinew
