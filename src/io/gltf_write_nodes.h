// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_builder.h"

namespace sinew::gltf {

// Writes the transform into the node: translation, rotation and scale, each only where it is not the default.
// A transform with shear becomes a matrix, unless the node is animated: glTF then allows no matrix, and the
// nearest parts are taken. `stored` are parts that the node had, so that a mirror stays on its axis and clips
// that move only some of the parts play as before.
void set_transform(Json& node, const Affine3& transform, const std::optional<Trs>& stored, bool animated);

// Says in the node's SINEW_rig how its bone is stretched and twisted, or takes that out where it is not.
void put_shape(Json& root, Json& node, const BoneShape& shape);

// Says in the node's SINEW_rig that its joint is a helper.
void mark_helper(Json& root, int node);

// Appends a node; its index is returned.
int add_node(Json& root, Json node);
// Puts the node at the root of the given scene (made where there is none).
void add_to_scene(Json& root, std::size_t scene, int node);
void add_child(Json& root, int parent, int child);

// New nodes for the joints marked in `wanted`, with names, tails and the given local transforms; the roots
// are listed in `roots`. Returns the node of each joint, -1 where not wanted. Ancestors of a wanted joint
// must be wanted.
std::vector<int> add_joint_nodes(Builder& builder, const Skeleton& skeleton, std::span<const Affine3> local,
                                 const std::vector<bool>& wanted, const std::vector<bool>& animated,
                                 std::vector<int>& roots);

// Several roots get one node above them, since the joints of a skin must have a common root.
void gather_roots(Json& root, std::vector<int>& roots);

// Joints that a file has to hold: those that deform, carry weights or are moved by a clip, and their
// ancestors.
std::vector<bool> needed_joints(const Rig& rig);
// Joints that some clip moves.
std::vector<bool> animated_joints(const Rig& rig);

// The joints of a skin, deforming ones first, then others that carry weights; slots[j] is the place of joint
// j or -1. `rigid_parts`: those that are no skins, so that their nodes need not be joints of one.
struct SkinSlots {
  std::vector<std::size_t> joints;
  std::vector<int> slots;
};
SkinSlots skin_slots(const Rig& rig, const std::vector<bool>& rigid_parts = {});

// Appends a skin over the slots; inverse bind matrices are inverse_bind * to_bind. Returns its index.
int add_skin(Builder& builder, const Rig& rig, const SkinSlots& slots, std::span<const int> joint_nodes,
             const Affine3& to_bind);

}  // namespace sinew::gltf
