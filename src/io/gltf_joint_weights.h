// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_builder.h"
#include "io/gltf_mesh.h"

namespace sinew::gltf {

// The weights of joint-based deformers, rig.joint_weights, from the attributes _SINEW_JOINTS_n,
// _SINEW_SHARE_n, _SINEW_SWING_n and _SINEW_TWIST_n of the parts that have them and the document's
// SINEW_rig.joints. Rows come out as the rig wants them; numbers that are odd are put into [0, 1] and noted.
// kBadInput: wrong shapes, joints that the skin does not have.
Result<void> read_joint_weights(GltfDocument& document, const std::vector<PartPlan>& plans,
                                const BoundSkeleton& skeleton, Rig& rig);

// Adds the attributes of a part. slots[j] is the place of joint j in the skin, or -1.
void put_joint_weights(Builder& builder, const JointWeights& weights, const MeshPart& part,
                       std::span<const int> slots, Json& primitive);
bool is_joint_weight_attribute(std::string_view name);

// Says in the document's SINEW_rig what made the joint weights and how joints blend, or takes it out where
// there are none.
void put_joint_deformers(Json& root, const JointWeights& weights, std::span<const int> joint_nodes);

}  // namespace sinew::gltf
