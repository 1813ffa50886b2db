// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sinew/binding/surface.h"
#include "sinew/core/result.h"
#include "sinew/mesh/bvh.h"
#include "sinew/mesh/topology.h"
#include "sinew/weights/bone_weights.h"

namespace sinew {

/// How an island, a connected piece of the mesh, gets its weights.
enum class IslandBinding : std::uint8_t {
  kOwn,    ///< by the weight method
  kLayer,  ///< from the body beneath it: clothes, hair
  kRigid,  ///< one joint moves all of it: eyes, buttons, teeth, weapons
};

/// What is said about islands: each by its number (by area, 0 is the largest) or by the name of its mesh.
struct IslandRequest {
  bool decide = true;  ///< false: all are bound by themselves but those named below
  std::vector<std::string> layers = {}, rigid = {};
};

/// The pieces of a mesh and what each of them follows.
struct IslandPlan {
  Components components;               ///< of the welded surface
  std::vector<std::uint32_t> by_size;  ///< components, largest area first
  std::uint32_t body = kNoComponent;   ///< the component that holds most of the bones
  std::vector<IslandBinding> binding;  ///< per component
  /// Per component: the joint that moves all of it by the weights that the rig came with, itself or by nodes
  /// that hang on it; -1: several, or none.
  std::vector<int> joint;
  /// Per welded vertex that is not bound by the method: the nearest point of what is (`base`).
  std::vector<NearestPoint> below;
  std::vector<std::uint8_t> matched;  ///< 1: `below` lies beneath the vertex and faces the same way
  std::vector<Triangle> base;         ///< triangles of the islands that are bound by the method

  std::size_t count(IslandBinding wanted) const;
  /// Of a welded vertex; kOwn where it belongs to no face.
  IslandBinding binding_of(std::size_t vertex) const;
  /// Whether nothing but its skin weights tells how a welded vertex moves: it is rigid, or no body lies below.
  bool by_skin(std::size_t vertex) const;
  /// Whether the rig's own rows of a welded vertex stay as they are.
  bool is_kept(std::size_t vertex) const;
};

/// Decides what the islands of a surface follow, in this order: what `request` says; an island that one joint
/// moves in the rig's own weights stays so; one that lies on the body is a layer, or, where it is small and
/// holds no two joints, rigid; one that holds bones is bound by the method; what is left is rigid.
/// kUsage: a name or number that is not there.
Result<IslandPlan> plan_islands(const Rig& rig, const Surface& surface, const IslandRequest& request);

/// Replaces the rows of layers and rigid islands. A layer takes the rows of the body where it is matched;
/// between, they are continued smoothly (weights/inpaint.h).
void bind_islands(const Surface& surface, const IslandPlan& plan, BoneWeights& weights);

/// Per welded vertex the point of the body whose motion it has: its own place, or the point below it; a
/// rigid island has one, where it is nearest to the body.
std::vector<Vec3> leading_points(MeshView surface, const IslandPlan& plan);

}  // namespace sinew
