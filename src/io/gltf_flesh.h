// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_builder.h"

namespace sinew::gltf {

// Flesh: the document's SINEW_rig.flesh. What was made for another mesh or by a later version is left out
// with a note; what is broken is refused. rig.mesh and document.node_joints are there already.
Result<void> read_flesh(GltfDocument& document, Rig& rig);
// Puts it there, or takes it out where the rig has none. joint_nodes: per joint of the rig, or -1.
void put_flesh(Builder& builder, const Rig& rig, std::span<const int> joint_nodes);

}  // namespace sinew::gltf
