// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/gltf_builder.h"

namespace sinew::gltf {

// Cages and point handles: the document's SINEW_rig.cages and SINEW_rig.handles. What does not fit the mesh
// any more is left out, with a note; what is broken is refused. rig.mesh and document.node_joints are there
// already.
Result<void> read_cages(GltfDocument& document, Rig& rig);
// Puts them there, or takes out what the rig has none of. joint_nodes: per joint of the rig, or -1.
void put_cages(Builder& builder, const Rig& rig, std::span<const int> joint_nodes);

}  // namespace sinew::gltf
